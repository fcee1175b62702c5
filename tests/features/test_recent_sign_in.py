"""Calls that give lasting access ask for the password again, so that a stolen session is not enough."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from sqlalchemy import text

from devices import ask, decide, device
from world import PASSWORD, Caller, World

CONFIRM = "/api/v1/user/session/confirm"
NEW_TOKEN = {"name": "script", "acls": ["user:read"]}
REQUIRED = (403, "recent-sign-in-required")


def sensitive(world: World, caller: Caller) -> dict[str, tuple[Callable[[], Any], int]]:
    """Return each call and its status when it is allowed."""
    codes = ask(world)
    return {
        "token": (partial(caller.post, "/api/v1/user/token", NEW_TOKEN), 201),
        "email": (partial(caller.patch, "/api/v1/user", {"email": "new@example.org"}), 200),
        "unlink": (partial(caller.delete, "/api/v1/user/mechanism/Simple"), 409),
        "link": (partial(caller.get, "/auth/oidc?link=true", headers={"Sec-Fetch-Site": "none"}), 404),
        "device": (partial(decide, caller, codes), 204),
        "check": (partial(caller.get, CONFIRM), 204),
    }


@pytest.mark.parametrize("with_cookie", [False, True])
def test_lasting_access_requires_a_recent_sign_in(world: World, with_cookie: bool) -> None:  # noqa: FBT001 - a value of the table
    bob = world.person("bob")
    caller = world.browser("bob") if with_cookie else bob
    world.clock.advance(minutes=10, seconds=1)
    calls = sensitive(world, caller)

    refused = {name: call() for name, (call, _) in calls.items()}
    assert {name: answer.status_code for name, answer in refused.items()} == dict.fromkeys(calls, 403)
    assert {refused[name].json()["type"] for name in calls if name != "link"} == {REQUIRED[1]}
    assert bob.get("/api/v1/user").json() == bob.user
    assert bob.get("/api/v1/user/token").json() == []

    confirmed = caller.post(CONFIRM, {"password": PASSWORD})
    assert (confirmed.status_code, confirmed.content) == (204, b"")
    world.clock.advance(minutes=9)
    allowed = {name: call().status_code for name, (call, _) in calls.items()}
    assert allowed == {name: status for name, (_, status) in calls.items()}


def test_a_confirmation_counts_for_its_session_only(world: World) -> None:
    bob, browser = world.person("bob"), world.browser("bob")
    world.clock.advance(minutes=11)

    bob.post(CONFIRM, {"password": PASSWORD})

    assert [caller.get(CONFIRM).status_code for caller in (bob, browser)] == [204, 403]
    assert world.with_token(world.sign_in("bob").json()["accessToken"]).get(CONFIRM).status_code == 204


def test_wrong_passwords_are_limited_together_with_password_changes(world: World) -> None:
    bob = world.person("bob")
    world.clock.advance(minutes=11)

    wrong = [bob.post(CONFIRM, {"password": "a wrong password"}) for _ in range(11)]
    right = bob.post(CONFIRM, {"password": PASSWORD})

    assert [answer.status_code for answer in wrong] == [403] * 10 + [429]
    assert wrong[0].json()["type"] == "wrong-password"
    change = bob.post("/api/v1/user/password", {"current": PASSWORD, "new": "another correct horse"})
    assert (right.status_code, change.status_code) == (429, 429)
    assert world.sign_in("bob").status_code == 200
    assert bob.get(CONFIRM).status_code == 403


def test_an_account_without_a_password_signs_in_again(world: World) -> None:
    bob = world.person("bob")
    world.clock.advance(minutes=11)
    with world.services.db.write() as session:
        session.execute(text("DELETE FROM sign_in_methods"))

    refused = bob.post(CONFIRM, {"password": PASSWORD})

    assert (refused.status_code, refused.json()["type"]) == (409, "no-password")


def test_a_session_of_an_earlier_release_is_not_recent(world: World) -> None:
    bob = world.person("bob")
    with world.services.db.write() as session:
        session.execute(text("UPDATE sessions SET authenticated = NULL"))

    refused = bob.post("/api/v1/user/token", NEW_TOKEN)

    assert (refused.status_code, refused.json()["type"]) == REQUIRED
    assert bob.post(CONFIRM, {"password": PASSWORD}).status_code == 204
    assert bob.post("/api/v1/user/token", NEW_TOKEN).status_code == 201


def test_the_rest_of_the_profile_and_denying_a_device_need_none(world: World) -> None:
    bob, codes = world.person("bob"), ask(world)
    world.clock.advance(minutes=11)

    changed = bob.patch("/api/v1/user", {"displayName": "Bob", "email": bob.user["email"]})

    assert (changed.status_code, decide(bob, codes, approve=False).status_code) == (200, 204)


def test_programs_and_devices_cannot_change_the_address(world: World) -> None:
    bob = world.person("bob")
    for caller in (world.token_of(bob, "user:update"), device(world, bob)):
        refused = caller.patch("/api/v1/user", {"email": "mallory@example.org"})
        assert (refused.status_code, refused.json()["type"]) == (403, "session-required")
        assert caller.patch("/api/v1/user", {"displayName": "Bob"}).status_code == 200
        assert caller.post(CONFIRM, {"password": PASSWORD}).status_code == 403
