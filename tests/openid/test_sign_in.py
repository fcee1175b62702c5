"""Sign-ins through a certified provider."""

import socket
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from playdock.features.accounts.queries import list_users
from world import World, at_once, running_world

from .browser import Browser
from .real import CLIENT_SECRET, RealProvider, running_provider
from .visitor import Visitor, openid_settings

ADA = {"preferred_username": "ada", "name": "Ada Lovelace", "email": "ada@example.org"}


def _admin_claims(**claims: Any) -> dict[str, Any]:
    return {**ADA, "groups": ["players", "keepers"], **claims}


def test_the_first_sign_in_creates_an_account(provider: RealProvider, visitor: Visitor) -> None:
    provider.know(ada=ADA)
    user = visitor.sign_in("ada")
    assert (user["username"], user["displayName"], user["email"]) == ("ada", "Ada Lovelace", "ada@example.org")
    assert (user["admin"], user["enabled"]) == (False, True)
    assert visitor.call("GET", f"/api/v1/object/{user['profilePictureObjectId']}").status_code == 200


def test_the_second_sign_in_finds_the_account(provider: RealProvider, visitor: Visitor, other_visitor: Visitor) -> None:
    provider.know(ada=ADA)
    first = visitor.sign_in("ada")
    provider.know(ada={"preferred_username": "countess", "email": "other@example.org"})
    assert other_visitor.sign_in("ada")["id"] == first["id"]


def test_different_users_get_different_accounts(
    provider: RealProvider, visitor: Visitor, other_visitor: Visitor
) -> None:
    provider.know(ada=ADA, bob=ADA)
    first, second = visitor.sign_in("ada"), other_visitor.sign_in("bob")
    assert first["id"] != second["id"]
    assert second["username"].startswith("ada")


@pytest.mark.both_databases
def test_concurrent_first_sign_ins_at_several_servers_create_one_account(
    database_url: str, tmp_path: Path, provider: RealProvider
) -> None:
    provider.know(ada=ADA)
    settings = openid_settings(provider.discovery)
    with ExitStack() as stack:
        servers = [
            stack.enter_context(running_world(tmp_path / str(number), database_url=database_url, **settings))
            for number in range(4)
        ]
        visitors = [Visitor(stack.enter_context(Browser()), server.address) for server in servers]
        provider.serve(servers[0].address, redirect_uris=[visitor.callback for visitor in visitors])
        for visitor in visitors:
            visitor.start()
            visitor.authenticate("ada")
        at_once([visitor.browser.follow_once for visitor in visitors])
        users = {str(visitor.me) for visitor in visitors}
        with servers[0].services.db.read() as session:
            (ada,) = list_users(session)
    assert len(users) == 1
    assert ada.id in users.pop()


def test_the_session_is_a_normal_one(provider: RealProvider, visitor: Visitor) -> None:
    provider.know(ada=ADA)
    visitor.sign_in("ada")
    (session,) = visitor.call("GET", "/api/v1/user/session").json()
    cookie = visitor.session_cookie
    assert session["current"]
    assert cookie is not None
    assert (cookie.http_only, cookie.same_site, cookie.path) == (True, "lax", "/")


def test_the_cookie_of_a_started_sign_in_expires(visitor: Visitor) -> None:
    visitor.start()
    (cookie,) = visitor.browser.jar.at(visitor.service).values()
    assert (cookie.http_only, cookie.same_site, cookie.max_age) == (True, "lax", 600)


@pytest.mark.parametrize("key", ["ID token", "userinfo"])
def test_claims_are_read_from_the_id_token_or_from_userinfo(provider: RealProvider, visitor: Visitor, key: str) -> None:
    provider.put_claims_into_id_tokens(options=key == "ID token")
    provider.know(ada=_admin_claims())
    user = visitor.sign_in("ada")
    assert (user["username"], user["displayName"], user["admin"]) == ("ada", "Ada Lovelace", True)


@pytest.mark.parametrize("algorithm", ["RS256", "PS256", "ES256", "EdDSA"])
def test_every_accepted_algorithm_works(provider: RealProvider, visitor: Visitor, algorithm: str) -> None:
    provider.serve(visitor.service, id_token_signed_response_alg=algorithm)
    provider.know(ada=ADA)
    assert visitor.sign_in("ada")["username"] == "ada"


def test_keys_may_change_between_sign_ins(provider: RealProvider, visitor: Visitor, other_visitor: Visitor) -> None:
    provider.know(ada=ADA, bob={"preferred_username": "bob"})
    visitor.sign_in("ada")
    provider.rotate_keys()
    assert other_visitor.sign_in("bob")["username"] == "bob"


def test_keys_may_change_during_a_sign_in(provider: RealProvider, visitor: Visitor) -> None:
    provider.know(ada=ADA)
    visitor.start()
    visitor.authenticate("ada")
    provider.rotate_keys()
    visitor.browser.follow()
    assert visitor.me is not None


def test_a_secret_may_contain_any_character(
    database_url: str, tmp_path: Path, provider: RealProvider, browser: Browser
) -> None:
    secret = "100% +/=&:;?#[]@!$'()*,~ \"<>\\^`{|}"
    settings = openid_settings(provider.discovery, oidc_client_secret=secret)
    with running_world(tmp_path, database_url=database_url, **settings) as world:
        provider.serve(world.address, client_secret=secret)
        provider.know(ada=ADA)
        assert Visitor(browser, world.address).sign_in("ada")


def test_endpoints_may_be_set_individually(
    database_url: str, tmp_path: Path, provider: RealProvider, browser: Browser
) -> None:
    settings = openid_settings(
        "",
        oidc_issuer=provider.issuer,
        oidc_authorization=f"{provider.issuer}/auth",
        oidc_token=f"{provider.issuer}/token",
        oidc_jwks=f"{provider.issuer}/jwks",
        oidc_userinfo=f"{provider.issuer}/me",
    )
    with running_world(tmp_path, database_url=database_url, **settings) as world:
        provider.serve(world.address)
        provider.know(ada=ADA)
        assert Visitor(browser, world.address).sign_in("ada")["displayName"] == "Ada Lovelace"


def test_a_provider_may_start_after_the_service(database_url: str, tmp_path: Path, node: str, browser: Browser) -> None:
    port = _free_port()
    discovery = f"http://localhost:{port}/.well-known/openid-configuration"
    with running_world(tmp_path, database_url=database_url, **openid_settings(discovery)) as world:
        visitor = Visitor(browser, world.address)
        away = visitor.start()
        with running_provider(node, port=port) as provider:
            provider.serve(world.address)
            provider.know(ada=ADA)
            world.clock.advance(minutes=1)
            visitor.sign_in("ada")
    assert (away.status_code, away.headers["content-type"].partition(";")[0]) == (503, "text/html")
    assert "password" in away.text


def test_requests_to_the_provider_contain_no_secret(provider: RealProvider, visitor: Visitor) -> None:
    provider.know(ada=ADA)
    visitor.sign_in("ada")
    assert CLIENT_SECRET not in str([step.url for step in visitor.browser.steps])


def test_cancelling_at_the_provider_shows_a_message(provider: RealProvider, visitor: Visitor) -> None:
    visitor.start()
    visitor.browser.follow()
    visitor.browser.click(f"{visitor.browser.url}/abort")
    visitor.browser.follow()
    assert visitor.browser.response.status_code == 403
    assert visitor.browser.url.startswith(visitor.callback)
    assert visitor.me is None


def test_every_sign_in_updates_the_admin_role_by_group(
    service: World, provider: RealProvider, visitor: Visitor
) -> None:
    service.admin("root")
    rights = []
    for groups in (["players"], ["keepers"], ["players"]):
        provider.know(ada=_admin_claims(groups=groups))
        rights.append(visitor.sign_in("ada")["admin"])
    assert rights == [False, True, False]


def test_older_sessions_lose_the_admin_role_too(
    service: World, provider: RealProvider, visitor: Visitor, other_visitor: Visitor
) -> None:
    service.admin("root")
    provider.know(ada=_admin_claims())
    visitor.sign_in("ada")
    before = visitor.call("GET", "/api/v1/admin/users").status_code
    provider.know(ada=ADA)
    other_visitor.sign_in("ada")
    assert (before, visitor.call("GET", "/api/v1/admin/users").status_code) == (200, 403)


def test_the_last_admin_keeps_the_role(provider: RealProvider, visitor: Visitor) -> None:
    provider.know(ada=_admin_claims())
    visitor.sign_in("ada")
    provider.know(ada=ADA)
    assert visitor.sign_in("ada")["admin"]


def test_without_a_configured_group_the_admin_role_is_unchanged(
    database_url: str, tmp_path: Path, provider: RealProvider, browser: Browser
) -> None:
    settings = openid_settings(provider.discovery, oidc_admin_group="")
    with running_world(tmp_path, database_url=database_url, **settings) as world:
        provider.serve(world.address)
        provider.know(ada=_admin_claims(groups=["", "keepers"]))
        visitor, admin = Visitor(browser, world.address), world.admin("root")
        user = visitor.sign_in("ada")
        admin.patch(f"/api/v1/admin/users/{user['id']}", {"admin": True})
        assert (user["admin"], visitor.sign_in("ada")["admin"]) == (False, True)


@pytest.mark.parametrize(
    "claims", [{"preferred_username": "Ada"}, {"preferred_username": "other", "email": "ada@example.org"}]
)
def test_a_matching_name_or_email_does_not_give_access_to_an_account(
    service: World, provider: RealProvider, visitor: Visitor, claims: dict[str, Any]
) -> None:
    existing = service.admin("ada").user
    provider.know(mallory=claims)
    user = visitor.sign_in("mallory")
    assert (user["id"] != existing["id"], user["admin"]) == (True, False)
    assert user["username"].lower() != "ada"


def test_a_disabled_user_is_rejected(
    service: World, provider: RealProvider, visitor: Visitor, other_visitor: Visitor
) -> None:
    provider.know(ada=ADA)
    user = visitor.sign_in("ada")
    service.admin("root").patch(f"/api/v1/admin/users/{user['id']}", {"enabled": False})
    other_visitor.start()
    other_visitor.authenticate("ada")
    other_visitor.browser.follow()
    assert other_visitor.browser.response.status_code == 403
    assert (other_visitor.me, other_visitor.session_cookie, visitor.me) == (None, None, None)


@pytest.mark.parametrize("path", ["/docs/api", "/auth/reset?id=1&x=%2F%2Fevil.example", "/docs/api#part"])
def test_users_return_to_the_page_where_they_started(provider: RealProvider, visitor: Visitor, path: str) -> None:
    provider.know(ada=ADA)
    visitor.start(redirect=path)
    visitor.browser.open(visitor.authenticate("ada"))
    assert visitor.browser.redirect_target == visitor.service + path


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example/",
        "//evil.example",
        "///evil.example",
        r"/\evil.example",
        r"\/evil.example",
        "/\t/evil.example",
        "/\n/evil.example",
        "javascript:alert(1)",
        "evil.example",
        "@evil.example",
        ".evil.example",
        "",
    ],
)
def test_users_are_never_redirected_to_another_site(provider: RealProvider, visitor: Visitor, target: str) -> None:
    provider.know(ada=ADA)
    visitor.start(redirect=target)
    visitor.browser.open(visitor.authenticate("ada"))
    assert visitor.browser.redirect_target == f"{visitor.service}/"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
