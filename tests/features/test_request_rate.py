"""The rate of requests, over HTTP."""

from pathlib import Path
from typing import Any

import pytest

from world import Caller, World, running_world

# Sent until one is refused: one more is allowed every two seconds.
_MOST, _PER_MINUTE = 200, 30


def _until_refused(caller: Caller, path: str) -> Caller | None:
    """Send requests until one is refused and return it, None if none is."""
    for _ in range(_MOST):
        response = caller.get(path)
        if response.status_code == 429:
            assert response.json()["type"] == "too-many-requests"
            assert 1 <= int(response.headers["retry-after"]) <= 60
            return caller
    return None


def test_a_user_and_a_network_are_slowed_down_separately(database_url: str, tmp_path: Path) -> None:
    with running_world(tmp_path, database_url=database_url, requests_per_minute=_PER_MINUTE) as world:
        ada, bob = world.admin(), world.person("bob")
        program = world.token_of(ada, "user:read")
        assert _until_refused(program, "/api/v1/user")
        assert _until_refused(ada, "/api/v1/user")
        assert bob.get("/api/v1/user").json() == bob.user
        assert _until_refused(world.any_user(), "/api/v1/auth")
        assert bob.get("/api/v1/user").status_code == 200
        # Neither pages nor downloads are counted.
        for path in ("/", "/api/v1/versions/unknown/content"):
            assert {ada.get(path).status_code for _ in range(_PER_MINUTE + 10)} <= {200, 404, 503}


def test_the_networks_of_an_ipv6_site_share_the_limit(database_url: str, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"requests_per_minute": _PER_MINUTE, "trusted_proxies": "127.0.0.1"}
    with running_world(tmp_path, database_url=database_url, **settings) as world:
        caller = world.any_user()

        def status_of(address: str) -> int:
            return caller.get("/api/v1/auth", headers={"X-Forwarded-For": address}).status_code

        assert any(status_of(f"2001:db8:0:{number:x}::1") == 429 for number in range(_MOST))
        assert status_of("2001:db8:1::1") == 200


def test_the_limit_can_be_turned_off(database_url: str, tmp_path: Path) -> None:
    with running_world(tmp_path, database_url=database_url, requests_per_minute=0) as world:
        assert _until_refused(world.person("bob"), "/api/v1/user") is None


@pytest.mark.both_databases
def test_tokens_and_collections_of_a_user_are_limited(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playdock.features.tokens.rules.MAX_TOKENS", 2)
    monkeypatch.setattr("playdock.features.game_collections.service.MAX_COLLECTIONS", 2)
    bob, eve = world.person("bob"), world.person("eve")
    token = {"name": "script", "acls": ["user:read"]}
    calls = [
        ("/api/v1/user/token", token, "too-many-tokens"),
        ("/api/v1/collection", {"name": "x"}, "too-many-collections"),
    ]
    for path, body, code in calls:
        created = [bob.post(path, body).status_code for _ in range(2)]
        refused = bob.post(path, body)
        assert (created, refused.status_code, refused.json()["type"]) == ([201, 201], 409, code)
        assert eve.post(path, body).status_code == 201
    for path in ("/api/v1/user/token", "/api/v1/collection"):
        assert bob.delete(f"{path}/{bob.get(path).json()[0]['id']}").status_code in (200, 204)
    assert [bob.post(path, body).status_code for path, body, _ in calls] == [201, 201]
