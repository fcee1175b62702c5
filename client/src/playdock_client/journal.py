"""Records which chunks have been staged. A chunk is recorded after its bytes have been written.

The first line names the manifest and the boot of the machine. Each following record of eight bytes says that `count`
chunks from number `first` on have been written. Killing the process loses nothing, because the operating system has the
bytes. After a power failure they may be missing, so the chunks are verified.
"""

import errno
import os
import struct
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from playdock_client.atomic_files import write_atomically
from playdock_client.decoding import decode_json

_RECORD = struct.Struct("<II")


class JournalHeader(msgspec.Struct, frozen=True):
    """The manifest of a journal, and the boot during which it was written."""

    etag: str
    boot: str


class Journal:
    """A journal open for writing, which starts with the chunks that are already present."""

    def __init__(self, file: Path, *, header: JournalHeader, done: bytearray) -> None:
        self._lock = threading.Lock()
        known = (number for number, is_done in enumerate(done) if is_done)
        write_atomically(file, msgspec.json.encode(header) + b"\n" + _records(known))
        self._descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0))

    def note(self, numbers: Iterable[int]) -> None:
        """Record chunks whose bytes have been written."""
        records = _records(numbers)
        with self._lock:
            if os.write(self._descriptor, records) < len(records):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def close(self) -> None:
        os.close(self._descriptor)


def read_journal(file: Path, *, chunks: int) -> tuple[JournalHeader, bytearray] | None:
    """Return the header and an array with 1 for each recorded chunk, or None if there is no journal.

    An incomplete last record is ignored.
    """
    try:
        line, _, records = file.read_bytes().partition(b"\n")
        header = decode_json(line, JournalHeader)
    except (FileNotFoundError, msgspec.MsgspecError):
        return None
    done = bytearray(chunks)
    complete = len(records) - len(records) % _RECORD.size
    for first, count in _RECORD.iter_unpack(records[:complete]):
        if first + count <= chunks:
            done[first : first + count] = b"\x01" * count
    return header, done


def this_boot() -> str:
    """Return an id of the current boot.

    Without a boot id of the system this is the boot time. If the clock is changed, the id changes too, and chunks are
    verified again.
    """
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return str(round((time.time() - time.monotonic()) / 10))


def _records(numbers: Iterable[int]) -> bytes:
    return b"".join(_RECORD.pack(first, count) for first, count in _runs(numbers))


def _runs(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    first, count = 0, 0
    for number in numbers:
        if count and number == first + count:
            count += 1
            continue
        if count:
            yield first, count
        first, count = number, 1
    if count:
        yield first, count
