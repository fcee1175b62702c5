"""The lifetime of sessions."""

from datetime import datetime, timedelta

# Without "remember me" the browser also drops the cookie when it is closed; a day covers clients that do not.
_SHORT = timedelta(days=1)
# Users stay signed in between seasons of play, and stolen secrets still become worthless.
_LONG = timedelta(days=90)
# Requests that a browser has sent, or is about to send, with the old secret are not signed out.
REPLACED_LIFETIME = timedelta(minutes=1)
# Enough to recognize a browser in the list of sessions; the header itself may be several KB.
MAX_AGENT_CHARACTERS = 200


def lifetime(*, remember_me: bool) -> timedelta:
    return _LONG if remember_me else _SHORT


def cookie_lifetime(*, created: datetime, expires: datetime, now: datetime) -> timedelta | None:
    """Return how long the browser keeps the cookie of a session, None until it closes."""
    return expires - now if expires - created > _SHORT else None
