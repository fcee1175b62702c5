"""Pure decisions about invitations."""

from datetime import datetime, timedelta

from playdock.kit.clock import as_utc
from playdock.kit.errors import Fault, InvalidInput

_LONGEST = timedelta(days=101 * 365.25)
FIRST_LIFETIME = timedelta(days=7)


def page(invitation_id: str) -> str:
    """Give the address below the service's own to which an invitation's link leads."""
    return f"/auth/register?id={invitation_id}"


def expiry(wanted: datetime, *, now: datetime) -> datetime:
    """Give the moment at which an invitation ends (decisions 4).

    Raises:
        InvalidInput: it is past, or more than 101 years ahead.
    """
    moment = as_utc(wanted)
    if not now < moment <= now + _LONGEST:
        raise InvalidInput([Fault("expires", "The expiry must lie in the future and at most 101 years ahead.")])
    return moment
