"""The commands `invite` and `token`, which write to the database directly."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from typing import Any

import msgspec

from playdock.audit.rules import Action
from playdock.cli.opening import open_settings
from playdock.configuration import Configuration
from playdock.features.accounts.queries import find_by_name
from playdock.features.invitations import rules
from playdock.features.invitations.schemas import InvitationCreate
from playdock.features.tokens.schemas import TokenCreate
from playdock.kit.bodies import decode
from playdock.kit.clock import as_utc, timestamp, utc_now
from playdock.kit.errors import NotFound
from playdock.kit.security_log import recorded_in
from playdock.web.services import Services
from playdock.web.wiring import wire


class NoSuchUser(NotFound):
    """No user has this user name."""

    def __init__(self, username: str) -> None:
        super().__init__(f"There is no user {username}. Check the spelling.")


def invite(
    configuration: Configuration, *, admin: bool, username: str | None, email: str | None, expires: datetime | None
) -> str:
    """Create an invitation and return its link. The server may be running.

    Raises:
        InvalidInput: values are invalid; all of them are named.
    """
    expiry = as_utc(expires) if expires else utc_now() + rules.FIRST_LIFETIME
    values = {"expires": timestamp(expiry), "isAdmin": admin, "username": username, "email": email}
    data = decode(msgspec.json.encode(values), InvitationCreate)
    with open_services(configuration) as services:
        issued = services.audit_log.record(
            None, Action("create_invitation", (), body=data), lambda: services.invitations.issue(data)
        )
        return services.settings.page(rules.page(issued.id))


def token(configuration: Configuration, *, user: str, name: str, acls: Sequence[str], expires: datetime | None) -> str:
    """Create an API token and return its secret.

    Raises:
        NoSuchUser: no user has the user name.
        InvalidInput, PermissionNotHeld: the permissions cannot be granted, or the expiry is in the past or too late.
    """
    expiry = timestamp(as_utc(expires)) if expires else None
    values: dict[str, Any] = {"name": name, "acls": list(acls), "expiry": expiry}
    data = decode(msgspec.json.encode(values), TokenCreate)
    with open_services(configuration) as services:
        with services.db.read() as session:
            owner = find_by_name(session, user)
        if owner is None:
            raise NoSuchUser(user)
        action = Action("create_token", (), ids={"user_id": owner.id}, body=data)
        return services.audit_log.record(None, action, lambda: services.tokens.create_for(owner, data)).secret


@contextmanager
def open_services(configuration: Configuration) -> Iterator[Services]:
    """Open the services for a command that writes, with its own security log."""
    opened = open_settings(configuration)
    with closing(wire(opened.settings, server_settings=opened)) as services, recorded_in(services.security_log):
        yield services
