"""Differences: applied by the client, they restore any new bytes; those of programs are small."""

import struct
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from content_trees import KIB, noise
from playdock.content.differences import difference
from playdock.content.patches import Effort, compress, compress_difference
from playdock_client.differences import InvalidDifference, apply_difference


def program(moved: int, *, seed: int = 1) -> bytes:
    """Return something like machine code: 20,000 instructions, and addresses that are shifted if code has moved."""
    random = Random(seed)
    code = (random.randbytes(9) + struct.pack("<I", random.randrange(2**20) + moved) for _ in range(20_000))
    return b"".join(code)


@given(
    st.binary(max_size=2000),
    st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 2000), st.binary(max_size=40)), max_size=20),
)
def test_applying_a_difference_restores_any_bytes(old: bytes, parts: list[tuple[int, int, bytes]]) -> None:
    new = b"".join(old[start : start + length] + added for start, length, added in parts)
    made = difference(new, old)
    assert len(made) <= 2 * len(new) + 4
    assert apply_difference(made, old, size=len(new)) == new


@pytest.mark.parametrize("size", [0, 1, 16 * KIB - 1, 16 * KIB, 16 * KIB + 1, 100 * KIB])
def test_sums_are_right_at_the_ends_of_blocks(size: int) -> None:
    old = noise(1, size)
    new = bytes((byte + place) % 256 for place, byte in enumerate(old))
    assert apply_difference(difference(new, old), old, size=size) == new


def test_code_that_was_moved_is_copied_from_where_it_was() -> None:
    old, more = program(0), noise(2, 30 * KIB)
    new = program(64)[130_000:] + more + program(64)[:130_000]
    assert apply_difference(difference(new, old), old, size=len(new)) == new
    assert len(compress_difference(new, old, Effort.HIGH)) < len(more) + len(new) // 8


def test_programs_with_other_addresses_need_less_than_half_as_much() -> None:
    old, new = program(0), program(1 << 12)
    assert 2 * len(compress_difference(new, old, Effort.HIGH)) < len(compress(new, old, Effort.HIGH))


def encoded(*copies: tuple[int, int, int], rest: bytes = b"1234") -> bytes:
    columns = [struct.pack("<i", copy[column]) for column in range(3) for copy in copies]
    return struct.pack("<I", len(copies)) + b"".join(columns) + rest


def test_the_format_is_the_documented_one() -> None:
    """Two new bytes are skipped; then 16 old bytes are added, and 16 from the beginning. A sum above 255 carries."""
    copies = encoded((2, 16, 3), (0, 16, -19), rest=bytes([10, 20, 30, 40]) + bytes(31))
    old = bytes([1, 2, 3, 255, *range(100, 130)])
    assert apply_difference(copies, old, size=35) == (
        bytes([10, 20, (30 + 255) % 256, 40 + 100 + 1]) + old[5:19] + old[:16] + b"\0"
    )


def test_what_exceeds_a_block_is_lost() -> None:
    old = b"\xff" * 20 * KIB
    copies = encoded((0, 20 * KIB, 0), rest=b"\1" + bytes(20 * KIB - 1))
    assert apply_difference(copies, old, size=20 * KIB) == bytes(16 * KIB) + old[: 4 * KIB]


@pytest.mark.parametrize("damaged", [b"", b"\0\0", encoded(rest=b"123"), encoded(rest=b"12345"), b"\xff" * 8])
def test_differences_of_another_size_are_refused(damaged: bytes) -> None:
    with pytest.raises(InvalidDifference):
        apply_difference(damaged, bytes(20), size=4)


@pytest.mark.parametrize(
    "copies",
    [
        [(0, 33, 0)],
        [(17, 16, 0)],
        [(0, 16, 25)],
        [(0, 16, -1)],
        [(-1, 16, 0)],
        [(0, 15, 0)],
        [(16, -1, 0)],
        [(0, 16, 0), (0, 16, -17)],
        [(0, 16, 0), (0, 17, 0)],
        [(0, 16, 0), (0, 16, 0), (0, 0, 0)],
    ],
)
def test_copies_outside_the_bytes_are_refused(copies: list[tuple[int, int, int]]) -> None:
    valid = encoded((0, 16, 0), (0, 16, 8), rest=bytes(32))
    assert apply_difference(valid, bytes(range(40)), size=32) == bytes([*range(16), *range(24, 40)])
    with pytest.raises(InvalidDifference):
        apply_difference(encoded(*copies, rest=bytes(32)), bytes(range(40)), size=32)
