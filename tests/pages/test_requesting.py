"""Requests for games at the browser."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from databases import SqliteDatabases
from pages.conftest import Visit
from plans import GAMES
from playdock.metadata.providers import Providers
from shops import PatientShop
from world import World, running_world


@pytest.fixture
def shop() -> PatientShop:
    return PatientShop("Steam", GAMES, waits=threading.Semaphore(0))


@pytest.fixture
def world(sqlite_databases: SqliteDatabases, tmp_path: Path, shop: PatientShop) -> Iterator[World]:
    """A service whose only provider takes its time."""
    url = sqlite_databases.fresh(tmp_path / "data")
    with running_world(tmp_path, database_url=url, providers=Providers([shop])) as world:
        yield world
        assert shop.waits is not None
        shop.waits.release(100)


def test_a_game_can_be_requested_by_name_before_providers_have_responded(world: World, visit: Visit) -> None:
    world.admin()
    world.person("bob")
    page = visit("bob").open("/requests")
    page.get_by_role("button", name="Request a game").first.click()
    page.get_by_label("Name of the game").fill("Half Moon")
    expect(page.get_by_text("Request this game by its name.")).to_be_visible()
    page.get_by_role("button", name="Request Half Moon").click()
    expect(page.get_by_role("button", name="Half Moon: 1 player wants it")).to_be_visible()
    page.get_by_role("button", name="Half Moon: 1 player wants it").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("button", name="Half Moon: 1 player wants it")).to_have_count(0)


def test_the_back_button_closes_a_dialog_first(world: World, visit: Visit) -> None:
    world.person("bob")
    page = visit("bob").open("/requests")
    page.get_by_role("navigation").first.get_by_role("link", name="Collections").click()
    page.get_by_role("button", name="New collection").first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox").fill("Evenings")
    page.go_back()
    expect(dialog).to_have_count(0)
    expect(page).to_have_url(f"{world.address}/collections")
    page.go_back()
    expect(page).to_have_url(f"{world.address}/requests")
    page.go_forward()
    expect(page).to_have_url(f"{world.address}/collections")
