"""What came compressed, unpacked within bounds: whoever sends it must not decide how much memory it takes."""

from typing import Protocol

import zstandard

from playdock_client.errors import BadAnswer
from playdock_client.transport import Body, Broken

_LARGEST_WINDOW = 2**27
_READ = 128 * 1024
_LARGEST_TABLE = 1024 * 1024


class Plain(Protocol):
    """Where the bytes of an image come from, plain or unpacked on the way."""

    @property
    def etag(self) -> str: ...

    def exactly(self, size: int) -> bytes: ...

    def shut(self) -> None: ...


class Frames:
    """A body of zstd frames, read as the plain bytes; what is unpacked is never more than was asked for."""

    def __init__(self, body: Body) -> None:
        self._body = body
        unpacker = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW)
        self._plain = unpacker.stream_reader(_Packed(body), read_across_frames=True, read_size=_READ)  # type: ignore[arg-type]

    @property
    def etag(self) -> str:
        return self._body.etag

    def exactly(self, size: int) -> bytes:
        """Read so many plain bytes. Raises Broken if there are fewer, BadAnswer if they are not compressed so."""
        pieces, left = [], size
        while left:
            try:
                piece = self._plain.read(left)
            except zstandard.ZstdError as error:
                raise BadAnswer("What the server compressed cannot be unpacked.") from error
            if not piece:
                raise Broken("The server broke off in the middle of its answer.")
            pieces.append(piece)
            left -= len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def shut(self) -> None:
        self._body.shut()

    def finish(self) -> None:
        """Read the table at the end, so that the connection can be used again."""
        self._body.all(_LARGEST_TABLE)


class _Packed:
    """A body as the file that the unpacker wants."""

    def __init__(self, body: Body) -> None:
        self._body = body

    def read(self, size: int) -> bytes:
        return self._body.some(size)


def unpacked(data: bytes, coding: str, *, most: int) -> bytes:
    """Undo a content coding. Raises BadAnswer for more than `most` bytes."""
    if coding in ("", "identity"):
        return data
    if coding != "zstd":
        raise BadAnswer("The server answers in a coding that it was not asked for.")
    try:
        with zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW).stream_reader(data) as reader:
            plain = reader.read(most + 1)
    except zstandard.ZstdError as error:
        raise Broken("The server's answer cannot be unpacked.") from error
    if len(plain) > most:
        raise BadAnswer("The server's answer is larger than any can be.")
    return plain
