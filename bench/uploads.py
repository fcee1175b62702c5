"""Uploads, next to `curl -T` into nginx."""

import statistics
import subprocess
import tempfile
import time
from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx2

from bench.bare import MIB, noise
from bench.nginx import nginx
from bench.servers import Service, service
from bench.table import Row

_SIZE = 2048 * MIB
_ROUNDS = 5
_CURL = ("curl", "--fail", "--silent", "--show-error", "--output", "/dev/null", "-H", "Expect:")


def measure() -> Iterator[Row]:
    """Measure in memory: otherwise the disk is what is measured, for which only Playdock waits."""
    with (
        tempfile.TemporaryDirectory(prefix="playdock-bench-", dir=_memory()) as name,
        service(Path(name)) as served,
        _receiving(Path(name)) as address,
    ):
        file = Path(name) / "game.zip"
        with file.open("wb") as target:
            for number in range(_SIZE // MIB):
                target.write(noise(number, size=MIB))
        checksum = f"sha256 {b64encode(sha256(file.read_bytes()).digest()).decode()}"
        plain, checked, theirs = [], [], []
        for number in range(_ROUNDS):
            theirs.append(_put(file, f"{address}/{number}.zip"))
            (Path(name) / "received" / f"{number}.zip").unlink()
            plain.append(_upload(file, served, number, ()))
            checked.append(_upload(file, served, number, (f"Upload-Checksum: {checksum}",)))
        yield _row("uploading an archive of 2 GiB", plain, theirs)
        yield _row("the same with a checksum", checked, theirs, wanted="")


def _row(what: str, ours: list[float], theirs: list[float], wanted: str = "at least 0.7") -> Row:
    ratio = statistics.median(theirs) / statistics.median(ours)
    rates = [f"{_SIZE / 1e6 / statistics.median(each):,.0f} MB/s" for each in (ours, theirs)]
    return Row(what, rates[0], f"`curl -T` into nginx: {rates[1]}", f"{ratio:.2f}", wanted)


def _memory() -> str | None:
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


@contextmanager
def _receiving(folder: Path) -> Iterator[str]:
    """Run nginx so that it stores what is sent to it."""
    (folder / "received").mkdir()
    options = "dav_methods PUT; client_max_body_size 0;"
    with nginx(folder / "nginx", root=folder / "received", options=options) as server:
        yield server.address


def _put(file: Path, address: str) -> float:
    return _seconds("-T", str(file), address)


def _upload(file: Path, served: Service, number: int, more: Sequence[str]) -> float:
    with served.client() as client:
        libraries = client.get("/api/v1/admin/library/sources").json()
        library = libraries[0] if libraries else _library(client)
        body = {"library": library["id"], "game": "Game", "version": f"{number}.zip"}
        files = [{"path": f"{number}.zip", "size": _SIZE}]
        upload = client.post("/api/v1/admin/uploads", json={**body, "files": files}).raise_for_status().json()["id"]
        address = f"{served.running.address}/api/v1/admin/uploads/{upload}"
        headers = (
            f"Authorization: Bearer {served.token}",
            "Content-Type: application/offset+octet-stream",
            "Upload-Offset: 0",
            *more,
        )
        options = [word for header in headers for word in ("-H", header)]
        seconds = _seconds("-X", "PATCH", "-T", str(file), *options, address)
        while client.get(address).json()["state"] != "done":
            time.sleep(0.1)
        (Path(library["options"]["baseDir"]) / "Game" / f"{number}.zip").unlink()
    return seconds


def _library(client: httpx2.Client) -> dict[str, Any]:
    draft = {"name": "Uploads", "backend": "Filesystem", "options": {"managed": True}}
    made: dict[str, Any] = client.post("/api/v1/admin/library/sources", json=draft).raise_for_status().json()
    return made


def _seconds(*words: str) -> float:
    started = time.perf_counter()
    subprocess.run([*_CURL, *words], check=True)
    return time.perf_counter() - started
