"""`.playdock/staging/`: the new version's files, built next to the installation."""

import os
import shutil
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from blake3 import blake3

from playdock_client.disk import Disk, EntryKind, is_caseless, look_up, scan
from playdock_client.errors import DiskError
from playdock_client.journal import Journal, JournalHeader, read_journal, this_boot
from playdock_client.manifest import Chunk, File, Manifest
from playdock_client.names import folders_of
from playdock_client.own_folder import OwnFolder
from playdock_client.planning import Source

_READ_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
_WRITE_FLAGS = os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
_PERMISSION_BITS = 0o777
_OWNER_READ_WRITE = 0o600
# Between the ETag of a manifest and the number of a section in the journal.
_SECTION = "#"
_OTHER = -1


class Staging:
    """Files that are being built. `resumed` is the number of bytes from an earlier run for the same manifest.

    Of a manifest in sections, this has the files of one; those of the sections before it are complete.
    """

    def __init__(self, own: OwnFolder, manifest: Manifest, *, etag: str, section: int | None = None) -> None:
        self._own = own
        self._manifest = manifest
        self._section = section
        self._etag = etag
        self._header = JournalHeader(etag if section is None else f"{etag}{_SECTION}{section}", this_boot())
        self._folders: set[str] = set()
        self._done = self._load_progress()
        present = [chunk for chunk in manifest.chunks if self._done[chunk.number]]
        self._by_id = {chunk.id: chunk for chunk in present}
        self.resumed = sum(chunk.length for chunk in present)
        own.staging.mkdir(exist_ok=True)
        # A complete section leaves the journal of a later one as it is.
        self._journal = (
            Journal(own.journal, header=self._header, done=self._done) if section is None or 0 in self._done else None
        )

    def close(self) -> None:
        if self._journal:
            self._journal.close()

    def missing(self, files: Iterable[File], manifest: Manifest) -> list[Chunk]:
        """Return the chunks of these files that have not been written yet. The manifest may have other files now."""
        needed = {file.path for file in files}
        return [chunk for chunk in manifest.chunks if not self._done[chunk.number] and chunk.file.path in needed]

    def find(self, name: str) -> Source | None:
        """Return where a chunk with this id has been written, or None."""
        chunk = self._by_id.get(name)
        if chunk is None:
            return None
        return Source(f"{self._own.staging.relative_to(self._own.folder).as_posix()}/{chunk.file.path}", chunk.start)

    def note(self, chunks: Sequence[Chunk]) -> None:
        """Record that the bytes of these chunks have been written."""
        assert self._journal is not None
        self._journal.note(chunk.number for chunk in chunks)
        for chunk in chunks:
            self._done[chunk.number] = 1
            self._by_id[chunk.id] = chunk

    def path(self, file: File) -> str:
        """Return the path of a staged file, and create its folder."""
        folder = file.path.rpartition("/")[0]
        if folder not in self._folders:
            self._make_folder(folder)
        return f"{self._own.staging}/{file.path}"

    def finish(self, files: Collection[File]) -> Disk:
        """Remove all other files, except those of other sections, and return the entries of the staged ones."""
        for file in files:
            if not file.size:
                os.close(os.open(self.path(file), _WRITE_FLAGS | os.O_TRUNC, _mode(file)))
        found = self._scan()
        needed = {found.key(file.path) for file in files}
        for entry in found if self._section is None else ():
            if entry.kind is not EntryKind.FOLDER and found.key(entry.path) not in needed:
                (self._own.staging / entry.path).unlink()
        return found

    def _scan(self) -> Disk:
        caseless = is_caseless(self._own.folder)
        if self._section is None:
            return scan(self._own.staging, caseless=caseless)
        return look_up(self._own.staging, (file.path for file in self._manifest.files), caseless=caseless)

    def _make_folder(self, folder: str) -> None:
        """Create a folder and its parents without following links."""
        for part in (*folders_of(folder), folder):
            if part not in self._folders:
                target = self._own.staging / part
                target.mkdir(exist_ok=True)
                if target.is_symlink():
                    raise DiskError(f"{target} is a link, which the client does not follow. Remove it and try again.")
                self._folders.add(part)

    def _load_progress(self) -> bytearray:
        count = self._manifest.chunk_count
        read = read_journal(self._own.journal, chunks=count)
        known_section = _section_in(read[0], etag=self._etag) if read else _OTHER
        if read is None or known_section == _OTHER or (known_section is None) != (self._section is None):
            discard(self._own)
            return bytearray(count)
        header, recorded = read
        if self._section is not None and known_section != self._section:
            recorded = bytearray(b"\x01" if self._section < (known_section or 0) else b"\x00") * count
        on_disk = self._scan()
        known = header.boot == self._header.boot
        done = bytearray(count)
        with Reader(self._own.staging) as reader:
            for chunk in self._manifest.chunks:
                done[chunk.number] = recorded[chunk.number] and self._is_on_disk(
                    chunk, on_disk=on_disk, reader=None if known else reader
                )
        return done

    def _is_on_disk(self, chunk: Chunk, *, on_disk: Disk, reader: "Reader | None") -> bool:
        if on_disk.file(chunk.file.path, size=chunk.file.size) is None:
            return False
        return reader is None or is_chunk(reader.read(Source(chunk.file.path, chunk.start), chunk.length), chunk)


class Writer:
    """Writes chunks. Used by one thread; keeps the last file open."""

    def __init__(self, staging: Staging) -> None:
        self._staging = staging
        self._file: File | None = None
        self._descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._close()

    def write(self, chunk: Chunk, data: memoryview | bytes) -> None:
        if chunk.file is not self._file:
            self._close()
            self._open(chunk.file)
        if len(chunk.file.chunks) > 1:
            os.lseek(self._descriptor, chunk.start, os.SEEK_SET)
        _write_all(self._descriptor, data)

    def _open(self, file: File) -> None:
        self._descriptor = os.open(self._staging.path(file), _WRITE_FLAGS, _mode(file))
        self._file = file
        if len(file.chunks) > 1 and os.fstat(self._descriptor).st_size != file.size:
            os.ftruncate(self._descriptor, file.size)

    def _close(self) -> None:
        if self._file is not None:
            self._file = None
            os.close(self._descriptor)


class Reader:
    """Reads chunks from files below a folder. Used by one thread; keeps the last file open."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = ""
        self._descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._close()

    def read(self, source: Source, length: int) -> bytes:
        """Return up to `length` bytes, or none if the file cannot be read."""
        try:
            if source.path != self._path:
                self._close()
                self._descriptor = os.open(f"{self._folder}/{source.path}", _READ_FLAGS)
                self._path = source.path
            os.lseek(self._descriptor, source.start, os.SEEK_SET)
            return os.read(self._descriptor, length)
        except OSError:
            return b""

    def _close(self) -> None:
        if self._path:
            self._path = ""
            os.close(self._descriptor)


def is_chunk(data: memoryview | bytes, chunk: Chunk) -> bool:
    """Return whether the data has the length and hash of a chunk."""
    return len(data) == chunk.length and blake3(data).hexdigest() == chunk.id


def begin_staging(own: OwnFolder, *, etag: str) -> None:
    """Mark the folder as one in which a version is being installed, unless it is already marked with this version."""
    read = read_journal(own.journal, chunks=0)
    if read is None or _section_in(read[0], etag=etag) is not None:
        discard(own)
        Journal(own.journal, header=JournalHeader(etag, this_boot()), done=bytearray()).close()


def discard(own: OwnFolder) -> None:
    """Delete the staged files. The journal is deleted first, so that it never lists missing chunks."""
    own.journal.unlink(missing_ok=True)
    with suppress(FileNotFoundError):
        shutil.rmtree(own.staging)


def _section_in(header: JournalHeader, *, etag: str) -> int | None:
    """Return the section of a journal, None if its manifest has no sections, or `_OTHER` for another manifest."""
    found, _, section = header.etag.partition(_SECTION)
    if found != etag:
        return _OTHER
    return int(section) if section else None


def _mode(file: File) -> int:
    """Return only read, write and execute permissions, which the umask restricts further."""
    return file.mode & _PERMISSION_BITS | _OWNER_READ_WRITE


def _write_all(descriptor: int, data: memoryview | bytes) -> None:
    written = os.write(descriptor, data)
    while written < len(data):
        written += os.write(descriptor, data[written:])
