"""When API tokens expire, and how many a user may have."""

from datetime import datetime, timedelta

from playdock.kit.clock import as_utc
from playdock.kit.errors import FieldError, InvalidInput
from playdock.kit.messages import Message

# More than anybody manages; bounds the lists.
MAX_TOKENS = 1000


def expiry(requested: datetime | None, *, now: datetime, max_lifetime: timedelta) -> datetime:
    """Return when a new token expires, in UTC: at the requested time, or else as late as possible.

    Raises:
        InvalidInput: the requested time is in the past, or later than possible.
    """
    latest = now + max_lifetime
    expires = latest if requested is None else as_utc(requested)
    if expires <= now:
        raise InvalidInput([FieldError("expiry", Message("expiry-past"))])
    if expires > latest:
        raise InvalidInput([FieldError("expiry", Message("expiry-of-token", days=max_lifetime.days))])
    return expires
