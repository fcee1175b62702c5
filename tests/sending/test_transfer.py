"""Transfers: every byte in its order, whatever the socket takes at a time, and no more memory than a stint needs."""

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
from playdock.content.damage import FileFault
from playdock.content.file_table import ServedFile
from playdock.sending.files import ContentGone, OpenedFile
from playdock.sending.transfer import GATHERED, State, Transfer, check_first

MIB = 1024 * 1024
EVERYTHING = 1 << 40


@dataclass
class Folder:
    """Files to send, and how many of them are open."""

    root: Path
    opened: list[OpenedFile] = field(default_factory=list)

    def file(self, path: str, content: bytes) -> ServedFile:
        place = self.root / path
        place.write_bytes(content)
        return ServedFile(0, path, len(content), 0o644, place.stat().st_mtime_ns, 0, b"")

    def open(self, file: ServedFile) -> OpenedFile:
        try:
            descriptor = os.open(self.root / file.path, os.O_RDONLY)
        except FileNotFoundError:
            raise ContentGone(file, FileFault.MISSING) from None
        self.opened.append(OpenedFile(file, descriptor, 0, file.size, file.mtime_ns))
        return self.opened[-1]

    def check(self, file: ServedFile) -> None:
        self.open(file).close()

    def rest(self) -> None: ...

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
    """A socket that does not block, and its reader."""
    sender, reader = socket.socketpair()
    sender.setblocking(False)
    reader.setblocking(False)
    with sender, reader:
        yield sender, reader


Ends = tuple[socket.socket, socket.socket]


def span(file: ServedFile, offset: int = 0, length: int | None = None) -> Span:
    return Span(file, offset, file.size - offset if length is None else length)


def drained(reader: socket.socket, most: int = EVERYTHING) -> bytes:
    """What the reader can read now."""
    found = bytearray()
    with suppress(BlockingIOError):
        while len(found) < most and (piece := reader.recv(min(65_536, most - len(found)))):
            found += piece
    return bytes(found)


def received(transfer: Transfer, ends: Ends, *, most: int = EVERYTHING, appetite: int = EVERYTHING) -> bytes:
    """Take stints until all is sent, reading between them."""
    sender, reader = ends
    found = b""
    state = State.INTERRUPTED
    while state is not State.DONE:
        state = transfer.stint(sender.fileno(), most=most).state
        found += drained(reader, appetite)
    transfer.close()
    return found + drained(reader)


def test_long_and_short_pieces_come_in_their_order(folder: Folder, ends: Ends) -> None:
    random = Random(1)
    contents = [random.randbytes(size) for size in (10, 3 * MIB, 0, 700, GATHERED, GATHERED - 1, 5)]
    files = [folder.file(str(number), content) for number, content in enumerate(contents)]
    pieces: list[Piece] = [b"head", *(span(file) for file in files if file.size), b"tail"]
    transfer = Transfer(iter(pieces), folder)
    assert received(transfer, ends) == b"head" + b"".join(contents) + b"tail"
    assert folder.still_open == 0


def test_a_part_of_a_file_is_sent_from_its_place(folder: Folder, ends: Ends) -> None:
    content = Random(2).randbytes(2 * MIB)
    file = folder.file("a", content)
    pieces = [span(file, 1000, MIB), span(file, 7, 9)]
    assert received(Transfer(iter(pieces), folder), ends) == content[1000 : 1000 + MIB] + content[7:16]


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 1 << 30), most=st.sampled_from([999, 70_000, MIB, EVERYTHING]))
def test_any_turns_give_the_same_bytes(seed: int, most: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder, random = Folder(tmp_path_factory.mktemp("files")), Random(seed)
    sizes = [random.choice([1, 100, 30_000, GATHERED, 400_000]) for _ in range(random.randrange(1, 8))]
    sizes = [min(size, 2000) for size in sizes] if most < 1000 else sizes
    contents = [random.randbytes(size) for size in sizes]
    pieces = [span(folder.file(str(number), content)) for number, content in enumerate(contents)]
    sender, reader = socket.socketpair()
    with sender, reader:
        sender.setblocking(False)
        reader.setblocking(False)
        found = received(
            Transfer(iter(pieces), folder), (sender, reader), most=most, appetite=random.choice([999, MIB])
        )
    assert found == b"".join(contents)
    assert folder.still_open == 0


def test_a_full_socket_ends_the_stint(folder: Folder, ends: Ends) -> None:
    transfer = Transfer(iter([span(folder.file("a", bytes(8 * MIB)))]), folder)
    stint = transfer.stint(ends[0].fileno(), most=EVERYTHING)
    assert stint.state is State.FULL
    assert 0 < stint.sent < 8 * MIB
    assert transfer.stint(ends[0].fileno(), most=EVERYTHING).sent == 0
    transfer.close()
    assert folder.still_open == 0


def test_a_turn_sends_no_more_than_it_may(folder: Folder, ends: Ends) -> None:
    pieces = [span(folder.file("a", bytes(MIB))), span(folder.file("b", bytes(100)))]
    transfer = Transfer(iter(pieces), folder)
    stint = transfer.stint(ends[0].fileno(), most=1234)
    assert (stint.state, stint.sent) == (State.INTERRUPTED, 1234)
    assert len(drained(ends[1])) == 1234
    transfer.close()


def test_many_small_files_are_never_all_open(folder: Folder, ends: Ends) -> None:
    files = [folder.file(str(number), b"x" * 100) for number in range(500)]
    transfer = Transfer((span(file) for file in files), folder)
    assert len(received(transfer, ends)) == 50_000
    assert folder.still_open == 0


@pytest.mark.parametrize("size", [500, 2 * MIB])
def test_a_file_that_was_written_since_is_not_sent(folder: Folder, ends: Ends, size: int) -> None:
    file = folder.file("a", bytes(size))
    os.utime(folder.root / "a", (1, 1))
    transfer = Transfer(iter([span(file)]), folder)
    with pytest.raises(ContentGone, match="changed"):
        transfer.stint(ends[0].fileno(), most=EVERYTHING)
    transfer.close()
    assert drained(ends[1]) == b""
    assert folder.still_open == 0


def test_a_file_that_is_written_while_it_is_sent_ends_the_transfer(folder: Folder, ends: Ends) -> None:
    file = folder.file("a", bytes(8 * MIB))
    transfer = Transfer(iter([span(file)]), folder)
    transfer.stint(ends[0].fileno(), most=EVERYTHING)
    (folder.root / "a").write_bytes(b"other" * 100)
    drained(ends[1])
    with pytest.raises(ContentGone):
        transfer.stint(ends[0].fileno(), most=EVERYTHING)
    transfer.close()
    assert folder.still_open == 0


def test_a_reader_who_has_gone_ends_the_transfer(folder: Folder, ends: Ends) -> None:
    transfer = Transfer(iter([span(folder.file("a", bytes(8 * MIB)))]), folder)
    transfer.stint(ends[0].fileno(), most=EVERYTHING)
    ends[1].close()
    with pytest.raises((BrokenPipeError, ConnectionResetError)):
        transfer.stint(ends[0].fileno(), most=EVERYTHING)
    transfer.close()
    assert folder.still_open == 0


def test_the_first_files_are_looked_at_before_anything_is_promised(folder: Folder) -> None:
    files = [folder.file(str(number), b"x") for number in range(300)]
    check_first(iter([span(file) for file in files]), folder)
    assert folder.still_open == 0
    (folder.root / "200").unlink()
    with pytest.raises(ContentGone, match="missing"):
        check_first(iter([span(file) for file in files]), folder)
