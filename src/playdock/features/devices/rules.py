"""Codes, names and intervals of device authorization (RFC 8628, sections 3.2, 3.5 and 6.1)."""

from datetime import datetime, timedelta

from playdock.kit.texts import one_line

CLIENT = "playdock-client"
GRANT = "urn:ietf:params:oauth:grant-type:device_code"
# Enough to find a browser and sign in; short, because guessing user codes must remain hopeless.
LIFETIME = timedelta(minutes=10)
# The default interval of RFC 8628, section 3.2, in seconds.
PAUSE = 5
# The alphabet and length recommended in RFC 8628, section 6.1: no vowels, so that no words appear; 34 bits.
LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
LENGTH = 8
# The increase that RFC 8628, section 3.5, requires after slow_down, in seconds.
_SLOW_DOWN_SECONDS = 5
# Network delays may shorten the time between two requests.
_TOLERANCE = timedelta(seconds=1)
_NAMELESS = "A device without a name"


def plain_code(typed: str) -> str:
    """Return a user code as stored, without separators and other characters."""
    return "".join(letter for letter in typed.upper() if letter in LETTERS)


def shown_code(code: str) -> str:
    half = LENGTH // 2
    return f"{code[:half]}-{code[half:]}"


def device_name(name: str) -> str:
    return one_line(name) or _NAMELESS


def is_too_soon(polled: datetime | None, pause: int, *, now: datetime) -> bool:
    """Return whether a device polls before its interval (``pause``, in seconds) is over."""
    return polled is not None and now < polled + timedelta(seconds=pause) - _TOLERANCE


def longer(pause: int) -> int:
    return pause + _SLOW_DOWN_SECONDS
