"""Sessions end when their browser signs in again and when nobody uses them; browsers do not get their secrets."""

from datetime import timedelta
from pathlib import Path

import pytest

from world import PASSWORD, Caller, World, running_world

SIGN_IN = "/api/v1/auth/signin/simple"


def cookie_of(browser: Caller) -> str:
    return next(cookie.value or "" for cookie in browser.http.cookies.jar)


def sign_in(caller: Caller, username: str, password: str = PASSWORD, **headers: str) -> int:
    body = {"username": username, "password": password}
    return caller.post(SIGN_IN, body, headers=headers).status_code


@pytest.mark.parametrize("next_user", ["bob", "eve"])
def test_signing_in_again_ends_the_browsers_previous_session(world: World, next_user: str) -> None:
    bob, eve = world.person("bob"), world.person("eve")
    browser, other = world.browser("bob"), world.browser("bob")
    old = world.with_token(cookie_of(browser))
    assert old.get("/api/v1/user").json() == bob.user

    assert sign_in(browser, next_user) == 200

    assert browser.get("/api/v1/user").json() == {"bob": bob.user, "eve": eve.user}[next_user]
    assert old.get("/api/v1/user").json() is None
    assert [caller.get("/api/v1/user").json() for caller in (other, bob)] == [bob.user] * 2


def test_a_failed_sign_in_ends_nothing(world: World) -> None:
    bob = world.person("bob")
    browser = world.browser("bob")
    assert sign_in(browser, "bob", "a wrong password") == 401
    assert browser.get("/api/v1/user").json() == bob.user


@pytest.mark.parametrize("header", ["Origin", "Sec-Fetch-Site"])
def test_a_page_does_not_get_the_secret(world: World, header: str) -> None:
    bob = world.person("bob")
    browser = world.any_user()
    headers = {header: world.address if header == "Origin" else "same-origin"}

    signed_in = browser.post(SIGN_IN, {"username": "bob", "password": PASSWORD}, headers=headers)

    assert set(signed_in.json()) == {"result", "userId", "expires"}
    assert cookie_of(browser) not in signed_in.text
    assert browser.get("/api/v1/user").json() == bob.user
    assert set(world.sign_in("bob").json()) == {"result", "userId", "expires", "accessToken"}


def test_a_session_that_nobody_uses_ends(database_url: str, tmp_path: Path) -> None:
    with running_world(tmp_path, database_url=database_url, session_idle_days=10) as world:
        admin, bob = world.admin(), world.person("bob")
        used, unused = (world.with_token(world.sign_in("bob", rememberMe=True).json()["accessToken"]) for _ in range(2))
        for _ in range(3):
            world.clock.advance(days=9)
            assert used.get("/api/v1/user").json() == bob.user
        assert unused.get("/api/v1/user").json() is None
        assert len(used.get("/api/v1/user/session").json()) == 1

        world.clock.advance(days=10, minutes=11)
        assert used.get("/api/v1/user").json() is None
        admin = world.with_token(world.sign_in("ada").json()["accessToken"])
        assert admin.get(f"/api/v1/admin/users/{bob.user['id']}/session").json() == []


def test_the_last_use_is_not_written_with_every_request(world: World) -> None:
    bob = world.person("bob")
    seen = set()
    for _ in range(3):
        world.clock.offset += timedelta(minutes=3)
        seen |= {session["seen"] for session in bob.get("/api/v1/user/session").json()}
    assert len(seen) == 1
