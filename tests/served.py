"""A game with files of all kinds, for tests of downloads."""

import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import httpx2
import pytest

from world import Caller, World

MIB = 1024 * 1024


@dataclass
class Doom:
    """A game with one version, and its expected content."""

    world: World
    admin: Caller
    player: Caller
    game: str
    version: str
    files: dict[str, bytes]

    @property
    def image(self) -> bytes:
        return b"".join(content for _, content in sorted(self.files.items()))

    def address(self, what: str = "content") -> str:
        return f"/api/v1/versions/{self.version}/{what}"

    def get(self, what: str = "content", **headers: str) -> httpx2.Response:
        return self.player.get(self.address(what), headers={k.replace("_", "-"): v for k, v in headers.items()})

    def head(self, what: str = "content", **headers: str) -> httpx2.Response:
        named = {k.replace("_", "-"): v for k, v in headers.items()}
        return self.player.request("HEAD", self.address(what), headers=named)

    @property
    def folder(self) -> Path:
        return self.world.games / "Doom" / "1.0"


def contents() -> dict[str, bytes]:
    """Return long files, consecutive short ones, empty ones, and names of all kinds."""
    random = Random(11)
    files = {f"small/{number:03}": random.randbytes(random.randrange(2000)) for number in range(300)}
    files |= {"doom": random.randbytes(3 * MIB + 17), "empty": b"", "data/wad": random.randbytes(MIB)}
    return files | {"data/zeros": bytes(700_000), "ドア.txt": "扉".encode(), "with space.txt": b"x", "zz": b"end"}


def write_doom(world: World) -> Doom:
    files = contents()
    for path, content in files.items():
        world.put(f"Doom/1.0/{path}", content, mode=0o755 if path == "doom" else 0o644)
    (world.games / "Doom/1.0/latest").symlink_to("doom")
    admin = world.admin()
    game = world.import_game(admin, world.library(admin), "Doom")
    task = world.import_version(admin, game, "1.0", launch="doom")
    assert task["success"], task
    version = admin.get(f"/api/v1/games/{game}/versions").json()[0]["id"]
    return Doom(world, admin, world.person("bob"), game, version, files)


def connection(doom: Doom, what: str = "content") -> socket.socket:
    """Return a connection that has sent a request and read nothing yet."""
    host, port = doom.world.address.removeprefix("http://").split(":")
    opened = socket.create_connection((host, int(port)), timeout=120)
    lines = [f"GET {doom.address(what)} HTTP/1.1", f"Host: {host}", f"Authorization: Bearer {doom.player.token}"]
    opened.sendall("\r\n".join([*lines, "", ""]).encode())
    return opened


def open_files_below(folder: Path) -> list[str]:
    """Return the files of a folder that this process, including the server, has open."""
    places: list[str] = []
    for descriptor in Path("/proc/self/fd").iterdir():
        try:
            places.append(str(descriptor.readlink()))
        except OSError:
            continue
    return [place for place in places if place.startswith(f"{folder}/")]


def rewrite(path: Path) -> None:
    """Change a file without changing its size."""
    path.write_bytes(path.read_bytes()[::-1])


def warm(doom: Doom) -> Doom:
    """Let everything be cached that a hot range takes."""
    for what in ("content", "files/doom"):
        doom.get(what, Range="bytes=0-0")
    if not is_hot(doom, lambda: doom.get(Range="bytes=0-9")):
        pytest.skip("This system or its file system cannot refuse to wait (openat2, preadv2).")
    return doom


def is_hot(doom: Doom, call: Callable[[], Any], *, attempts: int = 20) -> bool:
    """Return whether a call is answered before the framework's routing."""
    return counts(call, lambda: doom.world.hot_ranges.answered, attempts=attempts)


def is_repeated(doom: Doom, call: Callable[[], Any], *, attempts: int = 20) -> bool:
    """Return whether a call is answered without being parsed."""
    return counts(call, lambda: doom.world.hot_ranges.repeated, attempts=attempts)


def counts(call: Callable[[], Any], counter: Callable[[], int], *, attempts: int) -> bool:
    """Call until the counter grows.

    The system may refuse to open a file at once while others are renamed or memory is short, so it is tried again.
    """
    before = counter()
    for _ in range(attempts):
        call()
        if counter() > before:
            return True
    return False
