"""Choosing the content encoding of a response (RFC 9110, section 12.5.3) and encoding its content."""

import zlib
from collections.abc import Iterator, Sequence
from enum import StrEnum

import zstandard

_GZIP = 16 + zlib.MAX_WBITS
# Content is compressed for each response, so the level favors speed.
_FAST_LEVEL = 3


class ContentEncoding(StrEnum):
    """A content coding, as named in HTTP headers."""

    BROTLI = "br"
    ZSTD = "zstd"
    GZIP = "gzip"
    IDENTITY = "identity"


# The encodings that are produced while sending. Compressing with brotli takes too long for that.
_DYNAMIC = (ContentEncoding.ZSTD, ContentEncoding.GZIP)


def choose_encoding(accept_encoding: str | None, *, offered: Sequence[ContentEncoding] = _DYNAMIC) -> ContentEncoding:
    """Return the offered encoding with the highest weight of ``Accept-Encoding``, the first one of equal weight."""
    weights = dict(_weight(part) for part in (accept_encoding or "").split(",") if part.strip())
    default = weights.get("*", 0.0)
    offers = {encoding: weights.get(encoding.value, default) for encoding in offered}
    best = max(offers, key=lambda encoding: offers[encoding], default=ContentEncoding.IDENTITY)
    return best if offers.get(best, 0) > 0 else ContentEncoding.IDENTITY


def headers_of(encoding: ContentEncoding) -> dict[str, str]:
    """Return the headers of a response with the chosen encoding, for the client and for caches."""
    headers = {} if encoding is ContentEncoding.IDENTITY else {"Content-Encoding": encoding.value}
    return {"Vary": "Accept-Encoding", **headers}


def encode(content: bytes, encoding: ContentEncoding) -> bytes:
    """Return content in an encoding of zstd, gzip or identity, compressed at a fast level."""
    if encoding is ContentEncoding.ZSTD:
        return zstandard.compress(content, _FAST_LEVEL)
    return zlib.compress(content, level=_FAST_LEVEL, wbits=_GZIP) if encoding is ContentEncoding.GZIP else content


def transcode(stored: Iterator[bytes], encoding: ContentEncoding) -> Iterator[bytes]:
    """Return zstd-compressed content in another encoding, piece by piece."""
    if encoding is ContentEncoding.ZSTD:
        return stored
    plain = _decompress(stored)
    return _gzip(plain) if encoding is ContentEncoding.GZIP else plain


def _weight(part: str) -> tuple[str, float]:
    name, _, parameters = part.partition(";")
    text = parameters.strip().removeprefix("q=")
    try:
        weight = float(text) if parameters.strip() else 1.0
    except ValueError:
        weight = 0.0
    return name.strip().lower(), weight


def _decompress(pieces: Iterator[bytes]) -> Iterator[bytes]:
    decompressor = zstandard.ZstdDecompressor().decompressobj()
    for piece in pieces:
        yield decompressor.decompress(piece)


def _gzip(pieces: Iterator[bytes]) -> Iterator[bytes]:
    compressor = zlib.compressobj(level=_FAST_LEVEL, wbits=_GZIP)
    for piece in pieces:
        yield compressor.compress(piece)
    yield compressor.flush()
