"""Password hashes: Argon2id, separate threads, and no difference in time for unknown accounts."""

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import bcrypt
import pytest

from other_servers.drop import ARGON2, BCRYPT
from playdock.auth.passwords import Passwords
from world import PASSWORD, World, at_once, running_world


class CountingPasswords(Passwords):
    """Counts how often it hashed and verified."""

    hashed = 0
    verified = 0

    def hash(self, password: str) -> str:
        self.hashed += 1
        return super().hash(password)

    def verify(self, stored: str | None, password: str) -> bool:
        self.verified += 1
        return super().verify(stored, password)


@dataclass
class Gate:
    """A gate at which verifications wait until a test opens it."""

    waiting: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    open: threading.Event = field(default_factory=threading.Event)


class GatedPasswords(Passwords):
    """Verifies when a test opens the gate."""

    def __init__(self, gate: Gate) -> None:
        super().__init__(time_cost=1, memory_cost=8)
        self._gate = gate

    def verify(self, stored: str | None, password: str) -> bool:
        self._gate.waiting.release()
        assert self._gate.open.wait(120)
        return super().verify(stored, password)


@contextmanager
def concurrent_sign_ins(world: World, sign_ins: int) -> Iterator[list[int]]:
    """Sign in some users concurrently and yield a list, which contains their statuses at the end."""
    statuses: list[int] = []
    calls = [lambda: statuses.append(world.sign_in("ada").status_code)] * sign_ins
    thread = threading.Thread(target=at_once, args=[calls])
    thread.start()
    try:
        yield statuses
    finally:
        thread.join()


def test_a_password_is_hashed_by_argon2id_with_strong_parameters() -> None:
    hashed = Passwords().hash(PASSWORD)

    assert re.match(r"\$argon2id\$v=19\$m=65536,t=3,p=1\$", hashed)
    assert Passwords().verify(hashed, PASSWORD)
    assert not Passwords().verify(hashed, PASSWORD + "!")


def test_equal_passwords_have_different_hashes() -> None:
    passwords = Passwords(time_cost=1, memory_cost=8)

    assert passwords.hash(PASSWORD) != passwords.hash(PASSWORD)


def test_missing_and_damaged_hashes_match_no_password() -> None:
    passwords = Passwords(time_cost=1, memory_cost=8)

    for stored in (None, "", "x", "$argon2id$", "$2b$12$" + "a" * 53):
        assert not passwords.verify(stored, PASSWORD)


def test_hashes_of_bcrypt_are_verified_and_outdated() -> None:
    passwords = Passwords(time_cost=1, memory_cost=8)

    for variant in ("$2a", "$2b", "$2y"):
        assert passwords.verify(variant + BCRYPT[3:], PASSWORD)
        assert not passwords.verify(variant + BCRYPT[3:], PASSWORD + "!")
    renewed = passwords.renew(BCRYPT, PASSWORD)
    assert renewed.startswith("$argon2id$")
    assert passwords.renew(renewed, PASSWORD) == renewed


def test_only_the_first_72_bytes_count_with_bcrypt_and_what_follows_is_not_renewed() -> None:
    passwords = Passwords(time_cost=1, memory_cost=8)
    password = "ä" * 36
    stored = bcrypt.hashpw(password.encode(), bcrypt.gensalt(4)).decode()

    assert not passwords.verify(stored, password[:-1])
    for longer in (password + "!", password + "?" * 80):
        assert passwords.verify(stored, longer)
        assert passwords.renew(stored, longer) == stored
    assert passwords.renew(stored, password) != stored


@pytest.mark.parametrize("stored", [BCRYPT, ARGON2, "$argon2id$damaged", "nonsense"])
def test_a_hash_of_another_server_takes_the_time_of_ours_too(stored: str) -> None:
    passwords = CountingPasswords(time_cost=1, memory_cost=8)
    passwords.verify(stored, PASSWORD)

    assert passwords.verified == 2


def test_any_text_can_be_a_password() -> None:
    passwords = Passwords(time_cost=1, memory_cost=8)

    for password in ("🎮" * 14, " " * 14, "a\0b" * 5):
        assert passwords.verify(passwords.hash(password), password)


def test_verifying_without_a_hash_takes_as_long_as_with_one() -> None:
    passwords = Passwords()
    hashed = passwords.hash(PASSWORD)
    # Processor time: what else the machine does is not to decide.
    times: dict[str | None, list[float]] = {hashed: [], None: []}
    for stored in [hashed, None] * 7:
        started = time.process_time()
        passwords.verify(stored, "another password")
        times[stored].append(time.process_time() - started)

    assert 0.5 < median(times[None]) / median(times[hashed]) < 2


def test_known_and_unknown_names_each_take_one_verification(tmp_path: Path, database_url: str) -> None:
    passwords = CountingPasswords(time_cost=1, memory_cost=8)
    with running_world(tmp_path, database_url=database_url, passwords=passwords) as world:
        world.person("ada")
        before = passwords.hashed, passwords.verified
        answers = [world.sign_in(name, "a wrong password") for name in ("ada", "nobody")]

        assert (passwords.hashed - before[0], passwords.verified - before[1]) == (0, 2)
        first, second = (answer.json() for answer in answers)
        assert {**first, "requestId": ""} == {**second, "requestId": ""}


def test_known_and_unknown_names_take_the_same_time(tmp_path: Path, database_url: str) -> None:
    with running_world(tmp_path, database_url=database_url, passwords=Passwords()) as world:
        world.person("ada")
        times: dict[str, list[float]] = {"ada": [], "nobody": []}
        for name in ["ada", "nobody"] * 7:
            times[name].append(world.sign_in(name, "a wrong password").elapsed.total_seconds())

        assert 0.5 < median(times["nobody"]) / median(times["ada"]) < 2


def test_other_requests_are_answered_while_many_sign_ins_wait(tmp_path: Path, database_url: str) -> None:
    gate = Gate()
    gate.open.set()
    with running_world(tmp_path, database_url=database_url, passwords=GatedPasswords(gate)) as world:
        ada = world.person("ada")
        assert gate.waiting.acquire(timeout=120)
        gate.open.clear()
        with concurrent_sign_ins(world, 10) as statuses:
            assert gate.waiting.acquire(timeout=120)
            answers = [ada.get(path).status_code for path in ("/api/v1/user", "/api/v1/user/session")] * 10
            during = list(statuses)
            gate.open.set()

    assert (set(answers), during) == ({200}, [])
    assert statuses == [200] * 10


def test_sign_ins_do_not_slow_down_other_requests(tmp_path: Path, database_url: str) -> None:
    with running_world(tmp_path, database_url=database_url, passwords=Passwords()) as world:
        ada = world.person("ada")
        alone = min(world.sign_in("ada").elapsed.total_seconds() for _ in range(3))
        times = []
        with concurrent_sign_ins(world, 8) as statuses:
            while len(statuses) < 8:
                answer = ada.get("/api/v1/user")
                times.append(answer.elapsed.total_seconds())
                assert answer.status_code == 200

    assert statuses == [200] * 8
    assert len(times) > 16
    assert median(times) < alone / 2
    assert max(times) < 16 * alone
