"""Letting people and programs in, straight in the database."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import msgspec

from playdock.cli.opening import bring_up_to_date
from playdock.features.accounts.queries import find_by_name
from playdock.features.invitations import rules
from playdock.features.invitations.schemas import InvitationDraft
from playdock.features.tokens.schemas import TokenDraft
from playdock.kit.bodies import decode
from playdock.kit.clock import as_utc, timestamp, utc_now
from playdock.kit.errors import NotFound
from playdock.settings import Settings
from playdock.web.services import Services, wire


class NoSuchUser(NotFound):
    """Nobody has that user name."""

    def __init__(self, username: str) -> None:
        super().__init__(f"There is no user {username}.")


def invite(
    settings: Settings, *, admin: bool, username: str | None, email: str | None, expires: datetime | None
) -> str:
    """Create an invitation, also while the server runs, and give its link.

    Raises:
        InvalidInput: naming every value that cannot be used.
    """
    ends = as_utc(expires) if expires else utc_now() + rules.FIRST_LIFETIME
    wanted = {"expires": timestamp(ends), "isAdmin": admin, "username": username, "email": email}
    draft = decode(msgspec.json.encode(wanted), InvitationDraft)
    with _opened(settings) as services:
        return settings.page(rules.page(services.invitations.issue(draft).id))


def token(settings: Settings, *, user: str, name: str, acls: Sequence[str]) -> str:
    """Create an API token and give its secret.

    Raises:
        NoSuchUser: nobody has the user name.
        InvalidInput, AclNotYours: the rights cannot be given.
    """
    wanted: dict[str, Any] = {"name": name, "acls": list(acls)}
    draft = decode(msgspec.json.encode(wanted), TokenDraft)
    with _opened(settings) as services:
        with services.db.read() as session:
            owner = find_by_name(session, user)
        if owner is None:
            raise NoSuchUser(user)
        return services.tokens.create_for(owner, draft).secret


@contextmanager
def _opened(settings: Settings) -> Iterator[Services]:
    services = wire(settings)
    try:
        bring_up_to_date(services)
        yield services
    finally:
        services.db.close()
