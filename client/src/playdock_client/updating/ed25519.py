"""Verification of Ed25519 signatures (RFC 8032, section 5.1.7).

Only public values are used, so the time that it takes reveals nothing. There is no signing here.
"""

import hashlib
from typing import NamedTuple

KEY_BYTES, SIGNATURE_BYTES = 32, 64
_P = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _P) % _P
_SQRT_MINUS_ONE = pow(2, (_P - 1) // 4, _P)


class _Point(NamedTuple):
    """A point in extended coordinates: x = X/Z, y = Y/Z, xy = T/Z."""

    x: int
    y: int
    z: int
    t: int


def verify(key: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether the owner of a public key has signed a message."""
    if len(key) != KEY_BYTES or len(signature) != SIGNATURE_BYTES:
        return False
    owner, commitment = _decompressed(key), _decompressed(signature[:32])
    scalar = int.from_bytes(signature[32:], "little")
    if owner is None or commitment is None or scalar >= _ORDER:
        return False
    challenge = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % _ORDER
    return _is_equal(_multiply(scalar, _BASE), _add(commitment, _multiply(challenge, owner)))


def _add(p: _Point, q: _Point) -> _Point:
    a, b = (p.y - p.x) * (q.y - q.x) % _P, (p.y + p.x) * (q.y + q.x) % _P
    c, d = 2 * p.t * q.t * _D % _P, 2 * p.z * q.z % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return _Point(e * f % _P, g * h % _P, f * g % _P, e * h % _P)


def _multiply(scalar: int, point: _Point) -> _Point:
    product = _Point(0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            product = _add(product, point)
        point = _add(point, point)
        scalar >>= 1
    return product


def _is_equal(p: _Point, q: _Point) -> bool:
    return (p.x * q.z - q.x * p.z) % _P == 0 and (p.y * q.z - q.y * p.z) % _P == 0


def _decompressed(data: bytes) -> _Point | None:
    """Return the point that 32 bytes encode, None if they encode none."""
    encoded = int.from_bytes(data, "little")
    y, sign = encoded % 2**255, encoded >> 255
    if y >= _P:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P:
        x = x * _SQRT_MINUS_ONE % _P
    if (x * x - square) % _P or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = _P - x
    return _Point(x, y, 1, x * y % _P)


def _base() -> _Point:
    """Return the base point, whose y is 4/5 and whose x is even."""
    point = _decompressed((4 * pow(5, -1, _P) % _P).to_bytes(32, "little"))
    assert point is not None
    return point


_BASE = _base()
