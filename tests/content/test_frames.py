"""Bytes compressed on the way: any decoder reads them, and the table at the end leads to each frame."""

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
    """Bytes that can be compressed, and are different everywhere."""
    random = Random(seed)
    return bytes(random.choices(b"abcdefgh", k=size))


def cut(data: bytes, size: int) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


def plain(packed: bytes) -> bytes:
    """What a decoder that knows nothing of the table reads."""
    with zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True) as reader:
        return reader.read()


def table(packed: bytes) -> list[tuple[int, int]]:
    """The entries of the seek table: compressed and plain sizes, read from the end as its format says."""
    count, descriptor, magic = unpack("<IBI", packed[-9:])
    assert (descriptor, magic) == (0, 0x8F92EAB1)
    length = 8 * count + 9
    assert unpack("<II", packed[-length - 8 : -length]) == (0x184D2A5E, length)
    return [unpack_from("<II", packed, len(packed) - length + 8 * number) for number in range(count)]


@given(st.lists(st.integers(1, 300 * KIB), max_size=12), st.integers(1, 700 * KIB))
def test_what_is_unpacked_is_what_was_packed(lengths: list[int], piece: int) -> None:
    data = text(1000) * (sum(lengths) // 1000 + 1)
    data = data[: sum(lengths)]
    assert plain(b"".join(frames(cut(data, piece), lengths))) == data


def test_each_frame_of_the_table_is_unpacked_by_itself() -> None:
    lengths = [400 * KIB, 500 * KIB, 300 * KIB, FRAME_SIZE, 70 * KIB]
    data = text(sum(lengths))

    packed = b"".join(frames(cut(data, 64 * KIB), lengths))

    entries = table(packed)
    assert [size for _, size in entries] == [900 * KIB, 300 * KIB, FRAME_SIZE, 70 * KIB]
    starts = accumulate((size for size, _ in entries), initial=0)
    alone = [
        zstandard.decompress(packed[start : start + size]) for start, (size, _) in zip(starts, entries, strict=False)
    ]
    assert b"".join(alone) == data


def test_nothing_is_an_empty_table() -> None:
    packed = b"".join(frames([], []))
    assert (table(packed), plain(packed)) == ([], b"")


def test_frames_come_as_soon_as_their_bytes_do() -> None:
    pieces = iter([text(FRAME_SIZE), text(FRAME_SIZE, seed=2)])
    packed = frames(pieces, [FRAME_SIZE, FRAME_SIZE])
    next(packed)
    assert next(pieces) == text(FRAME_SIZE, seed=2)


def test_bytes_that_end_too_early_are_no_frame() -> None:
    with pytest.raises(ValueError, match="fewer bytes"):
        list(frames([b"abc"], [4]))


@pytest.mark.skipif(shutil.which("zstd") is None, reason="needs the program zstd")
def test_the_zstd_program_reads_it() -> None:
    data = text(3 * FRAME_SIZE)
    packed = b"".join(frames([data], [FRAME_SIZE] * 3))
    read = subprocess.run(["zstd", "-d", "-c"], input=packed, capture_output=True, check=True)
    assert read.stdout == data
