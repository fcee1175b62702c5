"""Which chunks of what is being made are on disk already: written behind their bytes, so it never claims too much.

A line says which manifest and since which start of the machine, then each record of eight bytes says that `count`
chunks from number `first` on are there. The bytes were handed to the system before, so a killed process takes nothing
back; a machine that lost its power may, and then what the journal says is only a guess.
"""

import errno
import os
import struct
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from playdock_client.own_folder import write_whole

_RECORD = struct.Struct("<II")


class Claim(msgspec.Struct, frozen=True):
    """What a journal is about; `boot` names this run of the machine."""

    etag: str
    boot: str


class Journal:
    """A journal that is written to; it begins with the chunks that are known to be there."""

    def __init__(self, file: Path, *, claim: Claim, done: bytearray) -> None:
        self._lock = threading.Lock()
        known = (number for number, there in enumerate(done) if there)
        write_whole(file, msgspec.json.encode(claim) + b"\n" + _records(known))
        self._descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0))

    def note(self, numbers: Iterable[int]) -> None:
        """Note down chunks whose bytes were written."""
        records = _records(numbers)
        with self._lock:
            if os.write(self._descriptor, records) < len(records):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def close(self) -> None:
        os.close(self._descriptor)


def read_journal(file: Path, *, chunks: int) -> tuple[Claim, bytearray] | None:
    """Read what a journal is about and mark each of so many chunks that it names with 1; None if there is none.

    A last record that was not written whole is passed over.
    """
    try:
        line, _, records = file.read_bytes().partition(b"\n")
        claim = msgspec.json.decode(line, type=Claim)
    except (FileNotFoundError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
    done = bytearray(chunks)
    whole = len(records) - len(records) % _RECORD.size
    for first, count in _RECORD.iter_unpack(records[:whole]):
        if first + count <= chunks:
            done[first : first + count] = b"\x01" * count
    return claim, done


def this_boot() -> str:
    """Name this run of the machine.

    Where the system does not, the time it began does. If the clock was set meanwhile that is another name, and the only
    harm is that bytes are read once more.
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
