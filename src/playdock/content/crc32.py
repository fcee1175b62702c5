"""Combining CRC-32 values, as zlib's ``crc32_combine`` does, which Python's zlib does not offer.

A CRC is the remainder of a polynomial over GF(2). Appending n zero bytes multiplies it by x to the power of 8n, modulo
the polynomial of CRC-32. The most significant bit is the coefficient of x to the power of 0 (RFC 1952, section 8).
"""

_POLYNOMIAL = 0xEDB88320
_ONE, _X = 1 << 31, 1 << 30


def combine_crc32(first: int, second: int, length: int) -> int:
    """Return the CRC-32 of two byte strings in a row from that of each, and the length of the second in bytes."""
    return _product(_power(8 * length), first) ^ second


def _power(exponent: int) -> int:
    """Return x to the power of a number, by repeated squaring."""
    result, square = _ONE, _X
    while exponent:
        if exponent & 1:
            result = _product(result, square)
        square = _product(square, square)
        exponent >>= 1
    return result


def _product(one: int, other: int) -> int:
    result, bit = 0, _ONE
    while bit:
        if one & bit:
            result ^= other
        other = other >> 1 ^ (_POLYNOMIAL if other & 1 else 0)
        bit >>= 1
    return result
