"""Updating games by patches, as clients do."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import httpx2
import zstandard
from blake3 import blake3

from playdock_client.differences import apply_difference
from versions_to_import import doom, pack, versions
from world import Caller, World

KIB = 1024
Files = Mapping[str, bytes]


def noise(seed: int, size: int = 600 * KIB) -> bytes:
    return Random(seed).randbytes(size)


def edited(data: bytes, *, mark: bytes = b"new!") -> bytes:
    """Return the data with four bytes changed every 50 KiB, like a rebuilt program."""
    changed = bytearray(data)
    for place in range(0, len(data) - len(mark), 50 * KIB):
        changed[place : place + len(mark)] = mark
    return bytes(changed)


OLD: Files = {"doom": noise(1), "data/e1m1.wad": noise(2), "readme": b"Doom 1.0\n" * 50, "same": noise(3)}
NEW: Files = {**OLD, "doom": edited(noise(1)), "data/e1m1.wad": noise(9) + noise(2), "readme": b"Doom 1.1\n" * 50}
NEWER: Files = {**NEW, "doom": edited(noise(1), mark=b"more")}


@dataclass
class Doom:
    """A game with versions."""

    world: World
    admin: Caller
    game: str

    @classmethod
    def at(cls, world: World) -> "Doom":
        return cls(world, *doom(world))

    def lay(self, name: str, files: Files) -> Path:
        """Add a version to the library: a folder, or an archive if its name ends in .zip."""
        if name.endswith(".zip"):
            return pack(self.world.games / "Doom" / name, dict(files))
        for path, data in files.items():
            self.world.put(f"Doom/{name}/{path}", data)
        return self.world.games / "Doom" / name

    def add(self, name: str, files: Files, **wanted: Any) -> str:
        """Import a version with these files, and return its id."""
        self.lay(name, files)
        task = self.world.import_version(self.admin, self.game, name, **{"launch": "doom", **wanted})
        assert task["success"], task
        return self.id_of(name)

    def id_of(self, name: str) -> str:
        found: str = next(each["id"] for each in versions(self.admin, self.game) if each["name"] == name)
        return found

    def ask(self, old: str, new: str, **options: Any) -> httpx2.Response:
        return self.admin.get(f"/api/v1/versions/{new}/patches", params={"from": old}, **options)

    def request(self, old: str, new: str) -> httpx2.Response:
        """Have the patches between two versions made."""
        return self.admin.post(f"/api/v1/versions/{new}/patches", params={"from": old})

    def patches(self, old: str, new: str) -> dict[str, Any]:
        """Return the patches between two versions, which are created if necessary."""
        answer = self.ask(old, new)
        if answer.status_code == 404:
            answer = self.request(old, new)
        if answer.status_code == 202:
            task = self.world.finish(self.admin, answer.json()["taskId"])
            assert task["success"], task
            answer = self.ask(old, new)
        assert answer.status_code == 200, answer.text
        listed: dict[str, Any] = answer.json()
        return listed

    def tasks(self, task_type: str = "patch:version") -> list[dict[str, Any]]:
        """Return all tasks that create patches, or those of another type, the oldest first."""
        lists = self.admin.get("/api/v1/admin/task").json()
        found = [*reversed(lists["historicalTasks"]), *lists["runningTasks"]]
        return [task for task in found if task["taskGroup"] == task_type]

    def rest(self) -> list[dict[str, Any]]:
        """Wait until all patches have been created, and return their tasks."""
        deadline = time.monotonic() + 120
        while not all(task["ended"] for task in self.tasks()):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        return self.tasks()

    def stored(self, *kinds: str) -> list[str]:
        """Return the names of the blobs of patches, or of some of their kinds."""
        blobs, later = self.world.services.blobs, self.world.clock() + timedelta(days=1)
        keys = [key for kind in kinds or ("patches", "patchlists") for key in blobs.keys(kind, before=later)]
        return sorted(key.partition("/")[2] for key in keys)

    def fetch(self, set_id: str, **headers: str) -> httpx2.Response:
        return self.admin.get(f"/api/v1/patches/{set_id}", headers=headers)

    def bytes_of(self, listed: Mapping[str, Any]) -> bytes:
        return self.fetch(listed["id"]).content

    def updated(self, listed: Mapping[str, Any], old: Files) -> dict[str, bytes]:
        """Return the files of the newer version, created from the older ones, the manifest and the patches."""
        manifest = self.admin.get(f"/api/v1/versions/{listed['to']}/manifest").json()
        chunks = dict(_chunks_of(old, self.admin.get(f"/api/v1/versions/{listed['from']}/manifest").json()))
        chunks |= patched_chunks(listed, self.bytes_of(listed), old, manifest)
        return {file["path"]: b"".join(chunks[chunk] for _, chunk in file["chunks"]) for file in manifest["files"]}


def patched_chunks(
    listed: Mapping[str, Any], packed: bytes, old: Files, manifest: Mapping[str, Any]
) -> dict[str, bytes]:
    """Return the chunks of the newer version that its patches contain, by id, created from the older files.

    Raises:
        AssertionError: a chunk has other bytes than its id says.
    """
    cuts = {file["path"]: file["chunks"] for file in manifest["files"]}
    chunks: dict[str, bytes] = {}
    for segment in listed["segments"]:
        chunks.update(_unpacked(segment, packed, old, cuts))
    for segment in listed["differences"]:
        chunks.update(_applied(segment, packed, old, cuts))
    return chunks


def _chunks_of(files: Files, manifest: Mapping[str, Any]) -> Iterator[tuple[str, bytes]]:
    for file in manifest["files"]:
        yield from _cut(files[file["path"]], file["chunks"])


def _unpacked(
    segment: Mapping[str, Any], packed: bytes, old: Files, cuts: Mapping[str, list[list[Any]]]
) -> Iterator[tuple[str, bytes]]:
    before = _before(segment, old)
    known = zstandard.ZstdCompressionDict(before, dict_type=zstandard.DICT_TYPE_RAWCONTENT) if before else None
    plain = zstandard.ZstdDecompressor(dict_data=known, max_window_size=2**28).decompress(_frame(segment, packed))
    yield from _spans(segment, plain, cuts)


def _applied(
    segment: Mapping[str, Any], packed: bytes, old: Files, cuts: Mapping[str, list[list[Any]]]
) -> Iterator[tuple[str, bytes]]:
    difference = zstandard.ZstdDecompressor().decompress(_frame(segment, packed))
    yield from _spans(segment, apply_difference(difference, _before(segment, old), size=segment["plain"]), cuts)


def _before(segment: Mapping[str, Any], old: Files) -> bytes:
    return b"".join(old[path][offset : offset + length] for path, offset, length in segment["old"])


def _frame(segment: Mapping[str, Any], packed: bytes) -> bytes:
    return packed[segment["offset"] : segment["offset"] + segment["length"]]


def _spans(
    segment: Mapping[str, Any], plain: bytes, cuts: Mapping[str, list[list[Any]]]
) -> Iterator[tuple[str, bytes]]:
    assert len(plain) == segment["plain"]
    for path, offset, length in segment["new"]:
        data, plain = plain[:length], plain[length:]
        yield from _cut(data, _within(cuts[path], offset, length))
    assert plain == b""


def _within(chunks: list[list[Any]], offset: int, length: int) -> list[list[Any]]:
    """Return the chunks of a span of a file."""
    found, place = [], 0
    for chunk in chunks:
        if offset <= place < offset + length:
            found.append(chunk)
        place += chunk[0]
    return found


def _cut(data: bytes, chunks: list[list[Any]]) -> Iterator[tuple[str, bytes]]:
    place = 0
    for length, chunk in chunks:
        piece = data[place : place + length]
        assert blake3(piece).hexdigest() == chunk
        yield chunk, piece
        place += length
    assert place == len(data)
