"""The CRC-32 of two byte strings in a row is that of zlib."""

from random import Random
from zlib import crc32

import pytest

from playdock.content.crc32 import combine_crc32


@pytest.mark.parametrize("length", [0, 1, 3, 255, 256, 65_537, 1_000_000])
def test_two_values_are_combined_to_that_of_both(length: int) -> None:
    random = Random(length)
    for first in (b"", b"\0", random.randbytes(1000)):
        second = random.randbytes(length)
        assert combine_crc32(crc32(first), crc32(second), length) == crc32(first + second)


def test_terabytes_are_combined_in_any_order() -> None:
    second, third = 1024**4, 1024**5
    pairs_first = combine_crc32(1, combine_crc32(2, 3, third), second + third)
    assert combine_crc32(combine_crc32(1, 2, second), 3, third) == pairs_first
