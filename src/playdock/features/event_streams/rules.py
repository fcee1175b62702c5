"""The text of a stream: server-sent events, as the HTML Standard defines them in section 9.2."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from playdock.domain.events.rules import payload
from playdock.kit.errors import FieldError, InvalidInput
from playdock.kit.messages import Message

# All numbers with so many digits are integers of 64 bits.
_MAX_DIGITS = 18
# Ignored by programs, and noticed by proxies, which close connections that send nothing for a minute.
HEARTBEAT = b":\n\n"


def position_of(last_event_id: str | None) -> int | None:
    """Return the position that a ``Last-Event-ID`` stands for, None without one.

    Raises:
        InvalidInput: it is none that a stream has sent.
    """
    if not last_event_id:
        return None
    if not (last_event_id.isascii() and last_event_id.isdecimal() and len(last_event_id) <= _MAX_DIGITS):
        raise InvalidInput([FieldError("Last-Event-ID", Message("event-id-invalid"))])
    return int(last_event_id)


def text_of(position: int, event_type: str, occurred: datetime, data: Mapping[str, Any]) -> bytes:
    """Return an event as a stream sends it."""
    return f"id: {position}\nevent: {event_type}\ndata: ".encode() + payload(event_type, occurred, data) + b"\n\n"
