"""Codes, names and intervals (RFC 8628, sections 3.2, 3.5 and 6.1)."""

from datetime import datetime, timedelta

from playdock.kit.texts import one_line

CLIENT = "playdock-client"
GRANT = "urn:ietf:params:oauth:grant-type:device_code"
LIFETIME = timedelta(minutes=15)
PAUSE = 5
LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
LENGTH = 8
_SLOWER = 5
_TOLERANCE = timedelta(seconds=1)
_NAMELESS = "A device without a name"


def plain_code(typed: str) -> str:
    """Give a user code as it is stored: whatever is no letter of the alphabet was put in between for people."""
    return "".join(letter for letter in typed.upper() if letter in LETTERS)


def shown_code(code: str) -> str:
    half = LENGTH // 2
    return f"{code[:half]}-{code[half:]}"


def device_name(wanted: str) -> str:
    return one_line(wanted) or _NAMELESS


def is_too_soon(polled: datetime | None, pause: int, *, now: datetime) -> bool:
    """Tell whether a device asks before its pause is over; a second less is the network's fault."""
    return polled is not None and now < polled + timedelta(seconds=pause) - _TOLERANCE


def longer(pause: int) -> int:
    return pause + _SLOWER
