"""The permissions of actors."""

from datetime import datetime

import pytest

from playdock.auth.actor import Actor, Credential, CredentialKind, UserInfo
from playdock.auth.errors import PermissionMissing, SessionRequired
from playdock.auth.permissions import USER_PERMISSIONS, Permission

ADA = UserInfo("id", "ada", "Ada", "ada@example.org", "picture", admin=False, enabled=True)
FOR_EVER: datetime | None = None


def actor(kind: CredentialKind) -> Actor:
    return Actor(ADA, USER_PERMISSIONS, Credential(kind, "id", FOR_EVER))


def test_an_actor_with_a_permission_passes() -> None:
    actor(CredentialKind.TOKEN).require(Permission.USER_READ)

    assert actor(CredentialKind.TOKEN).may(Permission.USER_READ)


def test_the_error_names_the_missing_permission() -> None:
    with pytest.raises(PermissionMissing, match="system:user:read"):
        actor(CredentialKind.SESSION).require(Permission.ADMIN_USER_READ)


def test_a_token_is_not_a_session() -> None:
    actor(CredentialKind.SESSION).require_session()

    with pytest.raises(SessionRequired):
        actor(CredentialKind.TOKEN).require_session()
