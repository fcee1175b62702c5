"""Signing in and out, cookies, and the limit of wrong passwords."""

from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import pytest

from playdock.auth.passwords import Passwords
from playdock.features.accounts.queries import password_hash, set_password
from world import PASSWORD, Caller, World, at_once, running_world

SIGN_IN = "/api/v1/auth/signin/simple"
WRONG = "this is a wrong password"


def cookie_of(answer: httpx2.Response) -> set[str]:
    """The parts of the session cookie, in lower case."""
    (header,) = (each for each in answer.headers.get_list("set-cookie") if "playdock_session" in each)
    return set(header.lower().split("; "))


def statuses(answers: list[httpx2.Response]) -> list[int]:
    return [answer.status_code for answer in answers]


def guess(world: World, username: str, times: int) -> list[int]:
    return statuses([world.sign_in(username, WRONG) for _ in range(times)])


def sessions_of(caller: Caller) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = caller.get("/api/v1/user/session").json()
    return found


def test_password_is_the_only_sign_in_method(world: World) -> None:
    assert world.any_user().get("/api/v1/auth").json() == ["Simple"]


def test_admins_can_list_the_sign_in_methods(world: World) -> None:
    admin, bob = world.admin(), world.person("bob")

    shown = admin.get("/api/v1/admin/auth")

    assert (shown.status_code, shown.json()) == (200, {"Simple": True})
    assert world.token_of(admin, "system:auth:read").get("/api/v1/admin/auth").json() == shown.json()
    refused = [caller.get("/api/v1/admin/auth").status_code for caller in (bob, world.any_user())]
    assert refused == [403, 401]


def test_signing_in_returns_a_bearer_token(world: World) -> None:
    ada = world.person("ada")

    signed_in = world.sign_in("ADA").json()

    assert set(signed_in) == {"result", "userId", "accessToken", "expires"}
    assert (signed_in["result"], signed_in["userId"]) == (True, ada.user["id"])
    assert world.with_token(signed_in["accessToken"]).get("/api/v1/user").json() == ada.user


def test_signing_in_sets_an_httponly_samesite_cookie(world: World) -> None:
    ada = world.person("ada")

    parts = cookie_of(world.sign_in("ada"))

    assert {"httponly", "samesite=lax", "path=/"} <= parts
    assert "secure" not in parts
    assert world.browser("ada").get("/api/v1/user").json() == ada.user


def test_the_cookie_of_a_known_browser_is_kept_for_a_year(world: World) -> None:
    world.person("ada")

    headers = world.sign_in("ada").headers.get_list("set-cookie")

    (known,) = (each.lower().split("; ") for each in headers if "playdock_browser" in each)
    assert {"httponly", "samesite=lax", "path=/", f"max-age={365 * 86_400}"} <= set(known)
    assert "ada" not in known[0].partition("=")[0]


def test_the_cookie_is_secure_on_https_servers(tmp_path: Path, database_url: str) -> None:
    with running_world(tmp_path, database_url=database_url, external_url="https://games.example.org") as world:
        world.person("ada")

        assert "secure" in cookie_of(world.sign_in("ada"))


def test_a_session_lasts_a_day_or_ninety_days_if_remembered(world: World) -> None:
    world.person("ada")
    short = world.with_token(world.sign_in("ada").json()["accessToken"])
    long = world.with_token(world.sign_in("ada", rememberMe=True).json()["accessToken"])

    unexpired = []
    for hours in (23, 2, 24 * 29, 24 * 29, 24 * 29, 24 * 2):
        world.clock.advance(hours=hours)
        unexpired.append([caller.get("/api/v1/user").json() is not None for caller in (short, long)])

    assert unexpired == [[True, True], *[[False, True]] * 4, [False, False]]
    assert long.get("/api/v1/user/session").status_code == 401


def test_an_unknown_user_and_a_wrong_password_are_indistinguishable(world: World) -> None:
    world.person("ada")

    answers = [world.sign_in("ada", WRONG), world.sign_in("nobody", PASSWORD), world.sign_in("a%a", PASSWORD)]

    assert {(answer.status_code, answer.json()["detail"]) for answer in answers} == {
        (401, "Incorrect user name or password. Try again, or ask an admin for a reset link.")
    }
    assert answers[0].headers["www-authenticate"] == "Bearer"


def test_wildcards_in_user_names_match_no_account(world: World) -> None:
    world.person("ada")

    assert {world.sign_in(name).status_code for name in ("a_a", "%", "ad%", "___", "ada\\", "' OR 1=1 --")} == {401}


def test_a_disabled_account_is_revealed_only_with_the_right_password(world: World) -> None:
    admin, bob = world.admin(), world.person("bob")
    admin.patch(f"/api/v1/admin/users/{bob.user['id']}", {"enabled": False})

    refused = world.sign_in("bob")

    assert (refused.status_code, refused.json()["type"]) == (403, "account-disabled")
    assert world.sign_in("bob", WRONG).status_code == 401


def test_signing_out_ends_only_the_current_session(world: World) -> None:
    ada = world.person("ada")
    browser = world.browser("ada")

    signed_out = browser.post("/api/v1/auth/signout")

    assert (signed_out.status_code, signed_out.content) == (204, b"")
    assert "max-age=0" in cookie_of(signed_out)
    assert browser.get("/api/v1/user").json() is None
    assert ada.get("/api/v1/user").json() == ada.user


def test_signing_out_deletes_cached_images(world: World) -> None:
    signed_out = world.person("bob").post("/api/v1/auth/signout")
    assert signed_out.headers["clear-site-data"] == '"cache"'


def test_a_sign_in_renews_a_hash_with_other_parameters(world: World) -> None:
    bob = world.person("bob")
    old = Passwords(time_cost=2, memory_cost=8).hash(PASSWORD)
    with world.services.db.write() as session:
        set_password(session, bob.user["id"], old)

    statuses = [world.sign_in("bob", password).status_code for password in ("a wrong password", PASSWORD, PASSWORD)]
    with world.services.db.read() as session:
        renewed = password_hash(session, bob.user["id"])

    assert statuses == [401, 200, 200]
    assert renewed != old
    assert renewed is not None
    assert world.services.sessions.passwords.renew(renewed, PASSWORD) == renewed
    browser = world.browser("bob")
    assert [browser.post("/api/v1/auth/signin/simple", {"username": "bob", "password": PASSWORD}).status_code] == [200]


def test_an_ended_session_cannot_be_reused(world: World) -> None:
    ada = world.person("ada")
    ada.post("/api/v1/auth/signout")

    for headers in ({"Cookie": f"playdock_session={ada.token}"}, {"Authorization": f"Bearer {ada.token}"}):
        assert world.any_user().get("/api/v1/user/session", headers=headers).status_code == 401


def test_sessions_can_be_listed_and_ended_individually(world: World) -> None:
    ada = world.person("ada")
    world.browser("ada")
    current, other = (
        next(session["id"] for session in sessions_of(ada) if session["current"] is wanted) for wanted in (True, False)
    )

    assert ada.delete(f"/api/v1/user/session/{other}").status_code == 204
    assert [session["id"] for session in sessions_of(ada)] == [current]


def test_all_other_sessions_can_be_ended_at_once(world: World) -> None:
    ada = world.person("ada")
    browser = world.browser("ada")

    assert ada.delete("/api/v1/user/session").status_code == 204
    assert len(sessions_of(ada)) == 1
    assert browser.get("/api/v1/user").json() is None


def test_users_cannot_end_sessions_of_others(world: World) -> None:
    ada, bob = world.admin("ada"), world.person("bob")
    (of_bob,) = sessions_of(bob)

    for session in (of_bob["id"], "unknown", "%00"):
        refused = ada.delete(f"/api/v1/user/session/{session}")
        assert (refused.status_code, refused.json()["status"]) == (404, 404)
    assert bob.get("/api/v1/user").json() == bob.user


def test_a_session_shows_its_user_agent_but_no_secret(world: World) -> None:
    ada = world.person("ada")
    signed_in = world.any_user().post(
        SIGN_IN, {"username": "ada", "password": PASSWORD}, headers={"User-Agent": "Browser/1.0 " + "x" * 300}
    )

    listed = ada.get("/api/v1/user/session")

    assert any(session["agent"] == ("Browser/1.0 " + "x" * 300)[:200] for session in listed.json())
    assert signed_in.json()["accessToken"] not in listed.text


def test_the_last_use_of_a_session_is_updated_every_ten_minutes(world: World) -> None:
    ada = world.person("ada")
    begun = sessions_of(ada)[0]["seen"]
    seen = []
    for minutes in (9, 2):
        world.clock.advance(minutes=minutes)
        ada.get("/api/v1/user")
        seen.append(sessions_of(ada)[0]["seen"])

    assert seen[0] == begun < seen[1]


@pytest.mark.parametrize("username", ["ada", "no_user"])
def test_the_eleventh_wrong_password_for_an_account_is_throttled(world: World, username: str) -> None:
    world.person("ada")

    assert guess(world, username, 12) == [401] * 10 + [429, 429]
    refused = world.sign_in(username.upper(), WRONG)
    assert (refused.status_code, refused.json()["type"]) == (429, "too-many-attempts")
    assert 590 <= int(refused.headers["retry-after"]) <= 600


def test_a_throttled_account_rejects_the_right_password_but_others_can_sign_in(world: World) -> None:
    world.person("ada")
    world.person("bob")
    guess(world, "ada", 10)

    assert (world.sign_in("ada").status_code, world.sign_in("bob").status_code) == (429, 200)


def test_failed_attempts_expire_individually(world: World) -> None:
    world.person("ada")
    guess(world, "ada", 5)
    world.clock.advance(minutes=6)
    assert guess(world, "ada", 6) == [401] * 5 + [429]
    world.clock.advance(minutes=4, seconds=5)

    assert guess(world, "ada", 6) == [401] * 5 + [429]
    world.clock.advance(minutes=10, seconds=5)
    assert world.sign_in("ada").status_code == 200


def test_successful_sign_ins_do_not_count(world: World) -> None:
    world.person("ada")

    assert statuses([world.sign_in("ada") for _ in range(15)]) == [200] * 15
    assert guess(world, "ada", 10) == [401] * 10


def test_a_success_does_not_reset_the_failed_attempts(world: World) -> None:
    world.person("ada")
    guess(world, "ada", 9)

    assert [world.sign_in("ada").status_code, *guess(world, "ada", 2)] == [200, 401, 429]


@pytest.mark.both_databases
def test_sixteen_concurrent_wrong_passwords_yield_only_ten_401s(world: World) -> None:
    world.person("ada")
    with running_world(world.folder, database_url=world.services.settings.database_url) as neighbor:
        answers = at_once([partial(place.sign_in, "ada", WRONG) for place in (world, neighbor) * 8])

    assert sorted(statuses(answers)) == [401] * 10 + [429] * 6


def test_an_ip_address_has_at_most_a_hundred_failures_for_all_names(world: World) -> None:
    world.person("ada")
    for number in range(100):
        assert world.sign_in(f"guess{number}", WRONG).status_code == 401

    assert (world.sign_in("another", WRONG).status_code, world.sign_in("ada").status_code) == (429, 429)
    world.clock.advance(minutes=10, seconds=30)
    assert world.sign_in("ada").status_code == 200


def forged(world: World, number: int) -> int:
    body = {"username": f"guess{number}", "password": WRONG}
    headers = {"X-Forwarded-For": f"198.51.100.{number}", "X-Real-IP": f"198.51.100.{number}"}
    return world.any_user().post(SIGN_IN, body, headers=headers).status_code


def test_forwarded_addresses_are_ignored_by_default(world: World) -> None:
    answers = [forged(world, number) for number in range(102)]

    assert answers == [401] * 100 + [429] * 2


def test_forwarded_addresses_of_a_trusted_proxy_are_used(tmp_path: Path, database_url: str) -> None:
    with running_world(tmp_path, database_url=database_url, trusted_proxies="127.0.0.1") as world:
        assert {forged(world, number) for number in range(102)} == {401}
