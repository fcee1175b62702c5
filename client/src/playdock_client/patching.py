"""Applying patches: new bytes from few bytes of the server and the old bytes on this disk.

What a patch makes is checked chunk by chunk as anything else. Where the old bytes are not what they should be, a patch
is none, or the server does not give it (any more), its chunks are simply left to be fetched.
"""

import threading
from collections.abc import Sequence
from pathlib import Path

import zstandard

from playdock_client.errors import BadAnswer, Refused, VersionChanged
from playdock_client.fetching import Work
from playdock_client.planning import PatchPart, Source
from playdock_client.staging import Reader, Writer
from playdock_client.transport import Body, Broken, Busy

_LARGEST_WINDOW = 2**28
_UNKNOWN = -1
_MOST_REFUSALS = 3


class Patcher:
    """Applies parts of one set of patches to an installation in `folder`."""

    def __init__(self, set_id: str, *, folder: Path, work: Work) -> None:
        self._set_id = set_id
        self._folder = folder
        self._work = work
        # Unpacking takes as much memory as a segment and its prefix are large, so there is one at a time.
        self._unpacking = threading.Lock()

    def apply(self, parts: Sequence[PatchPart]) -> None:
        """Fetch and apply parts that lie beside each other, beginning again where the connection broke."""
        left, refusals = list(parts), 0
        while left:
            try:
                self._stream(left)
            except Broken as broken:
                refusals += isinstance(broken, Busy)
                if refusals >= _MOST_REFUSALS or not self._has_waited(broken):
                    return
            except (BadAnswer, Refused, VersionChanged):
                return

    def _has_waited(self, broken: Broken) -> bool:
        """Wait before another try; when there is to be none, whoever fetches the chunks tells why."""
        try:
            self._work.wait(broken)
        except Broken:
            return False
        return True

    def _stream(self, left: list[PatchPart]) -> None:
        start, last = left[0].segment.offset, left[-1].segment
        fetched = self._work.server.patch_bytes(self._set_id, start, last.offset + last.length, gate=self._work.gate)
        with fetched as body, self._work.crew.watching(body):
            place = start
            while left:
                place = self._next(left[0], body, place=place)
                left.pop(0)

    def _next(self, part: PatchPart, body: Body, *, place: int) -> int:
        """Take the part out of the body, which is read up to `place`, and tell up to where it is read now."""
        segment = part.segment
        body.exactly(segment.offset - place)
        frame = body.exactly(segment.length)
        with self._unpacking:
            plain = self._unpack(part, frame)
            if plain is not None:
                self._work.intake.count(segment.length)
                self._take(part, plain)
        return segment.offset + segment.length

    def _take(self, part: PatchPart, plain: bytes) -> None:
        view, place = memoryview(plain), 0
        with Writer(self._work.staging) as writer:
            for chunk in part.chunks:
                if chunk.number in part.wanted:
                    self._work.intake.take((chunk,), view[place : place + chunk.length], writer=writer)
                place += chunk.length

    def _unpack(self, part: PatchPart, frame: bytes) -> bytes | None:
        old = self._old_bytes(part)
        if old is None:
            return None
        prefix = zstandard.ZstdCompressionDict(old, dict_type=zstandard.DICT_TYPE_RAWCONTENT) if old else None
        try:
            # A frame that says it is larger than agreed would be given the memory it asks for.
            if zstandard.frame_content_size(frame) not in (part.segment.plain, _UNKNOWN):
                return None
            unpacker = zstandard.ZstdDecompressor(dict_data=prefix, max_window_size=_LARGEST_WINDOW)
            plain = unpacker.decompress(frame, max_output_size=part.segment.plain)
        except zstandard.ZstdError:
            return None
        return plain if len(plain) == part.segment.plain else None

    def _old_bytes(self, part: PatchPart) -> bytes | None:
        """Read the prefix, None if it is not there."""
        pieces: list[bytes] = []
        with Reader(self._folder) as reader:
            for path, offset, length in part.segment.old:
                pieces.append(reader.read(Source(path, offset), length))
                if len(pieces[-1]) != length:
                    return None
        return b"".join(pieces)
