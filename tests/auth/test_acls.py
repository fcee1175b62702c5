"""The vocabulary of rights, and what is left of a token's."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playdock.auth.acls import SYSTEM_ACLS, USER_ACLS, Acl, rights_of, rights_of_token


@pytest.mark.parametrize("acl", list(Acl))
def test_every_right_has_its_form_and_a_sentence(acl: Acl) -> None:
    assert re.fullmatch(r"(user|system)(:[a-z]+)+", acl)
    assert re.fullmatch(r"[A-Z].*\.", acl.description)


def test_a_right_is_the_users_or_the_systems() -> None:
    assert set(Acl) == USER_ACLS | SYSTEM_ACLS
    assert not USER_ACLS & SYSTEM_ACLS
    assert "system:import:game:read" in SYSTEM_ACLS


_DROP = {
    "user": "read update store:read object:read content:read collections:{read,new,delete,add,remove} "
    "library:{add,remove} clients:{read,revoke} notifications:{read,mark,listen,delete} news:read settings:read",
    "system": "auth:read auth:simple:invitation:{read,new,delete} user:{read,update,delete} library:read "
    "library:sources:{read,new,update,delete} import:game:read import:version:read game:{read,update,delete} "
    "game:version:{update,delete} game:image:{new,delete} company:{read,new,update,delete} "
    "tags:{read,new,update,delete} task:{read,start,cancel} maintenance:read settings:update",
}


def test_the_vocabulary_is_drops() -> None:
    named = set[str]()
    for side, rights in _DROP.items():
        for right in rights.split():
            stem, _, verbs = right.partition("{")
            named |= {f"{side}:{stem}{verb}" for verb in verbs.strip("}").split(",")}
    assert named == {acl.value for acl in Acl}


def test_a_person_has_every_user_right_and_an_admin_all() -> None:
    assert rights_of(admin=False) == USER_ACLS
    assert rights_of(admin=True) == set(Acl)


@given(st.lists(st.sampled_from([acl.value for acl in Acl]) | st.text()), st.booleans())
def test_a_token_never_has_more_than_it_was_given_or_its_owner_has(granted: list[str], admin: bool) -> None:  # noqa: FBT001 - drawn
    rights = rights_of_token(granted, admin=admin)

    assert rights <= rights_of(admin=admin)
    assert rights <= set(granted)
