"""In which coding an answer is sent (RFC 9110, section 12.5.3), and how what is stored by zstd gets into it."""

import zlib
from collections.abc import Iterator, Sequence
from enum import StrEnum

import zstandard

_GZIP = 16 + zlib.MAX_WBITS
_QUICK = 3


class Coding(StrEnum):
    """A content coding."""

    BROTLI = "br"
    ZSTD = "zstd"
    GZIP = "gzip"
    IDENTITY = "identity"


_ON_THE_WAY = (Coding.ZSTD, Coding.GZIP)


def choose_coding(accept_encoding: str | None, *, offered: Sequence[Coding] = _ON_THE_WAY) -> Coding:
    """Choose what the caller takes of what is offered, the first before the next, unless it weighs one higher."""
    weights = dict(_weight(part) for part in (accept_encoding or "").split(",") if part.strip())
    everything = weights.get("*", 0.0)
    offers = {coding: weights.get(coding.value, everything) for coding in offered}
    best = max(offers, key=lambda coding: offers[coding], default=Coding.IDENTITY)
    return best if offers.get(best, 0) > 0 else Coding.IDENTITY


def headers_of(coding: Coding) -> dict[str, str]:
    """Give what tells the caller, and caches in between, about a coding that was chosen."""
    told = {} if coding is Coding.IDENTITY else {"Content-Encoding": coding.value}
    return {"Vary": "Accept-Encoding", **told}


def coded(content: bytes, coding: Coding) -> bytes:
    """Give content in a coding, packed as quickly as is worth while on the way."""
    if coding is Coding.ZSTD:
        return zstandard.compress(content, _QUICK)
    return zlib.compress(content, level=_QUICK, wbits=_GZIP) if coding is Coding.GZIP else content


def recoded(stored: Iterator[bytes], coding: Coding) -> Iterator[bytes]:
    """Give what is stored by zstd in another coding, piece by piece."""
    if coding is Coding.ZSTD:
        return stored
    plain = _unpacked(stored)
    return _gzipped(plain) if coding is Coding.GZIP else plain


def _weight(part: str) -> tuple[str, float]:
    name, _, parameters = part.partition(";")
    text = parameters.strip().removeprefix("q=")
    try:
        weight = float(text) if parameters.strip() else 1.0
    except ValueError:
        weight = 0.0
    return name.strip().lower(), weight


def _unpacked(pieces: Iterator[bytes]) -> Iterator[bytes]:
    unpacker = zstandard.ZstdDecompressor().decompressobj()
    for piece in pieces:
        yield unpacker.decompress(piece)


def _gzipped(pieces: Iterator[bytes]) -> Iterator[bytes]:
    packer = zlib.compressobj(level=3, wbits=_GZIP)
    for piece in pieces:
        yield packer.compress(piece)
    yield packer.flush()
