"""Sign-in methods: listing, linking and removing them, and signing out at the provider."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from world import PASSWORD, World, running_world

from .browser import Browser, Form
from .real import RealProvider
from .refusals import assert_refused
from .visitor import Visitor, openid_settings

ADA = {"preferred_username": "ada", "name": "Ada Lovelace", "email": "ada@example.org"}


def _link(visitor: Visitor, login: str) -> int:
    """Link the identity at the provider to the signed-in user and return the status of the last page."""
    visitor.start_linking()
    visitor.authenticate(login)
    visitor.browser.follow()
    return visitor.browser.response.status_code


def _kinds(visitor: Visitor) -> list[str]:
    return sorted(each["kind"] for each in visitor.call("GET", "/api/v1/user/mechanism").json())


@pytest.fixture
def bob(service: World, visitor: Visitor) -> Visitor:
    """A signed-in user with a password."""
    service.person("bob")
    visitor.sign_in_simple("bob")
    return visitor


@pytest.fixture
def without_passwords(database_url: str, tmp_path: Path, provider: RealProvider) -> Iterator[World]:
    settings = openid_settings(provider.discovery, disable_simple_auth=True)
    with running_world(tmp_path, database_url=database_url, **settings) as world:
        provider.serve(world.address)
        yield world


def test_both_sign_in_methods_are_listed(service: World) -> None:
    assert service.any_user().get("/api/v1/auth").json() == ["OpenID", "Simple"]


def test_admins_see_how_openid_is_configured(service: World, provider: RealProvider) -> None:
    listed = service.admin().get("/api/v1/admin/auth").json()
    assert listed == {
        "Simple": True,
        "OpenID": {
            "authorizationUrl": f"{provider.issuer}/auth",
            "scopes": "openid,profile,email",
            "adminGroup": "keepers",
            "usernameClaim": "preferred_username",
            "externalUrl": service.address,
        },
    }


def test_admins_see_the_configuration_while_the_provider_is_down(database_url: str, tmp_path: Path) -> None:
    settings = openid_settings("http://localhost:9/.well-known/openid-configuration")
    with running_world(tmp_path, database_url=database_url, **settings) as world:
        listed = world.admin().get("/api/v1/admin/auth")
    assert (listed.status_code, listed.json()["OpenID"]["authorizationUrl"]) == (200, "")


def test_passwords_can_be_disabled(without_passwords: World) -> None:
    sign_in_methods = without_passwords.any_user().get("/api/v1/auth").json()
    signed_up = without_passwords.sign_up(without_passwords.invitation(), username="bob")
    assert (sign_in_methods, signed_up.status_code) == (["OpenID"], 403)
    assert without_passwords.sign_in("bob").status_code == 403


def test_without_passwords_users_sign_in_with_openid(
    without_passwords: World, provider: RealProvider, browser: Browser
) -> None:
    provider.know(ada={**ADA, "groups": ["keepers"]})
    visitor = Visitor(browser, without_passwords.address)
    visitor.sign_in("ada")
    assert visitor.call("GET", "/api/v1/admin/auth").json()["Simple"] is False


def test_passwords_stay_enabled_without_another_method(database_url: str, tmp_path: Path) -> None:
    with running_world(tmp_path, database_url=database_url, disable_simple_auth=True) as world:
        assert world.any_user().get("/api/v1/auth").json() == ["Simple"]
        assert world.person("bob").user["username"] == "bob"


def test_both_methods_of_a_linked_user_lead_to_the_same_account(
    provider: RealProvider, bob: Visitor, other_visitor: Visitor
) -> None:
    provider.know(ada=ADA)
    assert _link(bob, "ada") == 200
    assert bob.me == other_visitor.sign_in("ada")
    assert _kinds(bob) == ["OpenID", "Simple"]


def test_linking_changes_nothing_else_of_the_account(provider: RealProvider, bob: Visitor) -> None:
    before = bob.me
    provider.know(ada=ADA)
    _link(bob, "ada")
    assert bob.me == before
    bob.sign_in_simple("bob")


def test_linking_works_over_plain_http(provider: RealProvider, bob: Visitor) -> None:
    bob.browser.sends_fetch_site = False
    provider.know(ada=ADA)
    assert _link(bob, "ada") == 200
    assert _kinds(bob) == ["OpenID", "Simple"]


def test_an_identity_is_linked_to_one_user_only(provider: RealProvider, bob: Visitor, other_visitor: Visitor) -> None:
    provider.know(ada=ADA)
    ada = other_visitor.sign_in("ada")
    assert _link(bob, "ada") == 409
    assert _kinds(bob) == ["Simple"]
    assert other_visitor.sign_in("ada") == ada


def test_linking_is_bound_to_the_user_who_started_it(service: World, provider: RealProvider, bob: Visitor) -> None:
    service.person("eve")
    provider.know(ada=ADA)
    bob.start_linking()
    callback = bob.authenticate("ada")
    bob.sign_in_simple("eve")
    bob.browser.open(callback)
    assert_refused(bob)
    assert _kinds(bob) == ["Simple"]


def test_linking_ends_with_the_session_in_which_it_started(provider: RealProvider, bob: Visitor) -> None:
    provider.know(ada=ADA)
    bob.start_linking()
    callback = bob.authenticate("ada")
    bob.call("POST", "/api/v1/auth/signout")
    bob.browser.open(callback)
    assert_refused(bob)
    bob.sign_in_simple("bob")
    assert _kinds(bob) == ["Simple"]


def test_linking_requires_a_session(visitor: Visitor) -> None:
    assert visitor.start_linking().status_code == 401


@pytest.mark.parametrize("sends_fetch_site", [True, False], ids=["Sec-Fetch-Site", "Referer"])
def test_another_site_cannot_start_linking(bob: Visitor, provider: RealProvider, *, sends_fetch_site: bool) -> None:
    bob.browser.sends_fetch_site = sends_fetch_site
    bob.browser.open(f"{provider.issuer}/a-page-of-another-site")
    refused = bob.browser.click(f"{bob.service}/auth/oidc?link=true")
    assert refused.status_code == 403


def test_a_sign_in_method_can_be_removed(provider: RealProvider, bob: Visitor, other_visitor: Visitor) -> None:
    provider.know(ada=ADA)
    _link(bob, "ada")
    assert bob.call("DELETE", "/api/v1/user/mechanism/OpenID").status_code == 204
    assert _kinds(bob) == ["Simple"]
    assert bob.me != other_visitor.sign_in("ada")


def test_a_password_can_be_removed(service: World, provider: RealProvider, bob: Visitor) -> None:
    provider.know(ada=ADA)
    _link(bob, "ada")
    assert bob.call("DELETE", "/api/v1/user/mechanism/Simple").status_code == 204
    assert _kinds(bob) == ["OpenID"]
    assert service.sign_in("bob").status_code == 401


def test_the_last_sign_in_method_cannot_be_removed(
    provider: RealProvider, bob: Visitor, other_visitor: Visitor
) -> None:
    provider.know(ada=ADA)
    other_visitor.sign_in("ada")
    assert bob.call("DELETE", "/api/v1/user/mechanism/Simple").status_code == 409
    assert other_visitor.call("DELETE", "/api/v1/user/mechanism/OpenID").status_code == 409


def test_removing_a_sign_in_method_requires_a_session(service: World) -> None:
    program = service.token_of(service.person("bob"), "user:update")
    assert program.delete("/api/v1/user/mechanism/Simple").status_code == 403
    assert service.sign_in("bob", PASSWORD).status_code == 200


def _sign_out(visitor: Visitor) -> None:
    """Submit the form of the service's own page."""
    visitor.browser.open(f"{visitor.service}/docs/api")
    visitor.browser.send(Form("/auth/signout", "POST", {}))


def test_signing_out_also_signs_out_at_the_provider(provider: RealProvider, visitor: Visitor) -> None:
    provider.know(ada=ADA)
    visitor.sign_in("ada")
    _sign_out(visitor)
    assert visitor.browser.follow().startswith(f"{provider.issuer}/session/end")
    visitor.browser.submit(logout="yes")
    assert visitor.browser.follow(until=visitor.service).startswith(visitor.service)
    assert visitor.me is None
    visitor.start()
    visitor.browser.follow()
    assert visitor.browser.forms()[0].values["prompt"] == "login"


def test_after_a_password_sign_in_only_the_service_is_signed_out(bob: Visitor) -> None:
    _sign_out(bob)
    assert bob.browser.redirect_target.startswith(bob.service)
    assert bob.me is None


def test_another_site_cannot_sign_a_user_out(provider: RealProvider, visitor: Visitor) -> None:
    provider.know(ada=ADA)
    visitor.sign_in("ada")
    visitor.browser.open(f"{provider.issuer}/a-page-of-another-site")
    visitor.browser.send(Form(f"{visitor.service}/auth/signout", "POST", {}))
    assert visitor.me is not None


def test_the_api_call_signs_out_of_the_service_only(provider: RealProvider, visitor: Visitor) -> None:
    provider.know(ada=ADA)
    visitor.sign_in("ada")
    assert visitor.call("POST", "/api/v1/auth/signout").status_code == 204
    assert (visitor.me, visitor.session_cookie) == (None, None)
