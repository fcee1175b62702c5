"""Coming in by a certified OpenID provider, and linking it to an account, as the pages lead there."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from databases import SqliteDatabases
from openid.real import RealProvider, require_node, running_provider
from openid.visitor import openid_settings
from pages.browsing import Visitor
from pages.conftest import Visit
from world import World, running_world


@pytest.fixture(scope="module")
def provider() -> Iterator[RealProvider]:
    with running_provider(require_node()) as provider:
        yield provider


@pytest.fixture
def world(sqlite_databases: SqliteDatabases, tmp_path: Path, provider: RealProvider) -> Iterator[World]:
    """A service whose people may come by password or by the provider, which knows Ada."""
    settings = openid_settings(provider.discovery)
    with running_world(tmp_path, database_url=sqlite_databases.fresh(tmp_path / "data"), **settings) as world:
        provider.serve(world.address)
        provider.know(ada={"preferred_username": "ada", "name": "Ada Lovelace", "email": "ada@example.org"})
        yield world


def come(visit: Visit, provider: RealProvider, username: str | None = None) -> Visitor:
    """Let somebody come whose browser loads nothing that is not on loopback."""
    visitor = visit(username, elsewhere=(provider.issuer,))
    visitor.context.route(
        lambda address: "://127.0.0.1:" not in address and "://localhost:" not in address, lambda route: route.abort()
    )
    return visitor


def pass_provider(page: Page) -> None:
    """Sign in with the provider's own form, and agree."""
    page.get_by_placeholder("Enter any login").fill("ada")
    page.get_by_placeholder("and password").fill("any")
    page.get_by_role("button", name="Sign-in").click()
    page.get_by_role("button", name="Continue").click()


def test_single_sign_on_returns_to_the_requested_page(provider: RealProvider, world: World, visit: Visit) -> None:
    page = come(visit, provider).open("/library")
    page.get_by_role("link", name="Continue with single sign-on").click()
    pass_provider(page)
    expect(page.get_by_role("button", name="Account: Ada Lovelace")).to_be_visible()
    expect(page).to_have_url(f"{world.address}/library")


def test_single_sign_on_can_be_linked_and_unlinked(provider: RealProvider, world: World, visit: Visit) -> None:
    world.person("bob")
    page = come(visit, provider, "bob").open("/account/sign-in")
    page.get_by_role("link", name="Add single sign-on").click()
    pass_provider(page)
    expect(page).to_have_url(f"{world.address}/account/sign-in")
    expect(page.get_by_text(provider.issuer)).to_be_visible()

    page.get_by_role("button", name="Unlink").click()
    page.get_by_role("dialog").get_by_role("button", name="Unlink").click()
    expect(page.get_by_role("link", name="Add single sign-on")).to_be_visible()
    expect(page.get_by_text(provider.issuer)).to_have_count(0)


def test_the_only_sign_in_method_cannot_be_removed(provider: RealProvider, world: World, visit: Visit) -> None:
    page = come(visit, provider).open("/auth/signin?redirect=/account/sign-in")
    page.get_by_role("link", name="Continue with single sign-on").click()
    pass_provider(page)
    expect(page.get_by_text("This is your only sign-in method")).to_be_visible()
    expect(page.get_by_role("button", name="Unlink")).to_have_count(0)
