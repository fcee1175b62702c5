"""Applies patches: computes new bytes from a patch and the old files.

The result is verified chunk by chunk. If the old files have changed, the patch is invalid, or the server no longer has
it, its chunks are downloaded instead.
"""

import threading
from collections.abc import Sequence
from pathlib import Path

import zstandard

from playdock_client.differences import InvalidDifference, apply_difference
from playdock_client.errors import BadResponse, RequestRefused, VersionChanged
from playdock_client.fetching import FetchContext
from playdock_client.planning import PatchPart, Source
from playdock_client.staging import Reader, Writer
from playdock_client.transport import Body, Broken, Busy

# A window must cover a segment and its dictionary: at most 32 and 128 MiB (`planning.py`).
_MAX_WINDOW_BYTES = 2**28
_UNKNOWN = -1
# Besides the new bytes, a difference has 12 bytes for each copy, which has 16 bytes or more, and 4 bytes.
_MAX_DIFFERENCE = 2
_DIFFERENCE_HEAD_BYTES = 4
# A busy server is better relieved of patches: the chunks are downloaded instead.
_MAX_REFUSALS = 3


class Patcher:
    """Applies parts of one patch set to an installation in `folder`."""

    def __init__(self, set_id: str, *, folder: Path, context: FetchContext) -> None:
        self._set_id = set_id
        self._folder = folder
        self._context = context
        # Decompression needs memory for a segment and its dictionary, so only one runs at a time.
        self._decompressing = threading.Lock()

    def apply(self, parts: Sequence[PatchPart]) -> None:
        """Download and apply adjacent parts, resuming after connection failures."""
        remaining, refusals = list(parts), 0
        while remaining:
            try:
                self._stream(remaining)
            except Broken as broken:
                refusals += isinstance(broken, Busy)
                if refusals >= _MAX_REFUSALS or not self._can_retry(broken):
                    return
            except (BadResponse, RequestRefused, VersionChanged):
                return

    def _can_retry(self, broken: Broken) -> bool:
        """Wait before the next attempt; return whether there is one. Otherwise the chunks are downloaded."""
        try:
            self._context.wait(broken)
        except Broken:
            return False
        return True

    def _stream(self, remaining: list[PatchPart]) -> None:
        start, last = remaining[0].segment.offset, remaining[-1].segment
        fetched = self._context.server.patch_bytes(
            self._set_id, start, last.offset + last.length, on_received=self._context.on_received
        )
        with fetched as body, self._context.workers.abortable(body):
            position = start
            while remaining:
                position = self._apply_next(remaining[0], body, position=position)
                remaining.pop(0)

    def _apply_next(self, part: PatchPart, body: Body, *, position: int) -> int:
        """Apply the next part of a body that has been read up to `position`, and return the new position."""
        segment = part.segment
        body.read_exactly(segment.offset - position)
        frame = body.read_exactly(segment.length)
        with self._decompressing:
            data = self._decompress(part, frame)
            if data is not None:
                self._context.sink.count(segment.length)
                self._write_chunks(part, data)
        return segment.offset + segment.length

    def _write_chunks(self, part: PatchPart, data: bytes) -> None:
        view, position = memoryview(data), 0
        with Writer(self._context.staging) as writer:
            for chunk in part.chunks:
                if chunk.number in part.needed:
                    self._context.sink.write((chunk,), view[position : position + chunk.length], writer=writer)
                position += chunk.length

    def _decompress(self, part: PatchPart, frame: bytes) -> bytes | None:
        old = self._old_bytes(part)
        if old is None:
            return None
        try:
            return _from_difference(part, frame, old) if part.is_difference else _from_dictionary(part, frame, old)
        except (zstandard.ZstdError, InvalidDifference):
            return None

    def _old_bytes(self, part: PatchPart) -> bytes | None:
        """Return the old bytes that a segment needs, or None if they are incomplete."""
        pieces: list[bytes] = []
        with Reader(self._folder) as reader:
            for path, offset, length in part.segment.old:
                pieces.append(reader.read(Source(path, offset), length))
                if len(pieces[-1]) != length:
                    return None
        return b"".join(pieces)


def _from_dictionary(part: PatchPart, frame: bytes, old: bytes) -> bytes | None:
    """Decompress a frame with the old bytes as its dictionary."""
    size = part.segment.plain
    data = _decompressed(frame, sizes=range(size, size + 1), dictionary=old)
    return data if data is not None and len(data) == size else None


def _from_difference(part: PatchPart, frame: bytes, old: bytes) -> bytes | None:
    """Decompress a difference and apply it to the old bytes."""
    size = part.segment.plain
    difference = _decompressed(frame, sizes=range(size, _MAX_DIFFERENCE * size + _DIFFERENCE_HEAD_BYTES))
    return None if difference is None else apply_difference(difference, old, size=size)


def _decompressed(frame: bytes, *, sizes: range, dictionary: bytes = b"") -> bytes | None:
    """Return the bytes of a frame, or None if it claims to have another size: no memory is allocated for it."""
    if (size := zstandard.frame_content_size(frame)) not in sizes and size != _UNKNOWN:
        return None
    prefix = zstandard.ZstdCompressionDict(dictionary, dict_type=zstandard.DICT_TYPE_RAWCONTENT) if dictionary else None
    decompressor = zstandard.ZstdDecompressor(dict_data=prefix, max_window_size=_MAX_WINDOW_BYTES)
    return decompressor.decompress(frame, max_output_size=sizes.stop - 1)
