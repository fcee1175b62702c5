"""Searching for servers on the local network, where anybody can answer anything."""

import re
from typing import Any

import pytest

from client.local_network import answer, answering
from playdock_client.discovery import (
    NearbyServer,
    nearby_servers,
    query_datagram,
    read_answer,
    search,
    search_target,
    server_of,
)

_NONCE = "0123456789abcdef" * 2
_SENDER = "192.168.1.5"
_PATIENCE = 120.0


def _read(**changes: Any) -> NearbyServer | None:
    """Return what the client makes of an answer of another machine."""
    sender = changes.pop("sender", _SENDER)
    found = read_answer(answer(changes.pop("nonce", _NONCE), **changes), _NONCE)
    return server_of(found, sender) if found else None


@pytest.mark.parametrize(
    ("changes", "address"),
    [
        ({}, f"http://{_SENDER}:3000"),
        ({"path": "/games"}, f"http://{_SENDER}:3000/games"),
        ({"sender": "127.0.0.1"}, "http://127.0.0.1:3000"),
        ({"address": "https://Games.example.org/"}, "https://games.example.org"),
        ({"address": "http://[fd00::5]:3000"}, "http://[fd00::5]:3000"),
        ({"address": "https://spiele.übung.example"}, "https://spiele.xn--bung-zra.example"),
        ({"more": "of a later release"}, f"http://{_SENDER}:3000"),
    ],
)
def test_a_server_is_understood(changes: dict[str, Any], address: str) -> None:
    assert _read(**changes) == NearbyServer(address, "Arcade")


@pytest.mark.parametrize(
    "changes",
    [
        {"nonce": "f" * 32},
        {"type": "playdock-query"},
        {"name": ""},
        {"name": "   "},
        {"name": "x" * 41},
        {"name": "a\nb"},
        {"name": "a\x1b[2Jb"},
        {"name": "a\u202eb"},
        {"name": "a\u200bb"},
        {"name": None},
        {"port": 0},
        {"port": -1},
        {"port": 65_536},
        {"port": "3000"},
        {"port": 10**30},
        {"path": "@evil.example/"},
        {"path": "/a?b"},
        {"path": ".evil.example"},
        {"address": "games.example.org"},
        {"address": "javascript://games.example.org"},
        {"address": "file:///etc/passwd"},
        {"address": "https://user@games.example.org"},
        {"address": "https://games.example.org/?a"},
        {"address": "https://"},
        {"address": "http://127.0.0.1:8080"},
        {"address": "http://localhost:8080"},
        {"address": "http://[::1]:8080"},
        {"sender": "203.0.113.9"},
        {"sender": "8.8.8.8"},
        {"address": "https://games.example.org", "sender": "8.8.8.8"},
        {"more": "x" * 512},
    ],
)
def test_nothing_else_is_accepted(changes: dict[str, Any]) -> None:
    assert _read(**changes) is None


@pytest.mark.parametrize("data", [b"", b"\0", b"[" * 512, b'{"a":' * 102, b"\xff" * 512, b'"\xed\xa0\x80"', b"null"])
def test_what_is_no_answer_is_ignored(data: bytes) -> None:
    assert read_answer(data, _NONCE) is None


@pytest.mark.parametrize(
    ("variables", "target"),
    [
        ({}, ("255.255.255.255", 26_740)),
        ({"PLAYDOCK_DISCOVERY": "127.0.0.1:5000"}, ("127.0.0.1", 5000)),
        ({"PLAYDOCK_DISCOVERY": "off"}, None),
        ({"PLAYDOCK_DISCOVERY": ""}, None),
        ({"PLAYDOCK_DISCOVERY": "example.org:5000"}, None),
        ({"PLAYDOCK_DISCOVERY": "127.0.0.1:x"}, None),
    ],
)
def test_a_variable_says_where_to_search(variables: dict[str, str], target: tuple[str, int] | None) -> None:
    assert search_target(variables) == target
    if target is None:
        assert nearby_servers(variables) == []


def test_each_server_is_listed_once_among_hostile_answers() -> None:
    def answers(nonce: str) -> list[bytes]:
        return [
            b"\0" * 60_000,
            answer("f" * 32),
            answer(nonce, name="\x1b"),
            answer(nonce),
            answer(nonce),
            answer(nonce, port=4000),  # another address of the same server
            answer(nonce, id="2", name="Twin"),  # the same address
            answer(nonce, id="3", address="https://games.example.org"),
        ]

    with answering(answers) as address:
        found = list(search(address, seconds=0.2))
        # A busy machine may not be answered in time; the first half of this is enough for the first answers.
        patient = search(address, seconds=_PATIENCE)
        first, second = next(patient), next(patient)
    expected = [NearbyServer("http://127.0.0.1:3000", "Arcade"), NearbyServer("https://games.example.org", "Arcade")]
    assert [first, second] == expected
    assert found == expected[: len(found)]


def test_a_flood_of_answers_ends_at_twenty() -> None:
    with answering(lambda nonce: [answer(nonce, id=str(port), port=port) for port in range(1, 60)]) as address:
        found = list(search(address, seconds=_PATIENCE))
    assert len(found) == 20


def test_a_query_is_as_long_as_every_answer() -> None:
    query = query_datagram(_NONCE)
    assert len(query) == 512
    assert re.fullmatch(rb'\{"type":"playdock-query","nonce":"[0-9a-f]{32}"\} +', query)
