"""Attacks on password sign-in: guessing from many networks, locking out the owner, and occupying the server."""

import json
import os
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from playdock.auth.passwords import MAX_WAITING_PER_NETWORK, Passwords
from playdock.throttle import queries, rules
from waiting import wait_until
from world import PASSWORD, Caller, World, at_once, running_world

SIGN_IN = "/api/v1/auth/signin/simple"
WRONG = "this is a wrong password"
NEW_PASSWORD = "another good password"
HERE, THERE = "198.51.100.1", "203.0.113.1"
_PATIENCE = 120


class RecordingPasswords(Passwords):
    """Verifies while the gate is open, and records what it verifies."""

    def __init__(self) -> None:
        super().__init__(time_cost=1, memory_cost=8)
        self.gate = threading.Event()
        self.gate.set()
        self.verified: list[str] = []

    def verify(self, stored: str | None, password: str) -> bool:
        self.verified.append(password)
        assert self.gate.wait(_PATIENCE)
        return super().verify(stored, password)


@pytest.fixture
def passwords() -> RecordingPasswords:
    return RecordingPasswords()


@pytest.fixture
def world(tmp_path: Path, database_url: str, passwords: RecordingPasswords) -> Iterator[World]:
    """A world whose callers may say where they are."""
    with running_world(tmp_path, database_url=database_url, passwords=passwords, trusted_proxies="127.0.0.1") as found:
        found.person("ada")
        yield found


def sign_in(caller: Caller, address: str, password: str = PASSWORD, *, username: str = "ada") -> httpx2.Response:
    body = {"username": username, "password": password}
    return caller.post(SIGN_IN, body, headers={"X-Forwarded-For": address})


def guess(world: World, address: str, times: int = 1, *, username: str = "ada") -> list[int]:
    caller = world.any_user()
    return [sign_in(caller, address, WRONG, username=username).status_code for _ in range(times)]


def known_browser(world: World, address: str = HERE) -> Caller:
    """A browser in which ada has signed in and out."""
    browser = world.any_user()
    assert sign_in(browser, address).status_code == 200
    assert browser.post("/api/v1/auth/signout").status_code == 204
    return browser


def exhaust_account(world: World, username: str = "ada") -> None:
    """Add as many failures from many networks as slow down an account, dated ahead for the sake of slow machines."""
    keys = [limit.key for limit in rules.sign_in_limits(username, "192.0.2.1") if limit.pause]
    with world.services.db.write() as session:
        queries.add(session, keys * 100, at=world.clock() + timedelta(seconds=30))


def reset(world: World, caller: Caller) -> None:
    admin = world.admin("eve")
    user = next(each for each in admin.get("/api/v1/admin/users").json() if each["username"] == "ada")
    link = admin.post(f"/api/v1/admin/users/{user['id']}/reset").json()["resetUrl"].partition("id=")[2]
    changed = caller.post("/api/v1/auth/reset/simple", {"id": link, "password": NEW_PASSWORD})
    assert changed.status_code == 204, changed.text


def test_wrong_passwords_from_one_network_do_not_stop_the_owner_in_another(world: World) -> None:
    assert guess(world, THERE, 11) == [401] * 10 + [429]

    assert sign_in(world.any_user(), THERE).status_code == 429
    assert sign_in(world.any_user(), HERE).status_code == 200


def test_a_known_browser_passes_whatever_others_do_in_its_network_and_elsewhere(world: World) -> None:
    browser = known_browser(world)
    guess(world, HERE, 10)
    exhaust_account(world)

    assert sign_in(world.any_user(), HERE).status_code == 429
    assert sign_in(browser, HERE).status_code == 200


def test_a_known_browser_may_guess_ten_times_and_stops_no_one_else(world: World) -> None:
    browser, other = known_browser(world), known_browser(world)

    assert [sign_in(browser, HERE, WRONG).status_code for _ in range(11)] == [401] * 10 + [429]
    assert sign_in(browser, THERE).status_code == 429
    assert [sign_in(caller, HERE).status_code for caller in (other, world.any_user())] == [200, 200]


def test_a_browser_is_known_for_each_user_who_has_signed_in_with_it(world: World) -> None:
    world.person("bob")
    browser = known_browser(world)
    assert sign_in(browser, HERE, username="bob").status_code == 200
    for username in ("ada", "bob"):
        guess(world, HERE, 10, username=username)

    assert [sign_in(browser, HERE, username=username).status_code for username in ("ada", "bob")] == [200, 200]


def test_only_the_cookie_that_this_service_made_for_this_user_and_password_counts(world: World) -> None:
    world.person("bob")
    of_bob, of_ada = world.any_user(), known_browser(world)
    sign_in(of_bob, HERE, username="bob")
    name, value = next((each.name, each.value or "") for each in of_ada.http.cookies.jar if "browser" in each.name)
    bobs = next(each.value for each in of_bob.http.cookies.jar if "browser" in each.name)
    guess(world, HERE, 10)

    forged = ["", "x", ".", f"{value}0", f"x{value}", bobs, value.partition(".")[0], "browser_\u00fc.\u00fc"]
    for cookie in forged:
        headers = {"Cookie": f"{name}={cookie}".encode(), "X-Forwarded-For": HERE}
        refused = world.any_user().post(SIGN_IN, {"username": "ada", "password": PASSWORD}, headers=headers)
        assert refused.status_code == 429, cookie
    reset(world, world.any_user())
    guess(world, HERE, 10)
    assert sign_in(of_ada, HERE, NEW_PASSWORD).status_code == 429


def test_who_changes_the_password_remains_known(world: World) -> None:
    browser = world.any_user()
    sign_in(browser, HERE)
    assert browser.post("/api/v1/user/password", {"current": PASSWORD, "new": NEW_PASSWORD}).status_code == 204
    guess(world, HERE, 10)

    assert sign_in(browser, HERE, NEW_PASSWORD).status_code == 200


@pytest.mark.both_databases
def test_a_reset_link_unlocks_the_account_and_makes_the_browser_known(world: World) -> None:
    guess(world, HERE, 10)
    exhaust_account(world)
    browser = world.any_user()
    reset(world, browser)

    assert sign_in(world.any_user(), HERE, NEW_PASSWORD).status_code == 200
    guess(world, HERE, 10)
    exhaust_account(world)
    assert [sign_in(each, HERE, NEW_PASSWORD).status_code for each in (browser, world.any_user())] == [200, 429]


@pytest.mark.parametrize("username", ["ada", "no_user"])
def test_an_account_under_attack_from_many_networks_is_slowed_down_and_not_locked(world: World, username: str) -> None:
    exhaust_account(world, username)

    refused = sign_in(world.any_user(), HERE, WRONG, username=username)
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) <= 35
    world.clock.advance(seconds=35)
    assert guess(world, HERE, username=username) == [401]


def test_the_addresses_of_an_ipv6_network_count_together(world: World) -> None:
    answers = [guess(world, f"2001:db8:1:2::{number:x}")[0] for number in range(11)]
    assert answers == [401] * 10 + [429]

    networks = [guess(world, f"2001:db8:1:{number + 16:x}::1", 3) for number in range(11)]
    assert [status for each in networks for status in each] == [401] * 30 + [429] * 3
    assert guess(world, "2001:db8:2::1") == [401]


def test_failures_of_a_clock_that_ran_ahead_do_not_count(world: World) -> None:
    world.clock.advance(days=30)
    guess(world, HERE, 11)
    world.clock.advance(days=-30)

    assert sign_in(world.any_user(), HERE).status_code == 200


@pytest.mark.both_databases
def test_guesses_are_counted_before_they_are_checked(world: World, passwords: RecordingPasswords) -> None:
    passwords.verified.clear()

    answers = at_once([partial(guess, world, HERE) for _ in range(14)])

    assert sorted(status for each in answers for status in each) == [401] * 10 + [429] * 4
    assert len(passwords.verified) == 10


def test_the_right_password_of_a_disabled_account_does_not_count(world: World) -> None:
    admin = world.admin("eve")
    user = next(each for each in admin.get("/api/v1/admin/users").json() if each["username"] == "ada")
    assert admin.patch(f"/api/v1/admin/users/{user['id']}", {"enabled": False}).status_code == 200

    assert {sign_in(world.any_user(), HERE).status_code for _ in range(11)} == {403}


def test_a_stranger_cannot_tell_a_known_name_when_limits_are_reached(world: World) -> None:
    refusals = []
    for username in ("ada", "nobody"):
        guess(world, HERE, 10, username=username)
        refused = sign_in(world.any_user(), HERE, WRONG, username=username)
        told = {**refused.json(), "requestId": "", "cookies": refused.headers.get("set-cookie")}
        refusals.append(re.sub(r"\d+ seconds", "some seconds", json.dumps(told)))

    assert refusals[0] == refusals[1]


def post(world: World, address: str, password: str, username: str = "ada") -> socket.socket:
    """Send a sign-in and return its connection, from which nothing has been read."""
    body = json.dumps({"username": username, "password": password}).encode()
    url = urlsplit(world.address)
    connection = socket.create_connection((url.hostname, url.port), timeout=_PATIENCE)
    head = f"POST {SIGN_IN} HTTP/1.1\r\nHost: {url.netloc}\r\nX-Forwarded-For: {address}\r\nConnection: close\r\n"
    connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    return connection


def answer_of(connection: socket.socket) -> bytes:
    with closing(connection), connection.makefile("rb") as stream:
        return stream.read()


def waiting_requests(world: World) -> int:
    return sum(map(len, world.services.password_threads._queues.values()))


def test_two_hundred_wrong_sign_ins_from_two_networks_let_one_from_a_third_pass(
    world: World, passwords: RecordingPasswords
) -> None:
    threads = max(1, (os.cpu_count() or 1) - 1)
    passwords.gate.clear()
    passwords.verified.clear()
    guesses = [post(world, (HERE, THERE)[number % 2], WRONG, f"guess{number}") for number in range(200)]
    wait_until(lambda: waiting_requests(world) == 2 * MAX_WAITING_PER_NETWORK)
    owner = post(world, "192.0.2.77", PASSWORD)
    wait_until(lambda: waiting_requests(world) == 2 * MAX_WAITING_PER_NETWORK + 1)
    passwords.gate.set()

    assert answer_of(owner).startswith(b"HTTP/1.1 200")
    answers = [answer_of(connection) for connection in guesses]
    # After those that ran already, each of the three networks takes a turn, in as many threads.
    assert passwords.verified.index(PASSWORD) < 2 * threads + 3
    full = [answer for answer in answers if answer.startswith(b"HTTP/1.1 503")]
    assert len(full) == 200 - 2 * MAX_WAITING_PER_NETWORK - threads
    assert all(b"retry-after: 5" in answer and b"password-queue-full" in answer for answer in full)


def test_requests_whose_callers_hung_up_are_not_hashed(world: World, passwords: RecordingPasswords) -> None:
    threads = max(1, (os.cpu_count() or 1) - 1)
    passwords.gate.clear()
    passwords.verified.clear()
    running = [post(world, THERE, WRONG, f"guess{number}") for number in range(threads)]
    wait_until(lambda: len(passwords.verified) == threads)
    gone = [post(world, HERE, "hung up", f"guess{number}") for number in range(MAX_WAITING_PER_NETWORK)]
    wait_until(lambda: waiting_requests(world) == MAX_WAITING_PER_NETWORK)
    for connection in gone:
        connection.close()
    wait_until(lambda: waiting_requests(world) == 0)
    owner = post(world, HERE, PASSWORD)
    passwords.gate.set()

    assert answer_of(owner).startswith(b"HTTP/1.1 200")
    assert all(answer_of(connection).startswith(b"HTTP/1.1 401") for connection in running)
    assert passwords.verified == [WRONG] * threads + [PASSWORD]
