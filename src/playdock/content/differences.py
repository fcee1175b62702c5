"""Differences between old and new bytes, in the manner of bsdiff, which suit programs.

In a program that is built again, most addresses change and the code around them does not. bsdiff finds the regions that
are similar, and subtracts the old bytes from the new ones: what remains is mostly zeros, and the same few differences
again and again, which compress well.

A difference is the number of copies (4 bytes), three columns with a number of 4 bytes for each copy, and as many bytes
as the new ones, all little-endian. A copy skips new bytes since the end of the previous copy (first column) and takes
bytes (second column) of the old ones, at a signed distance from the end of the previous copy there (third column). The
new bytes are the sum of the copied bytes, zero where nothing is copied, and the remaining bytes: in blocks of 16 KiB,
each of which is one integer. Differences of integers compress better than those of bytes, because addresses have
several bytes, and integers are quickly added in Python.

See docs/decisions/0106-programs-have-differences.md, and “Naive differences of executable code” by Colin Percival.
"""

import struct
import sys
from array import array
from collections.abc import Iterator
from typing import NamedTuple

from bsdiff4 import core

MEMORY_FOR_EACH_BYTE = 16
"""The memory for sorting the old bytes, in bytes for each of them."""

# Describing a shorter copy costs more than it saves.
_MIN_COPY_BYTES = 16
_BLOCK_BYTES = 16 * 1024
_CONTROL = struct.Struct("<QQQ")
_SIGN = 2**63


class _Step(NamedTuple):
    """A step of bsdiff: bytes with something to add, then bytes as they are, then a move within the old bytes."""

    added: int
    literal: int
    moved: int


def difference(plain: bytes, old: bytes) -> bytes:
    """Return the difference from old bytes to new ones. It has less than twice the size of these, plus 4 bytes."""
    control, _, _ = core.diff(old, plain)
    skips, lengths, distances = array("i"), array("i"), array("i")
    copied = bytearray(len(plain))
    start = end = old_start = old_end = 0
    for step in _steps(control):
        if step.added >= _MIN_COPY_BYTES:
            skips.append(start - end)
            lengths.append(step.added)
            distances.append(old_start - old_end)
            end, old_end = start + step.added, old_start + step.added
            copied[start:end] = old[old_start:old_end]
        start += step.added + step.literal
        old_start += step.added + step.moved
    columns = map(_little_endian, (skips, lengths, distances))
    return b"".join([struct.pack("<I", len(skips)), *columns, *_subtracted(plain, copied)])


def _subtracted(plain: bytes, copied: bytearray) -> Iterator[bytes]:
    """Yield what is to be added to copied bytes, block by block."""
    for start in range(0, len(plain), _BLOCK_BYTES):
        block = plain[start : start + _BLOCK_BYTES]
        left = int.from_bytes(block, "little") - int.from_bytes(copied[start : start + len(block)], "little")
        yield (left % (1 << 8 * len(block))).to_bytes(len(block), "little")


def _steps(control: bytes) -> Iterator[_Step]:
    for step in _CONTROL.iter_unpack(control):
        yield _Step(*(number if number < _SIGN else _SIGN - number for number in step))


def _little_endian(column: "array[int]") -> bytes:
    if sys.byteorder == "big":
        column.byteswap()
    return column.tobytes()
