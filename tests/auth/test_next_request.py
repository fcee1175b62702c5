"""Revocations take effect on the next request, regardless of the server process that handles it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from devices import device
from world import PASSWORD, Caller, World, running_world

pytestmark = pytest.mark.both_databases

NEW_PASSWORD = "another good password"


@pytest.fixture
def second_server(world: World) -> Iterator[World]:
    """A second server on the same database."""
    with running_world(world.folder, database_url=world.services.settings.database_url) as running:
        yield running


def sign_out(_admin: Caller, user: Caller) -> Any:
    return user.post("/api/v1/auth/signout")


def disable(admin: Caller, user: Caller) -> Any:
    return admin.patch(f"/api/v1/admin/users/{user.user['id']}", {"enabled": False})


def remove(admin: Caller, user: Caller) -> Any:
    return admin.delete(f"/api/v1/admin/users/{user.user['id']}")


def reset(admin: Caller, user: Caller) -> Any:
    url = admin.post(f"/api/v1/admin/users/{user.user['id']}/reset").json()["resetUrl"]
    body = {"id": url.partition("id=")[2], "password": NEW_PASSWORD}
    return admin.post("/api/v1/auth/reset/simple", body)


def sign_device_out(_admin: Caller, user: Caller) -> Any:
    (listed,) = user.get("/api/v1/user/client").json()
    return user.delete(f"/api/v1/user/client/{listed['id']}")


def end_session(_admin: Caller, user: Caller) -> Any:
    (session,) = user.get("/api/v1/user/session").json()
    return user.delete(f"/api/v1/user/session/{session['id']}")


@pytest.mark.parametrize("take", [sign_out, end_session, disable, remove, reset])
def test_a_session_ends_immediately_on_all_servers(
    world: World, second_server: World, take: Callable[[Caller, Caller], Any]
) -> None:
    admin, bob = world.admin(), world.person("bob")
    elsewhere = second_server.with_token(bob.token)
    before = [caller.get("/api/v1/user").json() for caller in (bob, elsewhere) * 3]

    revoked = take(admin, bob)

    assert (before, revoked.is_success) == ([bob.user] * 6, True)
    assert [caller.get("/api/v1/user").json() for caller in (elsewhere, bob)] == [None, None]
    assert elsewhere.get("/api/v1/user/session").status_code == 401


@pytest.mark.parametrize("take", [sign_device_out, disable, remove, reset])
def test_a_device_is_signed_out_immediately_on_all_servers(
    world: World, second_server: World, take: Callable[[Caller, Caller], Any]
) -> None:
    admin, bob = world.admin(), world.person("bob")
    here = device(world, bob)
    elsewhere = second_server.with_token(here.token)
    before = [caller.get("/api/v1/user").json() for caller in (here, elsewhere) * 3]

    revoked = take(admin, bob)

    assert (before, revoked.is_success) == ([bob.user] * 6, True)
    assert [caller.get("/api/v1/user").json() for caller in (elsewhere, here)] == [None, None]


@pytest.mark.parametrize("take", [disable, remove, reset])
def test_tokens_of_disabled_or_deleted_users_are_invalid_on_all_servers(
    world: World, second_server: World, take: Callable[[Caller, Caller], Any]
) -> None:
    admin, bob = world.admin(), world.person("bob")
    here = world.token_of(bob, "user:read")
    elsewhere = second_server.with_token(here.token)
    before = [caller.get("/api/v1/user").json() for caller in (here, elsewhere) * 3]

    take(admin, bob)

    assert before == [bob.user] * 6
    assert [caller.get("/api/v1/user").json() for caller in (elsewhere, here)] == [None, None]


def test_a_revoked_token_is_invalid_on_all_servers(world: World, second_server: World) -> None:
    bob = world.person("bob")
    here = world.token_of(bob, "user:read")
    elsewhere = second_server.with_token(here.token)
    assert elsewhere.get("/api/v1/user").json() == bob.user

    bob.delete(f"/api/v1/user/token/{bob.get('/api/v1/user/token').json()[0]['id']}")

    assert [caller.get("/api/v1/user").json() for caller in (elsewhere, here)] == [None, None]


def test_changing_the_password_ends_other_sessions_on_all_servers(world: World, second_server: World) -> None:
    bob = world.person("bob")
    elsewhere = second_server.browser("bob")
    assert elsewhere.get("/api/v1/user").json() == bob.user

    bob.post("/api/v1/user/password", {"current": PASSWORD, "new": NEW_PASSWORD})

    assert elsewhere.get("/api/v1/user").json() is None
    assert (second_server.sign_in("bob").status_code, second_server.sign_in("bob", NEW_PASSWORD).status_code) == (
        401,
        200,
    )


def test_changing_the_password_keeps_devices_signed_in(world: World) -> None:
    bob = world.person("bob")
    laptop = device(world, bob)

    changed = bob.post("/api/v1/user/password", {"current": PASSWORD, "new": NEW_PASSWORD})

    assert (changed.status_code, laptop.get("/api/v1/user").json()) == (204, bob.user)


def test_devices_stay_signed_out_when_a_user_is_reenabled(world: World) -> None:
    admin, bob = world.admin(), world.person("bob")
    laptop = device(world, bob)
    disable(admin, bob)
    admin.patch(f"/api/v1/admin/users/{bob.user['id']}", {"enabled": True})

    assert laptop.get("/api/v1/user").json() is None


def test_a_demoted_admin_loses_system_permissions_in_sessions_and_tokens(world: World, second_server: World) -> None:
    admin, eve = world.admin(), world.admin("eve")
    program = second_server.with_token(world.token_of(eve, "system:user:read", "user:read").token)
    callers = [eve, second_server.with_token(eve.token), program]
    before = {caller.get("/api/v1/admin/users").status_code for caller in callers}

    admin.patch(f"/api/v1/admin/users/{eve.user['id']}", {"admin": False})

    assert before == {200}
    assert {caller.get("/api/v1/admin/users").status_code for caller in callers} == {403}
    assert program.get("/api/v1/token").json() == ["user:read"]


def test_a_token_regains_permissions_when_its_owner_does_but_ends_when_the_owner_is_disabled(world: World) -> None:
    admin, eve = world.admin(), world.admin("eve")
    program = world.token_of(eve, "system:user:read")

    seen = []
    for values in ({"admin": False}, {"admin": True}, {"enabled": False}, {"enabled": True}):
        admin.patch(f"/api/v1/admin/users/{eve.user['id']}", values)
        seen.append(program.get("/api/v1/admin/users").status_code)

    assert seen == [403, 200, 401, 401]


def test_sessions_stay_ended_when_a_user_is_reenabled(world: World) -> None:
    admin, bob = world.admin(), world.person("bob")
    disable(admin, bob)
    admin.patch(f"/api/v1/admin/users/{bob.user['id']}", {"enabled": True})

    assert bob.get("/api/v1/user").json() is None
    assert world.sign_in("bob").status_code == 200


def test_account_changes_are_visible_immediately_on_all_servers(world: World, second_server: World) -> None:
    bob = world.person("bob")
    elsewhere = second_server.with_token(bob.token)
    assert elsewhere.get("/api/v1/user").json() == bob.user

    for name in ("Bob", "Bobby", "Robert"):
        bob.patch("/api/v1/user", {"displayName": name})
        assert elsewhere.get("/api/v1/user").json()["displayName"] == name
