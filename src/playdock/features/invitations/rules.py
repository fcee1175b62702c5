"""Pure decisions about invitations."""

import uuid
from datetime import datetime, timedelta

from msgspec import Struct

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.kit.clock import as_utc
from playdock.kit.errors import FieldError, InvalidInput
from playdock.kit.messages import Message

# Every invitation expires; the limit rejects mistyped years without restricting anyone.
_MAX_LIFETIME = timedelta(days=101 * 365.25)
# The first admin's link is in the log of the server; it is replaced at the next start after it has expired.
FIRST_LIFETIME = timedelta(days=7)


class InvitationInfo(Struct, frozen=True):
    """An invitation with its id, which is the secret of its link; only its encrypted form is stored."""

    id: str
    is_admin: bool
    username: str | None
    email: str | None
    expires: datetime


def shows_secret(actor: Actor, *, is_admin: bool) -> bool:
    """Return whether an actor may see an invitation's id, with which anyone can redeem it."""
    return actor.may(Permission.INVITATION_NEW) and (not is_admin or actor.may(Permission.ADMINS_UPDATE))


def is_plain(stored_id: str) -> bool:
    """Return whether a stored id is not encrypted, as in releases before 0.2: a UUID."""
    try:
        uuid.UUID(stored_id)
    except ValueError:
        return False
    return True


def page(invitation_id: str) -> str:
    """Return the path of the page to which an invitation's link leads."""
    return f"/auth/register?id={invitation_id}"


def expiry(expires: datetime, *, now: datetime) -> datetime:
    """Return when an invitation expires, in UTC.

    Raises:
        InvalidInput: it is in the past, or more than 101 years ahead.
    """
    moment = as_utc(expires)
    if not now < moment <= now + _MAX_LIFETIME:
        raise InvalidInput([FieldError("expires", Message("expiry-of-invitation"))])
    return moment
