"""Transfers: all bytes in order, however much the socket accepts at a time, with bounded memory."""

import os
import socket
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playdock.content.bodies import Piece, Span
from playdock.content.damage import FileProblem
from playdock.content.file_table import ServedFile
from playdock.sending.files import ContentMismatch, OpenedFile, check_first
from playdock.sending.transfer import MIN_SENDFILE_BYTES, SendState, Transfer

MIB = 1024 * 1024
EVERYTHING = 1 << 40


@dataclass
class Folder:
    """Files to send, with the number of open ones."""

    root: Path
    opened: list[OpenedFile] = field(default_factory=list)

    def file(self, path: str, content: bytes) -> ServedFile:
        place = self.root / path
        place.write_bytes(content)
        return ServedFile(0, path, len(content), 0o644, place.stat().st_mtime_ns, 0, b"")

    def open(self, file: ServedFile, offset: int = 0) -> OpenedFile:
        try:
            descriptor = os.open(self.root / file.path, os.O_RDONLY)
        except FileNotFoundError:
            raise ContentMismatch(file, FileProblem.MISSING) from None
        self.opened.append(OpenedFile(file, descriptor, 0, file.size, file.mtime_ns))
        return self.opened[-1]

    def check(self, file: ServedFile) -> None:
        self.open(file).close()

    def release(self) -> None: ...

    @property
    def still_open(self) -> int:
        return sum(1 for each in self.opened if is_open(each))


def is_open(opened: OpenedFile) -> bool:
    with suppress(OSError):
        return Path(f"/proc/self/fd/{opened.descriptor}").readlink().name == opened.file.path
    return False


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    """A nonblocking socket, and its other end."""
    sender, reader = socket.socketpair()
    sender.setblocking(False)
    reader.setblocking(False)
    with sender, reader:
        yield sender, reader


Ends = tuple[socket.socket, socket.socket]


def span(file: ServedFile, offset: int = 0, length: int | None = None) -> Span:
    return Span(file, offset, file.size - offset if length is None else length)


def drained(reader: socket.socket, max_bytes: int = EVERYTHING) -> bytes:
    """Return everything that can be read now."""
    found = bytearray()
    with suppress(BlockingIOError):
        while len(found) < max_bytes and (piece := reader.recv(min(65_536, max_bytes - len(found)))):
            found += piece
    return bytes(found)


def received(transfer: Transfer, ends: Ends, *, max_bytes: int = EVERYTHING, appetite: int = EVERYTHING) -> bytes:
    """Call `send_some` until everything is sent, reading after each call."""
    sender, reader = ends
    found = b""
    state = SendState.INTERRUPTED
    while state is not SendState.DONE:
        state = transfer.send_some(sender.fileno(), max_bytes=max_bytes).state
        found += drained(reader, appetite)
    transfer.close()
    return found + drained(reader)


def test_long_and_short_pieces_are_sent_in_order(folder: Folder, ends: Ends) -> None:
    random = Random(1)
    contents = [random.randbytes(size) for size in (10, 3 * MIB, 0, 700, MIN_SENDFILE_BYTES, MIN_SENDFILE_BYTES - 1, 5)]
    files = [folder.file(str(number), content) for number, content in enumerate(contents)]
    pieces: list[Piece] = [b"head", *(span(file) for file in files if file.size), b"tail"]
    transfer = Transfer(iter(pieces), folder)
    assert received(transfer, ends) == b"head" + b"".join(contents) + b"tail"
    assert folder.still_open == 0


def test_a_part_of_a_file_is_sent_from_its_offset(folder: Folder, ends: Ends) -> None:
    content = Random(2).randbytes(2 * MIB)
    file = folder.file("a", content)
    pieces = [span(file, 1000, MIB), span(file, 7, 9)]
    assert received(Transfer(iter(pieces), folder), ends) == content[1000 : 1000 + MIB] + content[7:16]


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 1 << 30), max_bytes=st.sampled_from([999, 70_000, MIB, EVERYTHING]))
def test_any_sequence_of_calls_sends_the_same_bytes(
    seed: int, max_bytes: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder, random = Folder(tmp_path_factory.mktemp("files")), Random(seed)
    sizes = [random.choice([1, 100, 30_000, MIN_SENDFILE_BYTES, 400_000]) for _ in range(random.randrange(1, 8))]
    sizes = [min(size, 2000) for size in sizes] if max_bytes < 1000 else sizes
    contents = [random.randbytes(size) for size in sizes]
    pieces = [span(folder.file(str(number), content)) for number, content in enumerate(contents)]
    sender, reader = socket.socketpair()
    with sender, reader:
        sender.setblocking(False)
        reader.setblocking(False)
        found = received(
            Transfer(iter(pieces), folder), (sender, reader), max_bytes=max_bytes, appetite=random.choice([999, MIB])
        )
    assert found == b"".join(contents)
    assert folder.still_open == 0


def test_a_full_socket_ends_the_call(folder: Folder, ends: Ends) -> None:
    transfer = Transfer(iter([span(folder.file("a", bytes(8 * MIB)))]), folder)
    result = transfer.send_some(ends[0].fileno(), max_bytes=EVERYTHING)
    assert result.state is SendState.FULL
    assert 0 < result.sent < 8 * MIB
    assert transfer.send_some(ends[0].fileno(), max_bytes=EVERYTHING).sent == 0
    transfer.close()
    assert folder.still_open == 0


def test_a_call_sends_at_most_its_limit(folder: Folder, ends: Ends) -> None:
    pieces = [span(folder.file("a", bytes(MIB))), span(folder.file("b", bytes(100)))]
    transfer = Transfer(iter(pieces), folder)
    result = transfer.send_some(ends[0].fileno(), max_bytes=1234)
    assert (result.state, result.sent) == (SendState.INTERRUPTED, 1234)
    assert len(drained(ends[1])) == 1234
    transfer.close()


def test_many_small_files_are_never_all_open(folder: Folder, ends: Ends) -> None:
    files = [folder.file(str(number), b"x" * 100) for number in range(500)]
    transfer = Transfer((span(file) for file in files), folder)
    assert len(received(transfer, ends)) == 50_000
    assert folder.still_open == 0


@pytest.mark.parametrize("size", [500, 2 * MIB])
def test_a_file_changed_since_the_import_is_not_sent(folder: Folder, ends: Ends, size: int) -> None:
    file = folder.file("a", bytes(size))
    os.utime(folder.root / "a", (1, 1))
    transfer = Transfer(iter([span(file)]), folder)
    with pytest.raises(ContentMismatch, match="changed"):
        transfer.send_some(ends[0].fileno(), max_bytes=EVERYTHING)
    transfer.close()
    assert drained(ends[1]) == b""
    assert folder.still_open == 0


def test_a_file_that_changes_while_it_is_sent_ends_the_transfer(folder: Folder, ends: Ends) -> None:
    file = folder.file("a", bytes(8 * MIB))
    transfer = Transfer(iter([span(file)]), folder)
    transfer.send_some(ends[0].fileno(), max_bytes=EVERYTHING)
    (folder.root / "a").write_bytes(b"other" * 100)
    drained(ends[1])
    with pytest.raises(ContentMismatch):
        transfer.send_some(ends[0].fileno(), max_bytes=EVERYTHING)
    transfer.close()
    assert folder.still_open == 0


def test_a_closed_connection_ends_the_transfer(folder: Folder, ends: Ends) -> None:
    transfer = Transfer(iter([span(folder.file("a", bytes(8 * MIB)))]), folder)
    transfer.send_some(ends[0].fileno(), max_bytes=EVERYTHING)
    ends[1].close()
    with pytest.raises((BrokenPipeError, ConnectionResetError)):
        transfer.send_some(ends[0].fileno(), max_bytes=EVERYTHING)
    transfer.close()
    assert folder.still_open == 0


def test_the_first_files_are_checked_before_the_header_is_sent(folder: Folder) -> None:
    files = [folder.file(str(number), b"x") for number in range(300)]
    check_first(iter([span(file) for file in files]), folder)
    assert folder.still_open == 0
    (folder.root / "200").unlink()
    with pytest.raises(ContentMismatch, match="missing"):
        check_first(iter([span(file) for file in files]), folder)
