"""Compressed frames: any decoder reads them, and the table at the end locates each frame."""

import shutil
import subprocess
from itertools import accumulate
from random import Random
from struct import unpack, unpack_from

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from playdock.content.frames import FRAME_SIZE, frames

KIB = 1024


def text(size: int, *, seed: int = 1) -> bytes:
    """Return compressible bytes without repeated chunks."""
    random = Random(seed)
    return bytes(random.choices(b"abcdefgh", k=size))


def cut(data: bytes, size: int) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


def joined(lengths: list[int], pieces: list[bytes]) -> bytes:
    return b"".join(frame.data for frame in frames(pieces, lengths))


def decompressed(compressed: bytes) -> bytes:
    """Return what a decoder reads that ignores the table."""
    with zstandard.ZstdDecompressor().stream_reader(compressed, read_across_frames=True) as reader:
        return reader.read()


def table(compressed: bytes) -> list[tuple[int, int]]:
    """Return the compressed and decompressed sizes in the seek table, which is read from its end."""
    count, descriptor, magic = unpack("<IBI", compressed[-9:])
    assert (descriptor, magic) == (0, 0x8F92EAB1)
    length = 8 * count + 9
    assert unpack("<II", compressed[-length - 8 : -length]) == (0x184D2A5E, length)
    return [unpack_from("<II", compressed, len(compressed) - length + 8 * number) for number in range(count)]


@given(st.lists(st.integers(1, 300 * KIB), max_size=12), st.integers(1, 700 * KIB))
def test_decompressing_restores_the_bytes(lengths: list[int], piece: int) -> None:
    data = text(1000) * (sum(lengths) // 1000 + 1)
    data = data[: sum(lengths)]
    assert decompressed(joined(lengths, cut(data, piece))) == data


def test_each_frame_of_the_table_can_be_decompressed_alone() -> None:
    lengths = [400 * KIB, 500 * KIB, 300 * KIB, FRAME_SIZE, 70 * KIB]
    data = text(sum(lengths))

    compressed = joined(lengths, cut(data, 64 * KIB))

    entries = table(compressed)
    assert [size for _, size in entries] == [900 * KIB, 300 * KIB, FRAME_SIZE, 70 * KIB]
    starts = accumulate((size for size, _ in entries), initial=0)
    alone = [
        zstandard.decompress(compressed[start : start + size])
        for start, (size, _) in zip(starts, entries, strict=False)
    ]
    assert b"".join(alone) == data


def test_each_frame_has_the_number_of_bytes_in_it() -> None:
    lengths = [400 * KIB, 500 * KIB, 300 * KIB]
    assert [frame.content for frame in frames([text(sum(lengths))], lengths)] == [900 * KIB, 300 * KIB, 0]


def test_empty_input_yields_an_empty_table() -> None:
    compressed = joined([], [])
    assert (table(compressed), decompressed(compressed)) == ([], b"")


def test_a_frame_is_yielded_as_soon_as_its_bytes_are_available() -> None:
    pieces = iter([text(FRAME_SIZE), text(FRAME_SIZE, seed=2)])
    compressed = frames(pieces, [FRAME_SIZE, FRAME_SIZE])
    next(compressed)
    assert next(pieces) == text(FRAME_SIZE, seed=2)


def test_missing_bytes_raise_an_error() -> None:
    with pytest.raises(ValueError, match="fewer bytes"):
        list(frames([b"abc"], [4]))


@pytest.mark.skipif(shutil.which("zstd") is None, reason="needs the program zstd")
def test_the_zstd_program_decompresses_the_frames() -> None:
    data = text(3 * FRAME_SIZE)
    compressed = joined([FRAME_SIZE] * 3, [data])
    read = subprocess.run(["zstd", "-d", "-c"], input=compressed, capture_output=True, check=True)
    assert read.stdout == data
