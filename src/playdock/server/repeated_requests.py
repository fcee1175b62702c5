"""Requests of a connection that differ only in their range, so that they need not be parsed again.

A client that downloads in ranges sends the same bytes again and again, except for the numbers of the range. When the
application has responded to such a request, it can offer a function that responds to the following ones
(`offer_to_repeat`). They do not reach the parser and the application.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

from litestar.types import Scope

from playdock.sending.limits import TransferPermit
from playdock.sending.transfer import WRITER_EXTENSION

_RANGE = re.compile(rb"\r\nrange:[ \t]*([^\r\n]*)(?=\r\n)", re.IGNORECASE)
_VALUE = re.compile(rb"bytes=[0-9]{1,19}-[0-9]{1,19}")
_END = b"\r\n\r\n"


@dataclass(frozen=True, slots=True)
class ReadyResponse:
    """All bytes of a response, and the permit to send them."""

    data: bytes | bytearray
    permit: TransferPermit


# Called with the value of the ``Range`` header, and with the lines that the server adds to the response's header. It
# must not wait, and returns None if the request must be parsed and passed to the application.
Repeat: TypeAlias = Callable[[bytes, bytes], ReadyResponse | None]


@dataclass(frozen=True, slots=True)
class RepeatedRequest:
    """The bytes before and after the value of the ``Range`` header, and the function that responds."""

    before: bytes
    after: bytes
    repeat: Repeat

    @classmethod
    def of(cls, request: bytes, repeat: Repeat) -> Self | None:
        """Take the bytes of a request without a body, None if they do not have that form."""
        ranges = list(_RANGE.finditer(request))
        if len(ranges) != 1 or not _VALUE.fullmatch(ranges[0][1]) or request.find(_END) != len(request) - len(_END):
            return None
        return cls(request[: ranges[0].start(1)], request[ranges[0].end(1) :], repeat)

    def range_of(self, request: bytes) -> bytes | None:
        """Return the value of the ``Range`` header if nothing else has changed."""
        if not (request.startswith(self.before) and request.endswith(self.after)):
            return None
        match = _VALUE.fullmatch(request, len(self.before), len(request) - len(self.after))
        return match[0] if match else None


def offer_to_repeat(scope: Scope, repeat: Repeat) -> None:
    """Offer to respond to the next requests of the connection, if the server has `ZeroCopyProtocol`."""
    extension: Any = (scope.get("extensions") or {}).get(WRITER_EXTENSION)
    if extension is not None:
        extension["protocol"].repeat_with(repeat)
