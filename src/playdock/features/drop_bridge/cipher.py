"""The cipher of Drop's depots: AES-128 whose counter is the first half of the IV, a little-endian number.

Loaded with the first chunk.
"""

from array import array
from collections.abc import Iterable, Iterator
from itertools import chain
from sys import byteorder

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import ECB

_BLOCK_BYTES = 16
_COUNTERS = 2**64


class CounterCipher:
    """Encrypts a stream piece by piece; decrypting is the same."""

    def __init__(self, key: bytes, iv: bytes) -> None:
        # ECB, because the counters are made here: other modes count in another byte order.
        self._encryptor = Cipher(AES(key), ECB()).encryptor()  # noqa: S305
        self._counter = int.from_bytes(iv[:8], "little")
        self._constant = array("Q", iv[8:])
        self._left = b""

    def update(self, data: bytes) -> bytes:
        """Return the next bytes, encrypted."""
        missing = max(len(data) - len(self._left), 0)
        stream = self._left + self._encryptor.update(self._counters(-(-missing // _BLOCK_BYTES)))
        used, self._left = stream[: len(data)], stream[len(data) :]
        return (int.from_bytes(data, byteorder) ^ int.from_bytes(used, byteorder)).to_bytes(len(data), byteorder)

    def _counters(self, count: int) -> bytes:
        first = self._counter
        self._counter = (first + count) % _COUNTERS
        numbers = range(first, min(first + count, _COUNTERS))
        blocks = array("Q", bytes(count * _BLOCK_BYTES))
        values = array("Q", chain(numbers, range(count - len(numbers))))
        if byteorder == "big":
            values.byteswap()
        blocks[0::2], blocks[1::2] = values, self._constant * count
        return blocks.tobytes()


def encrypted(pieces: Iterable[bytes], key: bytes, iv: bytes) -> Iterator[bytes]:
    """Yield pieces, encrypted."""
    cipher = CounterCipher(key, iv)
    return (cipher.update(piece) for piece in pieces)
