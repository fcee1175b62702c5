"""The strength of passwords, as the service rates it."""

import time

import pytest

from playdock.auth.password_strength import is_weak


@pytest.mark.parametrize(
    "password",
    [
        "12345678901234",
        "passwordpassword",
        "PasswordPassword1",
        "qwertyuiopasdfgh",
        "aaaaaaaaaaaaaaaa",
        "abcabcabcabcabcabc",
        "playdockplaydock",
        "games.example.org",
        "ada.lovelace@example.org",
        "lovelacelovelace",
    ],
)
def test_what_is_easy_to_guess_is_weak(password: str) -> None:
    known = ["ada", "ada.lovelace@example.org", "playdock", "games.example.org"]
    assert is_weak(password, known=known)


@pytest.mark.parametrize(
    "password",
    [
        "correct horse battery",
        "sunset bicycle lemon",
        "fahrrad zitrone leiter",
        "Tr0ub4dor&3-xkq7",
        "🦊 läuft über Wiesen",
    ],
)
def test_three_unrelated_words_and_random_characters_are_not(password: str) -> None:
    assert not is_weak(password, known=["ada", "ada@example.org", "playdock"])


@pytest.mark.parametrize(
    "password",
    ["4@8({[</369&#!1/|0$5+7%2/" * 40, "a" * 1024, "password" * 128, "p4ssw0rd" * 128, "\0" * 1024, "\ud800" * 14],
)
def test_no_password_takes_long_to_rate(password: str) -> None:
    started = time.process_time()
    is_weak(password, known=["x" * 254, "@" * 128])
    assert time.process_time() - started < 10
