"""The permissions, and those of users and tokens."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playdock.auth.permissions import (
    RESERVED_PERMISSIONS,
    SYSTEM_PERMISSIONS,
    USER_PERMISSIONS,
    Permission,
    grantable_to,
    permissions_of,
    token_permissions,
)


@pytest.mark.parametrize("permission", list(Permission))
def test_every_permission_has_a_valid_name_and_description(permission: Permission) -> None:
    assert re.fullmatch(r"(user|system)(:[a-z]+)+", permission)
    assert re.fullmatch(r"[A-Z].*\.", permission.description)


def test_permissions_are_either_for_users_or_the_system() -> None:
    assert set(Permission) == USER_PERMISSIONS | SYSTEM_PERMISSIONS
    assert not USER_PERMISSIONS & SYSTEM_PERMISSIONS
    assert "system:import:game:read" in SYSTEM_PERMISSIONS


_DROP = {
    "user": "read update store:read object:read content:read collections:{read,new,delete,add,remove} "
    "library:{add,remove} clients:{read,revoke} notifications:{read,mark,listen,delete} news:read settings:read",
    "system": "auth:read auth:simple:invitation:{read,new,delete} user:{read,update,delete} library:read "
    "library:sources:{read,new,update,delete} import:game:read import:version:read game:{read,update,delete} "
    "game:version:{update,delete} game:image:{new,delete} company:{read,new,update,delete} "
    "tags:{read,new,update,delete} task:{read,start,cancel} maintenance:read settings:update",
}
# Permissions that Drop does not have (docs/decisions/0030 on the first).
_OWN = {"system:user:admin:update", "system:audit:read", "user:clients:install"}
_OWN |= {"user:saves:read", "user:saves:update"}
_OWN |= {"user:request:read", "user:request:new", "system:request:update", "system:news:create", "system:news:delete"}
_OWN |= {"system:library:write", "system:events:read", "system:webhook:read", "system:webhook:update"}
_OWN |= {"user:play:read", "user:play:update"}


def test_the_permissions_are_those_of_drop_and_a_few_more() -> None:
    named = set[str]()
    for side, rights in _DROP.items():
        for right in rights.split():
            stem, _, verbs = right.partition("{")
            named |= {f"{side}:{stem}{verb}" for verb in verbs.strip("}").split(",")}
    assert named | _OWN == {permission.value for permission in Permission}


def test_a_user_has_all_user_permissions_and_an_admin_all() -> None:
    assert permissions_of(admin=False) == USER_PERMISSIONS
    assert permissions_of(admin=True) == set(Permission)


@pytest.mark.parametrize("admin", [False, True])
def test_users_can_grant_their_own_unreserved_permissions(*, admin: bool) -> None:
    expected = {each for each in permissions_of(admin=admin) if each not in RESERVED_PERMISSIONS}
    assert grantable_to(admin=admin) == expected


@given(st.lists(st.sampled_from([permission.value for permission in Permission]) | st.text()), st.booleans())
def test_a_token_has_only_granted_permissions_of_its_owner(granted: list[str], admin: bool) -> None:  # noqa: FBT001 - drawn
    rights = token_permissions(granted, admin=admin)

    assert rights <= permissions_of(admin=admin)
    assert rights <= set(granted)
