"""How long a session lasts."""

from datetime import timedelta

_SHORT = timedelta(days=1)
_LONG = timedelta(days=90)
MOST_AGENT_CHARACTERS = 200


def lifetime(*, remember_me: bool) -> timedelta:
    return _LONG if remember_me else _SHORT
