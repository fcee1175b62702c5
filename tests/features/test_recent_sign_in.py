"""Calls that give lasting access ask for the password again, so that a stolen session is not enough."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from sqlalchemy import text

from devices import ask, decide, device
from playdock.kit.clock import timestamp
from world import PASSWORD, Caller, World, at_once

from .test_ended_sessions import cookie_of

CONFIRM = "/api/v1/user/session/confirm"
NEW_TOKEN = {"name": "script", "acls": ["user:read"]}
NEW_INVITATION = "system:auth:simple:invitation:new"
REQUIRED = (403, "recent-sign-in-required")


def confirm(world: World, caller: Caller) -> Caller:
    """Confirm the password and return a caller with the new secret."""
    confirmed = caller.post(CONFIRM, {"password": PASSWORD})
    assert confirmed.status_code == 200
    secret = confirmed.json().get("accessToken")
    return world.with_token(secret) if secret else caller


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

    confirmed = confirm(world, caller)
    world.clock.advance(minutes=9)
    allowed = {name: call().status_code for name, (call, _) in sensitive(world, confirmed).items()}
    assert allowed == {name: status for name, (_, status) in calls.items()}


def test_administrators_need_a_recent_sign_in_to_take_over_or_make_accounts(world: World) -> None:
    admin, bob = world.admin(), world.person("bob")
    program = world.token_of(admin, "system:user:update", "system:user:admin:update", NEW_INVITATION)
    user = f"/api/v1/admin/users/{bob.user['id']}"
    expires = timestamp(world.clock() + timedelta(days=1))
    world.clock.advance(minutes=10, seconds=1)

    def calls(caller: Caller) -> list[int]:
        answers = [
            caller.post(f"{user}/reset"),
            caller.patch(user, {"email": f"{len(caller.token)}@example.org"}),
            caller.patch(user, {"admin": True}),
            caller.patch(user, {"admin": False}),
            caller.post("/api/v1/admin/auth/invitation", {"isAdmin": True, "expires": expires}),
        ]
        assert {answer.json()["type"] for answer in answers if answer.status_code == 403} <= {REQUIRED[1]}
        return [answer.status_code for answer in answers]

    # Bob is no administrator, so that to remove the role changes nothing.
    assert calls(admin) == [403, 403, 403, 200, 403]
    assert calls(program) == [200, 200, 200, 200, 201]
    others = [admin.patch(user, {"displayName": "Bob", "enabled": False}), admin.patch(user, {"enabled": True})]
    assert [answer.status_code for answer in others] == [200, 200]
    harmless = {"isAdmin": False, "expires": expires}
    assert admin.post("/api/v1/admin/auth/invitation", harmless).status_code == 201
    assert calls(confirm(world, admin)) == [200, 200, 200, 200, 201]


def test_an_authentication_in_the_future_is_not_recent(world: World) -> None:
    world.clock.advance(hours=2)
    bob = world.person("bob")
    world.clock.advance(hours=-2)
    assert bob.get(CONFIRM).status_code == 403


def test_a_confirmation_counts_for_its_session_only(world: World) -> None:
    bob, browser = world.person("bob"), world.browser("bob")
    world.clock.advance(minutes=11)

    bob = confirm(world, bob)

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
    assert confirm(world, bob).post("/api/v1/user/token", NEW_TOKEN).status_code == 201


def test_the_rest_of_the_profile_and_denying_a_device_need_none(world: World) -> None:
    bob = world.person("bob")
    world.clock.advance(minutes=11)
    codes = ask(world)

    changed = bob.patch("/api/v1/user", {"displayName": "Bob", "email": bob.user["email"]})

    assert (changed.status_code, decide(bob, codes, approve=False).status_code) == (200, 204)


def test_programs_and_devices_cannot_change_the_address(world: World) -> None:
    bob = world.person("bob")
    for caller in (world.token_of(bob, "user:update"), device(world, bob)):
        refused = caller.patch("/api/v1/user", {"email": "mallory@example.org"})
        assert (refused.status_code, refused.json()["type"]) == (403, "session-required")
        assert caller.patch("/api/v1/user", {"displayName": "Bob"}).status_code == 200
        assert caller.post(CONFIRM, {"password": PASSWORD}).status_code == 403


def test_a_confirmation_replaces_the_secret_of_a_browser(world: World) -> None:
    bob, browser = world.person("bob"), world.browser("bob")
    before = cookie_of(browser)
    ids = [session["id"] for session in browser.get("/api/v1/user/session").json()]

    confirmed = browser.post(CONFIRM, {"password": PASSWORD})

    assert set(confirmed.json()) == {"expires"}
    assert cookie_of(browser) not in (before, confirmed.text)
    assert "Max-Age" not in confirmed.headers["set-cookie"]
    assert browser.get(CONFIRM).status_code == 204
    assert browser.get("/api/v1/user").json() == bob.user
    assert [session["id"] for session in browser.get("/api/v1/user/session").json()] == ids


def test_a_replaced_secret_is_valid_for_another_minute_but_not_recent(world: World) -> None:
    old = world.person("bob")
    new = confirm(world, old)

    assert old.get("/api/v1/user").json() == old.user
    assert [caller.get(CONFIRM).status_code for caller in (old, new)] == [403, 204]
    assert old.post("/api/v1/user/token", NEW_TOKEN).json()["type"] == REQUIRED[1]

    world.clock.advance(seconds=61)
    assert [caller.get("/api/v1/user").json() for caller in (old, new)] == [None, old.user]


def test_the_secret_before_that_ends_at_once(world: World) -> None:
    first = world.person("bob")
    second = confirm(world, first)
    third = confirm(world, second)
    assert [caller.get("/api/v1/user").json() for caller in (first, second, third)] == [None, first.user, first.user]


@pytest.mark.parametrize("ends", ["sign out", "sign in", "other session"])
def test_a_replaced_secret_ends_with_its_session(world: World, ends: str) -> None:
    other, browser = world.person("bob"), world.browser("bob")
    old = world.with_token(cookie_of(browser))
    confirm(world, browser)
    assert old.get("/api/v1/user").json() == other.user

    if ends == "sign out":
        browser.post("/api/v1/auth/signout")
    elif ends == "sign in":
        browser.post("/api/v1/auth/signin/simple", {"username": "bob", "password": PASSWORD})
    else:
        other.delete("/api/v1/user/session")

    assert old.get("/api/v1/user").json() is None


def test_parallel_confirmations_do_not_sign_a_browser_out(world: World) -> None:
    """Whichever response the browser receives last, its cookie is the newest secret."""
    bob = world.person("bob")

    answers = [answer.json() for answer in at_once([partial(bob.post, CONFIRM, {"password": PASSWORD})] * 3)]

    (secret,) = [answer["accessToken"] for answer in answers if "accessToken" in answer]
    world.clock.advance(minutes=2)
    assert world.with_token(secret).get(CONFIRM).status_code == 204


@pytest.mark.parametrize("remember", [True, False])
def test_the_new_cookie_lasts_as_long_as_the_session(world: World, *, remember: bool) -> None:
    world.person("bob")
    browser = world.any_user()
    credentials = {"username": "bob", "password": PASSWORD, "rememberMe": remember}
    expires = browser.post("/api/v1/auth/signin/simple", credentials).json()["expires"]
    world.clock.advance(hours=12)

    confirmed = browser.post(CONFIRM, {"password": PASSWORD})

    assert confirmed.json()["expires"] == expires
    lifetime = [part.partition("=")[2] for part in confirmed.headers["set-cookie"].split("; ") if "Max-Age" in part]
    assert [89 * 86400 < int(seconds) < 90 * 86400 for seconds in lifetime] == [True] * remember
