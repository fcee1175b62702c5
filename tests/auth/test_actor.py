"""What an actor may."""

from datetime import datetime

import pytest

from playdock.auth.acls import USER_ACLS, Acl
from playdock.auth.actor import Actor, Credential, CredentialKind, Person
from playdock.auth.errors import NotAllowed, SessionNeeded

ADA = Person("id", "ada", "Ada", "ada@example.org", "picture", admin=False, enabled=True)
FOR_EVER: datetime | None = None


def actor(kind: CredentialKind) -> Actor:
    return Actor(ADA, USER_ACLS, Credential(kind, "id", FOR_EVER))


def test_an_actor_goes_on_with_a_right() -> None:
    actor(CredentialKind.TOKEN).require(Acl.USER_READ)

    assert actor(CredentialKind.TOKEN).may(Acl.USER_READ)


def test_an_actor_without_a_right_is_told_which() -> None:
    with pytest.raises(NotAllowed, match="system:user:read"):
        actor(CredentialKind.SESSION).require(Acl.ADMIN_USER_READ)


def test_a_token_is_no_session() -> None:
    actor(CredentialKind.SESSION).require_session()

    with pytest.raises(SessionNeeded):
        actor(CredentialKind.TOKEN).require_session()
