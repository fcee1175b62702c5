"""Chunks for Drop's clients: those of 0.3 next to nginx, those of 0.4 next to a bare loop of the same cipher."""

import http.client
import json
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

import httpx2
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA384
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from joserfc import jwt
from joserfc.jwk import ECKey

from bench.bare import MIB, noise
from bench.library import add_library, import_game, import_version
from bench.nginx import nginx
from bench.servers import Service, service
from bench.table import Row
from playdock.features.drop_bridge.cipher import CounterCipher

_CHUNK = 64 * MIB
_CHUNKS = 8
_CONNECTIONS = 8
_ROUNDS = 3
_WINDOW = 2.0
_NAME = "game.dat"

Call = Callable[[http.client.HTTPConnection, int], None]


def measure() -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="playdock-bench-") as name:
        folder, games = Path(name), Path(name) / "games"
        file = games / "one" / "1.0" / _NAME
        file.parent.mkdir(parents=True)
        file.write_bytes(b"".join(noise(number, size=MIB) for number in range(_CHUNKS * _CHUNK // MIB)))
        with service(folder) as served, nginx(folder / "nginx", root=games) as baseline:
            client = _Client(served, games)
            pairs = [
                (_rate(served.running.address, client.fetch_v1), _rate(baseline.address, _fetch_range))
                for _ in range(_ROUNDS)
            ]
            yield _row("Drop 0.3: 64 MiB chunks, over 8 connections", "nginx, 1 file", pairs)
            pairs = [(_rate(served.running.address, client.fetch_v2, connections=1), _bare()) for _ in range(_ROUNDS)]
            yield _row("Drop 0.4: encrypted 64 MiB chunks, over 1 connection", "bare loop of the cipher", pairs)


def _row(what: str, baseline: str, pairs: list[tuple[float, float]]) -> Row:
    ours, theirs = (median(pair[index] for pair in pairs) for index in (0, 1))
    return Row(what, f"{ours:,.0f} MB/s", f"{baseline}: {theirs:,.0f} MB/s", f"{ours / theirs:.2f}", "at least 0.8")


def _rate(address: str, fetch: Call, *, connections: int = _CONNECTIONS) -> float:
    """Return the MB per second that some connections receive together."""
    deadline, counts = time.monotonic() + _WINDOW, [0] * connections

    def run(number: int) -> None:
        connection = http.client.HTTPConnection(urlsplit(address).netloc)
        while time.monotonic() < deadline:
            fetch(connection, number + counts[number])
            counts[number] += 1

    started = time.monotonic()
    threads = [threading.Thread(target=run, args=[number]) for number in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) * _CHUNK / 1e6 / (time.monotonic() - started)


def _read(connection: http.client.HTTPConnection) -> None:
    answer, buffer = connection.getresponse(), bytearray(MIB)
    assert answer.status in {200, 206}, answer.read()
    received = 0
    while length := answer.readinto(buffer):
        received += length
    assert received == _CHUNK, received


def _fetch_range(connection: http.client.HTTPConnection, number: int) -> None:
    start = number % _CHUNKS * _CHUNK
    connection.request("GET", f"/one/1.0/{_NAME}", headers={"Range": f"bytes={start}-{start + _CHUNK - 1}"})
    _read(connection)


def _bare() -> float:
    cipher, block = CounterCipher(bytes(16), bytes(16)), bytes(MIB)
    started = time.monotonic()
    for _ in range(_CHUNK // MIB):
        cipher.update(block)
    return _CHUNK / 1e6 / (time.monotonic() - started)


class _Client:
    """A Drop client that the administrator has approved, and what it downloads."""

    def __init__(self, served: Service, games: Path) -> None:
        with served.client() as admin:
            game = import_game(admin, add_library(admin, games), "one")
            version = import_version(admin, game, "1.0", launch=_NAME)
            self._id, self._key = _signed_in(admin)
            headers = {"Authorization": self._nonce()}
            body = {"game": game, "version": version}
            self._context = admin.post("/api/v2/client/context", json=body, headers=headers).json()["context"]
            bundle = admin.get(
                "/api/v1/client/game/manifest",
                params={"id": game, "version": version},
                headers={"Authorization": self._token()},
            ).json()
        chunks = bundle["manifests"][version]["chunks"]
        self._paths = [f"/api/v1/depot/content/{game}/{version}/{chunk}" for chunk in chunks]

    def fetch_v1(self, connection: http.client.HTTPConnection, number: int) -> None:
        wanted = [{"filename": _NAME, "chunkIndex": number % _CHUNKS}]
        body = json.dumps({"context": self._context, "files": wanted})
        connection.request("POST", "/api/v2/client/chunk", body, {"Authorization": self._nonce()})
        _read(connection)

    def fetch_v2(self, connection: http.client.HTTPConnection, number: int) -> None:
        path = self._paths[number % len(self._paths)]
        connection.request("GET", path, headers={"Authorization": self._token()})
        _read(connection)

    def _nonce(self) -> str:
        nonce = str(int(time.time() * 1000))
        r, s = decode_dss_signature(self._key.sign(nonce.encode(), ECDSA(SHA384())))
        return f"Nonce {self._id} {nonce} {r:096x}{s:096x}"

    def _token(self) -> str:
        now = int(time.time())
        pem = self._key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        claims = {"nbf": now, "exp": now + 10}
        token = jwt.encode({"alg": "ES384"}, claims, ECKey.import_key(pem), algorithms=["ES384"])
        return f"JWT {self._id} {token}"


def _signed_in(admin: httpx2.Client) -> tuple[str, EllipticCurvePrivateKey]:
    started = admin.post("/api/v1/client/auth/initiate", json={"name": "bench", "platform": "linux"})
    client_id = started.text.rpartition("/")[2]
    admin.get("/api/v1/client/auth", params={"id": client_id}).raise_for_status()
    approved = admin.post("/api/v1/client/auth/callback", json={"id": client_id}).raise_for_status()
    token = approved.json()["token"].partition("/")[2]
    received = admin.post("/api/v1/client/auth/handshake", json={"clientId": client_id, "token": token}).json()
    key = load_pem_private_key(received["private"].encode(), None)
    assert isinstance(key, EllipticCurvePrivateKey)
    return client_id, key
