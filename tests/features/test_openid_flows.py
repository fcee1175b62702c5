"""Flows that begin and never end: with addresses that are set, beginning asks nobody."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from sqlalchemy import func, select

from playdock.models import OpenIdFlow, OpenIdTest
from world import World, running_world

_SETTINGS: dict[str, Any] = {
    "oidc_issuer": "https://id.example.org",
    "oidc_authorization": "https://id.example.org/authorize?tenant=games",
    "oidc_token": "https://id.example.org/token",
    "oidc_jwks": "https://id.example.org/keys",
    "oidc_client_id": "playdock",
    "oidc_client_secret": "hunter2",
    "oidc_scopes": "profile,groups",
}


@pytest.fixture
def home(database_url: str, tmp_path: Path) -> Iterator[World]:
    """A service whose provider is never asked."""
    with running_world(tmp_path, database_url=database_url, **_SETTINGS) as world:
        yield world


def _rows(world: World) -> list[int | None]:
    with world.services.db.read() as session:
        return [session.scalar(select(func.count()).select_from(table)) for table in (OpenIdFlow, OpenIdTest)]


def _clean(world: World) -> None:
    admin = world.admin()
    started = admin.post("/api/v1/admin/task", {"taskGroup": "cleanup:sessions"})
    assert world.finish(admin, started.json()["id"])["success"]


def test_the_authorization_url_has_all_parameters_and_no_secret(home: World) -> None:
    target_of = home.any_user().get("/auth/oidc").headers["location"]
    asked = {name: values[0] for name, values in parse_qs(urlsplit(target_of).query).items()}
    assert target_of.startswith("https://id.example.org/authorize?tenant=games&")
    assert asked["scope"] == "openid profile groups"
    assert asked["redirect_uri"] == f"{home.address}/auth/callback/oidc"
    assert asked["code_challenge_method"] == "S256"
    assert "hunter2" not in target_of


def test_expired_flows_and_tests_are_deleted(home: World) -> None:
    home.any_user().get("/auth/oidc", params={"test": home.services.openid.new_test()})
    home.any_user().get("/auth/oidc")
    home.clock.advance(minutes=9)
    home.any_user().get("/auth/oidc")
    assert _rows(home) == [3, 1]
    home.clock.advance(minutes=2)
    _clean(home)
    assert _rows(home) == [1, 0]


def test_starting_a_flow_deletes_expired_ones(home: World) -> None:
    for _ in range(3):
        home.any_user().get("/auth/oidc")
        home.clock.advance(minutes=11)
    home.any_user().get("/auth/oidc")
    assert _rows(home) == [1, 0]


def test_the_number_of_open_flows_is_limited(home: World) -> None:
    any_user = home.any_user()
    statuses = Counter(any_user.get("/auth/oidc").status_code for _ in range(310))
    refused = any_user.get("/auth/oidc")
    assert (statuses, _rows(home)) == ({303: 300, 429: 10}, [300, 0])
    assert refused.headers["content-type"].startswith("text/html")
    assert 0 < int(refused.headers["retry-after"]) <= 600
    home.clock.advance(minutes=11)
    assert any_user.get("/auth/oidc").status_code == 303


def test_too_many_flows_do_not_prevent_password_sign_in(home: World) -> None:
    home.person("ada")
    any_user = home.any_user()
    while any_user.get("/auth/oidc").status_code != 429:
        pass
    assert home.sign_in("ada").status_code == 200


def test_over_https_a_flow_is_bound_by_a_host_prefixed_cookie(database_url: str, tmp_path: Path) -> None:
    settings = {**_SETTINGS, "external_url": "https://games.example.org"}
    with running_world(tmp_path, database_url=database_url, **settings) as home:
        begun = home.any_user().get("/auth/oidc")
        name, _, secret = begun.headers["set-cookie"].partition(";")[0].partition("=")
        state = parse_qs(urlsplit(begun.headers["location"]).query)["state"][0]
        callback, tossed = f"/auth/callback/oidc?code=a&state={state}", {"Cookie": f"playdock_openid={secret}"}
        assert name == "__Host-playdock_openid"
        assert home.any_user().get(callback, headers=tossed).status_code == 400
        assert _rows(home) == [1, 0]


@pytest.mark.parametrize(
    ("referer", "leads_to"),
    [
        ("https://example.org/games/auth/signin", "https://id.example.org/authorize"),
        ("https://evil.example/", "/games/auth/signin?redirect=%2Flibrary"),
    ],
)
def test_below_a_path_a_link_of_another_site_leads_to_the_sign_in_page(
    database_url: str, tmp_path: Path, referer: str, leads_to: str
) -> None:
    settings = {**_SETTINGS, "external_url": "https://example.org/games"}
    with running_world(tmp_path, database_url=database_url, **settings) as home:
        begun = home.any_user().get("/auth/oidc?redirect=/library", headers={"Referer": referer})
    assert begun.headers["location"].startswith(leads_to)


def test_signing_out_deletes_a_started_link_flow(home: World) -> None:
    home.person("ada")
    ada = home.browser("ada")
    assert ada.get("/auth/oidc?link=true", headers={"Sec-Fetch-Site": "same-origin"}).status_code == 303
    assert _rows(home) == [1, 0]
    ada.post("/api/v1/auth/signout")
    assert _rows(home) == [0, 0]


def test_a_token_cannot_link_an_identity(home: World) -> None:
    program = home.token_of(home.person("ada"), "user:read")
    refused = program.get("/auth/oidc?link=true", headers={"Sec-Fetch-Site": "none"})
    assert refused.status_code == 403
    assert _rows(home) == [0, 0]


def test_admins_see_the_configuration_without_requests_to_the_provider(home: World) -> None:
    shown = home.admin().get("/api/v1/admin/auth").json()["OpenID"]
    assert shown["authorizationUrl"] == _SETTINGS["oidc_authorization"]
    assert shown["scopes"] == "openid,profile,groups"
