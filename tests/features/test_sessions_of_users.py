"""Sessions of users in the hands of admins."""

import pytest

from world import World

UNKNOWN = "00000000-0000-4000-8000-000000000000"


def path(user: str) -> str:
    return f"/api/v1/admin/users/{user}/session"


def test_an_admin_sees_the_sessions_of_a_user(world: World) -> None:
    admin, bob = world.admin(), world.person("bob")
    world.browser("bob")

    seen = admin.get(path(bob.user["id"])).json()

    own = bob.get("/api/v1/user/session").json()
    assert len(seen) == 2
    assert seen == [{**each, "current": False} for each in own]


def test_the_current_session_is_marked(world: World) -> None:
    admin = world.admin()
    world.browser("ada")
    assert sorted(each["current"] for each in admin.get(path(admin.user["id"])).json()) == [False, True]


def test_sessions_ended_by_an_admin_stop_working_immediately(world: World) -> None:
    admin, bob = world.admin(), world.person("bob")
    browser = world.browser("bob")
    assert [caller.get("/api/v1/user/session").status_code for caller in (bob, browser)] == [200, 200]

    ended = admin.delete(path(bob.user["id"]))

    assert (ended.status_code, ended.content) == (204, b"")
    assert [caller.get("/api/v1/user/session").status_code for caller in (bob, browser)] == [401, 401]
    assert admin.get(path(bob.user["id"])).json() == []


def test_tokens_and_sessions_of_other_users_are_kept(world: World) -> None:
    admin, bob, eve = world.admin(), world.person("bob"), world.person("eve")
    program = world.token_of(bob, "user:read")

    admin.delete(path(bob.user["id"]))

    assert [caller.get("/api/v1/user").status_code for caller in (admin, eve, program)] == [200, 200, 200]
    assert world.sign_in("bob").status_code == 200


def test_an_unknown_user_is_not_found(world: World) -> None:
    admin = world.admin()
    answers = [admin.get(path(UNKNOWN)), admin.delete(path(UNKNOWN))]
    assert [(answer.status_code, answer.json()["type"]) for answer in answers] == [(404, "user-unknown")] * 2


@pytest.mark.parametrize(("acl", "statuses"), [("system:user:read", (200, 403)), ("system:user:update", (403, 204))])
def test_listing_and_ending_sessions_require_different_permissions(
    world: World, acl: str, statuses: tuple[int, int]
) -> None:
    admin, bob = world.admin(), world.person("bob")
    program = world.token_of(admin, acl)
    sessions = path(bob.user["id"])
    assert (program.get(sessions).status_code, program.delete(sessions).status_code) == statuses
    assert bob.get(sessions).status_code in (401, 403)
