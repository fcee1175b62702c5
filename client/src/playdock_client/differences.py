"""Applies differences: computes new bytes from old ones that are similar, as in programs that were built again.

A difference is the number of copies (4 bytes), three columns with a number of 4 bytes for each copy, and as many bytes
as the new ones, all little-endian. A copy skips new bytes since the end of the previous copy (first column) and takes
bytes (second column) of the old ones, at a signed distance from the end of the previous copy there (third column). The
new bytes are the sum of the copied bytes, zero where nothing is copied, and the remaining bytes: in blocks of 16 KiB,
each of which is one integer.
"""

import struct
import sys
from array import array
from collections.abc import Iterator

_COLUMNS = 3
_COUNT = struct.Struct("<I")
_NUMBER_BYTES = 4
_BLOCK_BYTES = 16 * 1024
# Limits the number of copies, each of which takes time.
_MIN_COPY_BYTES = 16


class InvalidDifference(Exception):
    """A difference is damaged, or is for other old bytes."""


def apply_difference(difference: bytes, old: bytes, *, size: int) -> bytes:
    """Return `size` new bytes.

    Raises:
        InvalidDifference: it cannot be applied to these old bytes.
    """
    if len(difference) < _COUNT.size:
        raise InvalidDifference
    (count,) = _COUNT.unpack_from(difference)
    start = _COUNT.size + _COLUMNS * _NUMBER_BYTES * count
    if len(difference) != start + size or count * _MIN_COPY_BYTES > size:
        raise InvalidDifference
    copied = _copied(memoryview(difference)[_COUNT.size : start], old, size=size)
    return b"".join(_sums(memoryview(difference)[start:], memoryview(copied)))


def _copied(columns: memoryview, old: bytes, *, size: int) -> bytearray:
    """Return the bytes that are copied, at their positions, and zeros in between."""
    copied, end, old_end = bytearray(size), 0, 0
    width = len(columns) // _COLUMNS
    skips, lengths, distances = (_numbers(columns[each * width : (each + 1) * width]) for each in range(_COLUMNS))
    for skip, length, distance in zip(skips, lengths, distances, strict=True):
        start, old_start = end + skip, old_end + distance
        end, old_end = start + length, old_start + length
        if skip < 0 or length < _MIN_COPY_BYTES or old_start < 0 or end > size or old_end > len(old):
            raise InvalidDifference
        copied[start:end] = old[old_start:old_end]
    return copied


def _numbers(column: memoryview) -> "array[int]":
    numbers = array("i", bytes(column))
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def _sums(left: memoryview, right: memoryview) -> Iterator[bytes]:
    """Yield the sums of two arrays of the same size, block by block; what exceeds a block is lost."""
    for start in range(0, len(left), _BLOCK_BYTES):
        one, other = left[start : start + _BLOCK_BYTES], right[start : start + _BLOCK_BYTES]
        most = (1 << 8 * len(one)) - 1
        total = (int.from_bytes(one, "little") + int.from_bytes(other, "little")) & most
        yield total.to_bytes(len(one), "little")
