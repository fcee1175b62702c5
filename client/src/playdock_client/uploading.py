"""Uploading a game's folder or archive to a library that a server manages.

The files are declared with their SHA-256, and their content is sent as one stream in pieces. An upload that was
interrupted continues when the same files are uploaded to the same place again, from any machine.
"""

import os
import re
import time
from base64 import b64encode
from collections.abc import Collection, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from stat import S_ISREG, S_IXUSR

import msgspec

from playdock_client.connection import Server
from playdock_client.errors import ClientError, RequestRefused
from playdock_client.progress import Phase, Progress
from playdock_client.ranges import path_segment
from playdock_client.transport import Broken, RetryPolicy

_SOURCES, _UPLOADS = "/api/v1/admin/library/sources", "/api/v1/admin/uploads"
_JSON = {"Content-Type": "application/json"}
# As in the pages: web servers in front of Playdock accept bodies of this size.
_PIECE_BYTES = 32 * 1024 * 1024
_READ_BYTES = 1024 * 1024
_POLL_SECONDS = 1.0
_EMPTY = frozenset({204})
# Another request may still be writing, or the answer to the last piece was lost.
_REPEATED = frozenset({"upload-busy", "upload-offset-wrong", "upload-complete", "checksum-mismatch"})
_ARCHIVE = re.compile(
    r"\.(?:zip|7z|rar|iso|tar(?:\.(?:gz|bz2|xz|zst|lzma|lz4|lz|z))?|tgz|tbz2?|txz|tzst|tlz)$", re.IGNORECASE
)
# A number without a dot or a leading v is part of the name: "Portal 2", "Left 4 Dead 2".
_VERSION = re.compile(r"(.+?)[\s_-]+(v\d+(?:\.\d+)*[a-z]?|\d+(?:\.\d+)+[a-z]?)(?:[\s_(-].*)?", re.IGNORECASE)


class CannotUpload(ClientError):
    """The files or the library are not suitable for an upload."""


class ManagedLibrary(msgspec.Struct, frozen=True):
    """A library that games can be uploaded to; ``flat`` if its games have no folders for versions."""

    id: str
    name: str
    flat: bool


class LocalFile(msgspec.Struct, frozen=True):
    """A file to upload: its path on this machine and in the upload."""

    file: Path
    path: str
    size: int
    modified: int
    executable: bool


class UploadPlace(msgspec.Struct, frozen=True):
    """Where an upload belongs in its library; ``version`` is empty in a flat one."""

    game: str
    version: str


class _Options(msgspec.Struct):
    managed: bool = False


class _Library(msgspec.Struct):
    id: str
    name: str
    backend: str
    options: _Options


class _Upload(msgspec.Struct):
    id: str
    state: str
    received: int
    problem: str = ""


class UploadServer(Server):
    """A server, with the calls for uploads. They need a token with ``system:library:write``."""

    def managed_libraries(self) -> list[ManagedLibrary]:
        """Return the libraries that games can be uploaded to. This needs ``system:library:sources:read``."""
        found = self._get(_SOURCES, list[_Library])
        return [
            ManagedLibrary(each.id, each.name, each.backend == "FlatFilesystem")
            for each in found
            if each.options.managed
        ]

    def upload(
        self, library: ManagedLibrary, place: UploadPlace, files: Sequence[LocalFile], progress: Progress
    ) -> None:
        """Upload files, or continue, and wait until the server has checked them and moved them to their place."""
        declared = [
            {
                "path": each.path,
                "size": each.size,
                "modified": each.modified,
                "executable": each.executable,
                "sha256": digest,
            }
            for each, digest in zip(files, _digests(files, progress), strict=True)
        ]
        body = msgspec.json.encode(
            {"library": library.id, "game": place.game, "version": place.version, "files": declared}
        )
        found = self._with_retries(lambda: self._read("POST", _UPLOADS, _Upload, body=body, headers=_JSON))
        progress.begin(Phase.SEND, total=sum(each.size for each in files))
        target = f"{_UPLOADS}/{path_segment(found.id)}"
        self._send(target, files, progress, at=found.received)
        self._wait(target)

    def _send(self, target: str, files: Sequence[LocalFile], progress: Progress, *, at: int) -> None:
        total, sent = sum(each.size for each in files), 0
        retries = RetryPolicy(self.retry_seconds)
        while at < total:
            progress.advance(at - sent)
            sent = at
            try:
                for piece in _pieces(files, at):
                    progress.check()
                    self._append(target, piece, at=at)
                    at = sent = at + len(piece)
                    progress.advance(len(piece))
                    retries.reset()
            except Broken as broken:
                retries.wait(broken)
            except RequestRefused as refused:
                if refused.type not in _REPEATED:
                    raise
                retries.wait(Broken(str(refused)))
            at = self._get(target, _Upload).received

    def _append(self, target: str, piece: bytes, *, at: int) -> None:
        headers = {
            "Content-Type": "application/offset+octet-stream",
            "Tus-Resumable": "1.0.0",
            "Upload-Offset": str(at),
            "Upload-Checksum": f"sha256 {b64encode(sha256(piece).digest()).decode()}",
        }
        with self._transport.opened("PATCH", target, body=piece, headers=headers, expect=_EMPTY):
            return

    def _wait(self, target: str) -> None:
        while (upload := self._get(target, _Upload)).state == "checking":
            time.sleep(_POLL_SECONDS)
        if upload.state != "done":
            raise CannotUpload(upload.problem or "The server could not add the upload to its library. Try again.")


def files_to_upload(source: Path, *, but: Collection[str] = ()) -> list[LocalFile]:
    """Return the files of a folder, or the archive. Raises CannotUpload.

    ``but`` are names of folders in this folder that do not belong to the game.
    """
    if source.is_file():
        if not _ARCHIVE.search(source.name):
            raise CannotUpload(f"{source} is not an archive. Upload the folder of the game.")
        return [_local(source, source.name)]
    if not source.is_dir():
        raise CannotUpload(f"There is no folder or archive {source}.")
    found = [_local(path, path.relative_to(source).as_posix()) for path in sorted(_walk(source, but))]
    if not found:
        raise CannotUpload(f"{source} is empty.")
    return found


def suggested_place(source: Path, library: ManagedLibrary, *, game: str = "", version: str = "") -> UploadPlace:
    """Return where a folder or archive belongs, by its name and what is given."""
    is_archive = source.is_file()
    ending = match[0] if is_archive and (match := _ARCHIVE.search(source.name)) else ""
    stem = source.name.removesuffix(ending)
    # With a version that is given, the whole name is that of the game.
    found = None if version else _VERSION.fullmatch(stem)
    game = game or (found[1] if found else stem)
    if library.flat:
        return UploadPlace(game + ending, "")
    return UploadPlace(game, (version or (found[2].lstrip("vV") if found else "1.0")) + ending)


def renamed(files: Sequence[LocalFile], place: UploadPlace) -> list[LocalFile]:
    """Return an archive with the name that it gets; the files of a folder are unchanged."""
    name = place.version or place.game
    if len(files) != 1 or not _ARCHIVE.search(name):
        return list(files)
    return [msgspec.structs.replace(files[0], path=name)]


def _walk(folder: Path, but: Collection[str]) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):
        if parent == str(folder):
            folders[:] = [name for name in folders if name not in but]
        for name in (*folders, *names):
            path = Path(parent) / name
            if path.is_symlink():
                raise CannotUpload(
                    f"{path} is a link, which cannot be uploaded. Pack the folder into a .tar.gz archive."
                )
        yield from (Path(parent) / name for name in names)


def _local(file: Path, path: str) -> LocalFile:
    status = file.stat()
    if not S_ISREG(status.st_mode):
        raise CannotUpload(f"{file} is not a regular file. Remove it from the folder.")
    is_program = os.name == "posix" and bool(status.st_mode & S_IXUSR)
    return LocalFile(file, path, status.st_size, status.st_mtime_ns // 1_000_000, is_program)


def _digests(files: Sequence[LocalFile], progress: Progress) -> Iterator[str]:
    progress.begin(Phase.CHECK, total=sum(each.size for each in files))
    for each in files:
        progress.at(each.path)
        found = sha256()
        with each.file.open("rb") as file:
            while data := file.read(_READ_BYTES):
                progress.check()
                found.update(data)
                progress.advance(len(data))
        yield found.hexdigest()


def _pieces(files: Sequence[LocalFile], start: int) -> Iterator[bytes]:
    """Yield the content of all files, one after the other, from a position on."""
    piece = bytearray()
    for each in files:
        if start >= each.size:
            start -= each.size
            continue
        with each.file.open("rb") as file:
            file.seek(start)
            left, start = each.size - start, 0
            while left:
                data = file.read(min(left, _PIECE_BYTES - len(piece)))
                if not data:
                    raise CannotUpload(f"{each.file} has changed. Upload it again.")
                piece += data
                left -= len(data)
                if len(piece) == _PIECE_BYTES:
                    yield bytes(piece)
                    piece.clear()
    if piece:
        yield bytes(piece)
