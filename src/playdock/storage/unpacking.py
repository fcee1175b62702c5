"""Listing and unpacking sequential archives, in a process for each call (`libarchive_process.py`)."""

import os
import select
import signal
import struct
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

import msgspec
from msgspec import Struct, msgpack

from playdock.content.archive_names import ArchiveFormat
from playdock.content.errors import UnusableVersion
from playdock.content.names import printable
from playdock.kit.messages import Message
from playdock.storage.entries import Check
from playdock.storage.library_policy import ArchiveLimits
from playdock.storage.member_lists import Head, Member, Refusal, image_size

_PROGRAM = "playdock.storage.libarchive_process"
_NO_LIBRARY = 3
# Slower than any decompression on a slow machine: by the size of the archive, and by that of its contents.
_ARCHIVE_BYTES_PER_SECOND = 1_000_000
_CONTENT_BYTES_PER_SECOND = 5_000_000
_MIN_PROCESSOR_SECONDS = 60
# The process stops by itself after three seconds, unless a member before the wanted ones is large.
_HEAD_SECONDS = 10
# Often enough to cancel soon.
_POLL_MILLISECONDS = 500
# What the process writes at once.
_PIECE_BYTES = 1024 * 1024
# The process limits the paths to 256 MiB, and a refusal has one path.
_MAX_LIST_BYTES = 1024**3
_MAX_REFUSAL_BYTES = 64 * 1024
_MAX_HEADS_BYTES = 16 * 1024**2
# The process gets no secrets of the service.
_ENVIRONMENT = ("LD_LIBRARY_PATH", "LIBARCHIVE", "PYTHONPATH", "PYTHONHOME")
_MEMBER_CODES = frozenset({"member-encrypted", "member-damaged", "member-irregular"})
_ARCHIVE_CODES = frozenset(
    {"archive-damaged", "archive-encrypted", "archive-memory", "archive-method", "archive-udf", "archive-volumes"}
)
_MEMBERS = msgpack.Decoder(tuple[Member, ...])
_HEAD = msgpack.Decoder(Head)
_REFUSAL = msgpack.Decoder(Refusal)
_LENGTH = struct.Struct("<I")


class _Command(Struct, frozen=True):
    """A command of the process. ``max_files`` is 0 for no limit."""

    verb: str
    archive_format: ArchiveFormat
    processor_seconds: int
    max_files: int = 0
    given: bytes = b""


def list_members(descriptor: int, archive_format: ArchiveFormat, *, limits: ArchiveLimits) -> tuple[Member, ...]:
    """Return the members of an open archive, in its order.

    Raises:
        UnusableVersion: it is damaged, encrypted or has too many files, or libarchive is not installed.
    """
    command = _Command("list", archive_format, _seconds(descriptor, 0), limits.files)
    packed = _output(command, descriptor, most=_MAX_LIST_BYTES)
    try:
        return _MEMBERS.decode(packed)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise UnusableVersion(Message("archive-damaged")) from error


def read_heads(descriptor: int, archive_format: ArchiveFormat, wanted: Mapping[str, int]) -> dict[str, bytes]:
    """Return the first bytes of members, as many as wanted, by path; only of those that are found within seconds."""
    command = _Command("heads", archive_format, _HEAD_SECONDS, given=msgpack.encode(wanted))
    heads: dict[str, bytes] = {}
    packed = bytearray()
    with suppress(UnusableVersion):
        for piece in _run(command, descriptor, check=lambda _: None):
            packed += piece
            if len(packed) > _MAX_HEADS_BYTES:
                break
    with suppress(struct.error, msgspec.DecodeError):
        while packed:
            (length,) = _LENGTH.unpack_from(packed)
            head = _HEAD.decode(packed[_LENGTH.size : _LENGTH.size + length])
            heads[head.path] = head.data
            del packed[: _LENGTH.size + length]
    return heads


def unpack(
    descriptor: int, archive_format: ArchiveFormat, members: Sequence[Member], output: int, *, check: Check
) -> None:
    """Write the contents of the members, one after the other, to an open file.

    ``check`` is called at least every half second, with the number of bytes written; if it raises, this ends.

    Raises:
        UnusableVersion: the archive is damaged.
        OSError: the disk is full or has failed.
    """
    size, written = image_size(members), 0
    command = _Command("unpack", archive_format, _seconds(descriptor, size))
    for piece in _run(command, descriptor, check=check):
        if written + len(piece) > size:
            break
        written += os.pwrite(output, piece, written)
    if written != size:
        raise UnusableVersion(Message("archive-damaged"))


def library_version() -> str | None:
    """Return the version of libarchive, None if it is not installed."""
    done = subprocess.run([*_INTERPRETER, "version"], env=_environment(), capture_output=True, check=False)  # noqa: S603
    if done.returncode or not done.stdout.isdigit():
        return None
    number = int(done.stdout)
    return f"{number // 1_000_000}.{number // 1000 % 1000}.{number % 1000}"


# -P: do not search the working directory for modules.
_INTERPRETER = (sys.executable, "-P", "-m", _PROGRAM)


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    # libarchive decodes names by the locale, and would start programs for formats that it does not know.
    return kept | {"LC_ALL": "C.UTF-8", "PATH": os.devnull}


def _seconds(descriptor: int, size: int) -> int:
    archive = os.fstat(descriptor).st_size
    return _MIN_PROCESSOR_SECONDS + archive // _ARCHIVE_BYTES_PER_SECOND + size // _CONTENT_BYTES_PER_SECOND


def _output(command: _Command, descriptor: int, *, most: int) -> bytearray:
    packed = bytearray()
    for piece in _run(command, descriptor, check=lambda _: None):
        packed += piece
        if len(packed) > most:
            raise UnusableVersion(Message("archive-damaged"))
    return packed


def _run(command: _Command, descriptor: int, *, check: Check) -> Iterator[bytes]:
    """Run a command and yield its output.

    ``check`` is called with the length of the output so far, before each piece and at least every half second. Raises
    UnusableVersion if the command fails.
    """
    with _started(command, descriptor) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        with suppress(BrokenPipeError):
            process.stdin.write(command.given)
        with suppress(BrokenPipeError):
            process.stdin.close()
        poll = select.poll()
        poll.register(process.stdout)
        length = 0
        while True:
            check(length)
            if not poll.poll(_POLL_MILLISECONDS):
                continue
            piece = os.read(process.stdout.fileno(), _PIECE_BYTES)
            if not piece:
                break
            yield piece
            length += len(piece)
        refusal = process.stderr.read(_MAX_REFUSAL_BYTES)
        if status := process.wait():
            raise UnusableVersion(_reason(command, status, refusal))


@contextmanager
def _started(command: _Command, descriptor: int) -> Iterator[subprocess.Popen[bytes]]:
    arguments = (
        command.verb,
        command.archive_format,
        str(descriptor),
        str(command.processor_seconds),
        str(command.max_files),
    )
    pipe = subprocess.PIPE
    with subprocess.Popen(  # noqa: S603 - fixed program
        [*_INTERPRETER, *arguments],
        env=_environment(),
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        pipesize=_PIECE_BYTES,
        pass_fds=(descriptor,),
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def _reason(command: _Command, status: int, refusal: bytes) -> Message:
    if status == _NO_LIBRARY:
        return Message("archive-no-library")
    if status in (-signal.SIGXCPU, -signal.SIGKILL):
        return Message("archive-slow")
    try:
        reason = _REFUSAL.decode(refusal)
    except msgspec.DecodeError:
        return Message("archive-damaged")
    if reason.code in _MEMBER_CODES:
        return Message(reason.code, path=printable(reason.path))
    if reason.code == "archive-files":
        return Message("archive-too-many-files", most=command.max_files)
    return Message(reason.code if reason.code in _ARCHIVE_CODES else "archive-damaged")
