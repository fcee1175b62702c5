"""Signing in and out at a service below a path of a host."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from databases import SqliteDatabases
from world import World, running_world

from .browser import Browser, Form
from .real import RealProvider
from .visitor import Visitor, openid_settings


@pytest.fixture
def below(sqlite_databases: SqliteDatabases, tmp_path: Path, provider: RealProvider) -> Iterator[World]:
    settings = openid_settings(provider.discovery)
    database_url = sqlite_databases.fresh(tmp_path / "data")
    with running_world(tmp_path, database_url=database_url, url_path="/games", **settings) as world:
        provider.serve(world.address)
        yield world


def test_people_sign_in_and_out_and_return_to_the_service(
    provider: RealProvider, below: World, browser: Browser
) -> None:
    provider.know(ada={"preferred_username": "ada"})
    visitor = Visitor(browser, below.address)
    visitor.start(redirect="/docs/api?q=1")
    assert visitor.authenticate("ada").startswith(f"{below.address}/auth/callback/oidc?")
    assert browser.follow() == f"{below.address}/docs/api?q=1"
    assert visitor.me is not None
    own = [cookie for name, cookie in browser.jar.at(below.address).items() if name.startswith("playdock_")]
    assert {(cookie.name, cookie.path) for cookie in own} == {
        ("playdock_openid.games", "/games"),
        ("playdock_session.games", "/games"),
    }
    browser.send(Form(f"{below.address}/auth/signout", "POST", {}))
    browser.follow()
    browser.submit(logout="yes")
    assert browser.follow(until=below.address).startswith(below.address)
    assert visitor.me is None
