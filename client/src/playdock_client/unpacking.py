"""Decompresses responses with limits, so that a server cannot exhaust memory."""

from typing import Protocol

import zstandard

from playdock_client.errors import BadResponse
from playdock_client.transport import Body, Broken

# The limit of zstd's command line tool (--ultra excluded).
MAX_WINDOW_BYTES = 2**27
_READ = 128 * 1024
# The table of frames in a response has a few bytes per frame.
_MAX_TABLE_BYTES = 1024 * 1024


class ImageStream(Protocol):
    """A response with bytes of a version image, decompressed if necessary."""

    @property
    def etag(self) -> str: ...

    def read_exactly(self, size: int) -> bytes: ...

    def abort(self) -> None: ...


class ZstdFrames:
    """A body of zstd frames, read as decompressed bytes. Never decompresses more than requested."""

    def __init__(self, body: Body) -> None:
        self._body = body
        decompressor = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW_BYTES)
        self._reader = decompressor.stream_reader(_ReadableBody(body), read_across_frames=True, read_size=_READ)  # type: ignore[arg-type]

    @property
    def etag(self) -> str:
        return self._body.etag

    def read_exactly(self, size: int) -> bytes:
        """Return `size` decompressed bytes. Raises Broken if there are fewer, BadResponse if they are invalid."""
        pieces, left = [], size
        while left:
            try:
                piece = self._reader.read(left)
            except zstandard.ZstdError as error:
                raise BadResponse("The server sent invalid compressed data.") from error
            if not piece:
                raise Broken("The server closed the connection before the end of its response.")
            pieces.append(piece)
            left -= len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def abort(self) -> None:
        self._body.abort()

    def finish(self) -> None:
        """Read the table at the end, so that the connection can be reused."""
        self._body.read_all(_MAX_TABLE_BYTES)


class _ReadableBody:
    """A body as a file for the decompressor."""

    def __init__(self, body: Body) -> None:
        self._body = body

    def read(self, size: int) -> bytes:
        return self._body.read_some(size)


def decompress(data: bytes, encoding: str, *, max_bytes: int) -> bytes:
    """Return data without its content encoding. Raises BadResponse for more than `max_bytes` bytes."""
    if encoding in ("", "identity"):
        return data
    if encoding != "zstd":
        raise BadResponse("The server used an unsupported Content-Encoding.")
    try:
        with zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW_BYTES).stream_reader(data) as reader:
            plain = reader.read(max_bytes + 1)
    except zstandard.ZstdError as error:
        raise Broken("The response cannot be decompressed.") from error
    if len(plain) > max_bytes:
        raise BadResponse("The response is larger than allowed.")
    return plain
