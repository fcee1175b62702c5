"""Installations of files in memory."""

from collections.abc import Mapping
from random import Random

from playdock.content.bodies import Span
from playdock.content.chunks import MIN_CHUNK, Digest, Digester, digest_small
from playdock.content.layers import Installation, merge
from playdock.content.records import FileRecord, Layer

KIB = 1024


def noise(seed: int, size: int = 1024 * KIB) -> bytes:
    """Return incompressible bytes that depend only on the seed."""
    return Random(seed).randbytes(size)


def installation(files: Mapping[str, bytes]) -> Installation:
    """Return the installation of these files."""
    digester = Digester()
    return merge([Layer(tuple(_record(path, files[path], digester) for path in sorted(files)))])


def read(files: Mapping[str, bytes], spans: tuple[Span, ...]) -> bytes:
    """Return the concatenated bytes of spans."""
    return b"".join(files[span.file.path][span.offset : span.offset + span.length] for span in spans)


def _record(path: str, data: bytes, digester: Digester) -> FileRecord:
    digest = digest_small(data) if len(data) <= MIN_CHUNK else _cut(data, digester)
    return FileRecord(path, len(data), 0o644, 0, digest.crc32, digest.hash, digest.chunks)


def _cut(data: bytes, digester: Digester) -> Digest:
    digester.start()
    left = memoryview(data)
    while left:
        count = min(len(digester.buffer), len(left))
        digester.buffer[:count] = left[:count]
        digester.feed(count)
        left = left[count:]
    return digester.finish()
