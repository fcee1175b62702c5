"""What an account's sessions, tokens and devices end with, and how an admin sees and revokes them."""

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from devices import device
from world import PASSWORD, Caller, World

NEW_PASSWORD = "another good password"
UNKNOWN = "00000000-0000-4000-8000-000000000000"
KINDS = ("session", "token", "client")


def path_of(user: Caller) -> str:
    return f"/api/v1/admin/users/{user.user['id']}"


def reset(world: World, admin: Caller, user: Caller) -> Any:
    made = admin.post(f"{path_of(user)}/reset").json()["resetUrl"]
    (secret,) = parse_qs(urlsplit(made).query)["id"]
    return world.any_user().post("/api/v1/auth/reset/simple", {"id": secret, "password": NEW_PASSWORD})


def disable(_world: World, admin: Caller, user: Caller) -> Any:
    admin.patch(path_of(user), {"enabled": False})
    return admin.patch(path_of(user), {"enabled": True})


def credentials(world: World, user: Caller) -> list[Caller]:
    """Return a session, a token and a device of a user."""
    return [world.browser(user.user["username"]), world.token_of(user, "user:read"), device(world, user)]


def active(callers: list[Caller]) -> list[bool]:
    return [caller.get("/api/v1/user").json() is not None for caller in callers]


@pytest.mark.parametrize("take", [reset, disable])
def test_a_reset_and_disabling_end_every_credential(world: World, take: Callable[[World, Caller, Caller], Any]) -> None:
    admin, bob, eve = world.admin(), world.person("bob"), world.person("eve")
    stolen, others = credentials(world, bob), credentials(world, eve)
    assert active(stolen) == [True] * 3

    assert take(world, admin, bob).is_success

    assert (active(stolen), active(others)) == ([False] * 3, [True] * 3)
    assert admin.get(f"{path_of(bob)}/token").json() == []


@pytest.mark.parametrize(("wanted", "token_is_active"), [({}, True), ({"revokeTokens": True}, False)])
def test_a_new_password_revokes_tokens_if_asked_to(world: World, wanted: dict[str, Any], token_is_active: bool) -> None:  # noqa: FBT001 - a value of the table
    bob, eve = world.person("bob"), world.person("eve")
    mine, others = world.token_of(bob, "user:read"), world.token_of(eve, "user:read")

    changed = bob.post("/api/v1/user/password", {"current": PASSWORD, "new": NEW_PASSWORD, **wanted})

    assert changed.status_code == 204
    assert active([bob, mine, others]) == [True, token_is_active, True]


def test_a_wrong_password_revokes_nothing(world: World) -> None:
    bob = world.person("bob")
    program = world.token_of(bob, "user:read")
    body = {"current": "a wrong password", "new": NEW_PASSWORD, "revokeTokens": True}
    assert bob.post("/api/v1/user/password", body).status_code == 403
    assert active([program]) == [True]


@pytest.mark.parametrize("ended_by", ["password", "disabling"])
def test_a_reset_link_ends_with_the_password_it_was_made_for(world: World, ended_by: str) -> None:
    admin, bob = world.admin(), world.person("bob")
    made = admin.post(f"{path_of(bob)}/reset").json()["resetUrl"]
    (secret,) = parse_qs(urlsplit(made).query)["id"]

    if ended_by == "password":
        bob.post("/api/v1/user/password", {"current": PASSWORD, "new": NEW_PASSWORD})
    else:
        disable(world, admin, bob)

    used = world.any_user().post("/api/v1/auth/reset/simple", {"id": secret, "password": "a third good password"})
    assert (used.status_code, used.json()["type"]) == (404, "reset-unknown")


def test_all_own_tokens_can_be_revoked_at_once(world: World) -> None:
    bob, eve = world.person("bob"), world.person("eve")
    programs = [world.token_of(bob, "user:read") for _ in range(2)]
    other = world.token_of(eve, "user:read")

    revoked = bob.delete("/api/v1/user/token")

    assert (revoked.status_code, bob.get("/api/v1/user/token").json()) == (204, [])
    assert active([*programs, other, bob]) == [False, False, True, True]
    assert other.delete("/api/v1/user/token").status_code == 403


@pytest.mark.parametrize(("kind", "index"), [("token", 1), ("client", 2)])
def test_an_admin_sees_and_revokes_everyones_credentials(world: World, kind: str, index: int) -> None:
    admin, bob = world.admin(), world.person("bob")
    callers = [credentials(world, bob)[index] for _ in range(3)]
    path = f"{path_of(bob)}/{kind}"

    listed = admin.get(path).json()
    assert (listed, len(listed)) == (bob.get(f"/api/v1/user/{kind}").json(), 3)
    assert not any(caller.token in str(listed) for caller in callers)

    answers = [admin.delete(f"{path}/{listed[0]['id']}").status_code for _ in range(2)]
    assert (answers, sorted(active(callers))) == ([204, 404], [False, True, True])

    answers = [admin.delete(path).status_code for _ in range(2)]
    assert (answers, active(callers), admin.get(path).json()) == ([204, 204], [False] * 3, [])
    assert active([bob, admin]) == [True, True]


def test_an_admin_ends_one_session(world: World) -> None:
    admin, bob = world.admin(), world.person("bob")
    browser = world.browser("bob")
    own = next(each["id"] for each in bob.get("/api/v1/user/session").json() if each["current"])

    assert admin.delete(f"{path_of(bob)}/session/{own}").status_code == 204
    assert active([bob, browser]) == [False, True]


@pytest.mark.parametrize("kind", KINDS)
def test_credentials_belong_to_the_user_in_the_path(world: World, kind: str) -> None:
    admin, bob, eve = world.admin(), world.person("bob"), world.person("eve")
    credentials(world, bob)
    one = admin.get(f"{path_of(bob)}/{kind}").json()[0]["id"]

    unknown = f"/api/v1/admin/users/{UNKNOWN}/{kind}"
    for path in (f"{path_of(eve)}/{kind}/{one}", f"{path_of(bob)}/{kind}/{UNKNOWN}", unknown, f"{unknown}/{one}"):
        assert admin.delete(path).status_code == 404, path
    assert admin.get(unknown).json()["type"] == "user-unknown"
    assert len(admin.get(f"{path_of(bob)}/{kind}").json()) > 0


@pytest.mark.parametrize(("acl", "statuses"), [("system:user:read", (200, 403)), ("system:user:update", (403, 204))])
def test_seeing_and_revoking_are_two_permissions(world: World, acl: str, statuses: tuple[int, int]) -> None:
    admin, bob = world.admin(), world.person("bob")
    program = world.token_of(admin, acl)
    for kind in KINDS:
        path = f"{path_of(bob)}/{kind}"
        assert (program.get(path).status_code, program.delete(path).status_code) == statuses
        assert {bob.get(path).status_code, bob.delete(path).status_code} <= {401, 403}
