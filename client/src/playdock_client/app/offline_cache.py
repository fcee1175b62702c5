"""Responses of a server on disk, for when it cannot be reached."""

import hashlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec

from playdock_client.documents import read_document, write_document
from playdock_client.errors import ClientError

# A game's page with its pictures takes 2 MB; this is enough for a few hundred games.
MAX_BYTES = 500 * 1024 * 1024
MAX_RESPONSE_BYTES = 4 * 1024 * 1024
# Looking at all files takes longer than storing one.
_CHECK_EVERY = 100


class StoredResponse(msgspec.Struct, frozen=True):
    """A response: its headers and its body."""

    headers: dict[str, str]
    body: bytes


class _Entry(msgspec.Struct, frozen=True):
    target: str
    headers: dict[str, str]


class OfflineCache:
    """The newest response to each request. Nothing in it is secret to this user, and only this user can read it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stored = 0

    def store(self, target: str, response: StoredResponse) -> None:
        """Store a response. Without space on the disk it is left out."""
        if len(response.body) > MAX_RESPONSE_BYTES:
            return
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            name = self._name(target)
            partial = self._folder / f"{name}.{os.getpid()}.partial"
            partial.write_bytes(response.body)
            partial.replace(self._folder / f"{name}.body")
            write_document(self._folder / f"{name}.json", _Entry(target, response.headers))
        except OSError:
            return
        self._stored += 1
        if self._stored % _CHECK_EVERY == 0:
            self._trim()

    def find(self, target: str) -> StoredResponse | None:
        name = self._name(target)
        try:
            entry = read_document(self._folder / f"{name}.json", _Entry)
            body = (self._folder / f"{name}.body").read_bytes()
        except (OSError, msgspec.MsgspecError, ClientError):
            return None
        return StoredResponse(entry.headers, body) if entry and entry.target == target else None

    def clear(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def _name(self, target: str) -> str:
        return hashlib.sha256(target.encode(errors="surrogateescape")).hexdigest()[:40]

    def _trim(self) -> None:
        """Remove the oldest responses if there are too many bytes."""
        bodies = sorted(self._bodies())
        surplus = sum(size for _, size, _ in bodies) - MAX_BYTES
        for _, size, body in bodies:
            if surplus <= 0:
                return
            body.unlink(missing_ok=True)
            body.with_suffix(".json").unlink(missing_ok=True)
            surplus -= size

    def _bodies(self) -> Iterator[tuple[float, int, Path]]:
        for body in self._folder.glob("*.body"):
            try:
                stat = body.stat()
            except FileNotFoundError:
                continue
            yield stat.st_mtime, stat.st_size, body
