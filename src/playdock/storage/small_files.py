"""Reading small files completely, in batches, in this process or in a child process.

Small files take more time in the interpreter than in the system, and the threads of a process share one interpreter
lock, so two threads are no faster than one. `ReadingProcess` reads batches of a folder's files with its own interpreter
lock. It does not report errors: the caller reads a failed batch again and gets the error, if it persists.

    python -m playdock.storage.small_files DESCRIPTOR

reads batches from standard input and writes their records to standard output. Each message is a length and MessagePack.
"""

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from struct import Struct
from typing import IO, Self

from msgspec import msgpack

from playdock.content.chunks import Digest, digest_small
from playdock.content.errors import UnusableVersion, VersionChanged
from playdock.content.records import FileRecord
from playdock.storage.entries import Files, Reader, TreeEntry, damaged
from playdock.storage.folder_tree import FolderReader, FolderTree
from playdock.storage.locations import VersionLocation

_LENGTH = Struct("<Q")
_BATCH = msgpack.Decoder(list[TreeEntry])
_RECORDS = msgpack.Decoder(list[FileRecord])
# The folder of a process is open already, and the process does not report where an error occurred.
_OPENED = VersionLocation(Path("/"), "")


class ReadingProcess:
    """A process that reads small files of one folder. Used by one thread. Raises OSError if it cannot be started."""

    def __init__(self, tree: FolderTree) -> None:
        folder = tree.location.open()
        # -P: do not search the working directory for modules.
        command = [sys.executable, "-P", "-m", __name__, str(folder)]
        pipe, null = subprocess.PIPE, subprocess.DEVNULL
        try:
            self._process = subprocess.Popen(  # noqa: S603 - fixed command
                command, stdin=pipe, stdout=pipe, stderr=null, pass_fds=(folder,)
            )
        finally:
            os.close(folder)

    def read(self, batch: list[TreeEntry]) -> list[FileRecord] | None:
        """Return the records of a batch, or None if one of its files cannot be read or the process has ended."""
        try:
            _send(self._process.stdin, msgpack.encode(batch))
            response = _receive(self._process.stdout)
        except OSError:
            return None
        return _RECORDS.decode(response) if response else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()


@contextmanager
def reading_process(tree: Files) -> Iterator[ReadingProcess | None]:
    """Start a process for the files of a folder. Yield None for an archive, or if the process cannot be started."""
    if not isinstance(tree, FolderTree):
        yield None
        return
    with ExitStack() as stack:
        try:
            process = stack.enter_context(ReadingProcess(tree))
        except OSError:
            process = None
        yield process


def read_small_files(batch: Iterable[TreeEntry], reader: Reader) -> Iterator[FileRecord]:
    """Read files of at most `MIN_CHUNK` bytes and yield their records. Raises as `Reader` does."""
    for entry in batch:
        yield record_of(entry, digest_small(reader.read(entry)))


def record_of(entry: TreeEntry, digest: Digest) -> FileRecord:
    """Return the record of a file that has been read. Raises UnusableVersion if its CRC-32 is wrong."""
    if entry.crc32 is not None and entry.crc32 != digest.crc32:
        raise damaged(entry.path)
    return FileRecord(entry.path, entry.size, entry.mode, entry.mtime_ns, digest.crc32, digest.hash, digest.chunks)


def _serve_batches(folder: int, *, requests: IO[bytes], responses: IO[bytes]) -> None:
    """Respond to each batch with its records, or an empty message if a file cannot be read, until the input ends."""
    with FolderReader(folder, _OPENED) as reader:
        while packed := _receive(requests):
            try:
                records = list(read_small_files(_BATCH.decode(packed), reader))
            except (OSError, UnusableVersion, VersionChanged):
                _send(responses, b"")
            else:
                _send(responses, msgpack.encode(records))


def _send(stream: IO[bytes] | None, packed: bytes) -> None:
    assert stream is not None
    stream.write(_LENGTH.pack(len(packed)) + packed)
    stream.flush()


def _receive(stream: IO[bytes] | None) -> bytes:
    """Return the next message, or an empty one if the stream ends before a complete message."""
    assert stream is not None
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return b""
    (length,) = _LENGTH.unpack(head)
    packed = stream.read(length)
    return packed if len(packed) == length else b""


if __name__ == "__main__":
    _serve_batches(int(sys.argv[1]), requests=sys.stdin.buffer, responses=sys.stdout.buffer)
