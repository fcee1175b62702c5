"""A client of Drop 0.3: it signs in, browses, and downloads as that client does."""

import hashlib
import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA384
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key
from joserfc import jwt
from joserfc.jwk import ECKey

from world import Caller, World

_BUCKET_BYTES = 63_000_000


def initiate(world: World, **wanted: Any) -> httpx2.Response:
    body = {
        "name": "myhost (Desktop)",
        "platform": "linux",
        "mode": "callback",
        "capabilities": {"peerAPI": {}, "cloudSaves": {}},
        **wanted,
    }
    return world.any_user().post("/api/v1/client/auth/initiate", body)


def claim(caller: Caller, client_id: str) -> httpx2.Response:
    return caller.get("/api/v1/client/auth", params={"id": client_id})


def approve(caller: Caller, client_id: str) -> httpx2.Response:
    return caller.post("/api/v1/client/auth/callback", {"id": client_id})


def handshake(world: World, pair: str) -> httpx2.Response:
    client_id, token = pair.split("/")
    return world.any_user().post("/api/v1/client/auth/handshake", {"clientId": client_id, "token": token})


def sign_in(world: World, user: Caller) -> "DropClient":
    """A client that a user has approved in the browser."""
    client_id = initiate(world).text.removeprefix("/client/authorize/")
    assert claim(user, client_id).status_code == 200
    approved = approve(user, client_id).json()
    scheme, _, rest = approved["redirect"].partition("://")
    host, deep_id, token = rest.split("/")
    assert (scheme, host, deep_id) == ("drop", "handshake", client_id)
    return DropClient.of(world, handshake(world, f"{deep_id}/{token}").json())


@dataclass
class DropClient:
    """A device with its key."""

    world: World
    caller: Caller
    client_id: str
    key: EllipticCurvePrivateKey
    offset_ms: int = 0
    requests: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, world: World, received: dict[str, str]) -> "DropClient":
        key = load_pem_private_key(received["private"].encode(), None)
        assert isinstance(key, EllipticCurvePrivateKey)
        return cls(world, world.any_user(), received["id"], key)

    def token(self, **claims: int) -> str:
        """Return the header of a request of a client of Drop 0.4: a token that is valid for ten seconds."""
        now = int(time.time()) + self.offset_ms // 1000
        key = ECKey.import_key(self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        encoded = jwt.encode({"alg": "ES384"}, {"nbf": now, "exp": now + 10, **claims}, key, algorithms=["ES384"])
        return f"JWT {self.client_id} {encoded}"

    def get_v2(self, path: str, **params: str) -> httpx2.Response:
        options: dict[str, Any] = {"params": params} if params else {}
        return self.caller.request("GET", path, headers={"Authorization": self.token()}, **options)

    def header(self, nonce: str | None = None) -> str:
        """Return the header of a request: the time, signed."""
        nonce = nonce or str(int(time.time() * 1000) + self.offset_ms)
        r, s = decode_dss_signature(self.key.sign(nonce.encode(), ECDSA(SHA384())))
        return f"Nonce {self.client_id} {nonce} {r.to_bytes(48, 'big').hex()}{s.to_bytes(48, 'big').hex()}"

    def call(self, method: str, path: str, body: Any = None, **params: str) -> httpx2.Response:
        options: dict[str, Any] = {"json": body} if body is not None else {}
        # The client's builder of addresses always opens a query.
        address = path if params else f"{path}?"
        if params:
            options["params"] = params
        return self.caller.request(method, address, headers={"Authorization": self.header()}, **options)

    def get(self, path: str, **params: str) -> Any:
        """Return the JSON that a call returns with status 200."""
        got = self.call("GET", path, **params)
        assert got.status_code == 200, got.text
        return got.json()

    def manifest(self, game: str, version: str) -> dict[str, Any]:
        found: dict[str, Any] = self.get("/api/v1/client/game/manifest", id=game, version=version)
        return found

    def context(self, game: str, version: str) -> str:
        got = self.call("POST", "/api/v2/client/context", {"game": game, "version": version})
        assert got.status_code == 200, got.text
        context: str = got.json()["context"]
        return context

    def chunks(self, context: str, files: list[tuple[str, Any]]) -> httpx2.Response:
        wanted = [{"filename": name, "chunkIndex": index} for name, index in files]
        return self.call("POST", "/api/v2/client/chunk", {"context": context, "files": wanted})

    def install(self, game: str, version: str, folder: Path) -> None:
        """Download a version as the client does, and verify it."""
        manifest = self.manifest(game, version)
        context = self.context(game, version)
        for name, file in manifest.items():
            assert len(file["ids"]) == len(file["checksums"]) == len(file["lengths"])
            place = folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            with place.open("wb") as created:
                created.truncate(sum(file["lengths"]))
        for bucket in _buckets(manifest):
            self._fetch(context, manifest, bucket, folder)
        for name, file in manifest.items():
            with (folder / name).open("rb") as written:
                for length, checksum in zip(file["lengths"], file["checksums"], strict=True):
                    assert hashlib.md5(written.read(length)).hexdigest() == checksum

    def _fetch(self, context: str, manifest: dict[str, Any], bucket: list[tuple[str, int]], folder: Path) -> None:
        got = self.chunks(context, list(bucket))
        assert got.status_code == 200, got.text
        announced = [int(length) for length in got.headers["content-lengths"].split(",")]
        assert announced == [manifest[name]["lengths"][index] for name, index in bucket]
        position = 0
        for (name, index), length in zip(bucket, announced, strict=True):
            with (folder / name).open("r+b") as file:
                file.seek(sum(manifest[name]["lengths"][:index]))
                file.write(got.content[position : position + length])
            (folder / name).chmod(manifest[name]["permissions"] & 0o7777)
            position += length
        assert position == len(got.content)


def _buckets(manifest: dict[str, Any]) -> list[list[tuple[str, int]]]:
    buckets: list[list[tuple[str, int]]] = []
    current: list[tuple[str, int]] = []
    size = 0
    for name, file in manifest.items():
        for index, length in enumerate(file["lengths"]):
            if length >= _BUCKET_BYTES:
                buckets.append([(name, index)])
                continue
            if size + length >= _BUCKET_BYTES:
                buckets.append(current)
                current, size = [], 0
            current.append((name, index))
            size += length
    return [*buckets, current] if current else buckets


def error_of(answer: httpx2.Response) -> tuple[int, str]:
    """Return the status and text of an error in Drop's format."""
    error = json.loads(answer.text)
    assert error["statusCode"] == answer.status_code
    assert isinstance(error["message"], str)
    text: str = error["statusMessage"]
    return answer.status_code, text
