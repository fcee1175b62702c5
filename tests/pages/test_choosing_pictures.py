"""Choosing a game's images at the browser, from those of all providers."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from databases import SqliteDatabases
from drawing import png
from games import add_game
from pages.browsing import PHONE, Scheme
from pages.conftest import Visit
from playdock.metadata.game_metadata import GameMetadata, ImageOffer, Role
from playdock.metadata.providers import Manual, Providers
from shops import FakeProvider
from world import World, running_world

COVERS = {f"https://near.example/{number}.png": png(600, 900, color=(60 * number, 90, 40)) for number in range(4)}


@pytest.fixture
def world(sqlite_databases: SqliteDatabases, tmp_path: Path) -> Iterator[World]:
    offers = tuple(ImageOffer(Role.COVER, address, "Bea") for address in COVERS)
    near = FakeProvider("Near", {"n1": GameMetadata("Doom", pictures=offers)}, COVERS)
    far = FakeProvider("Far", {}, fault="it is closed")
    url = sqlite_databases.fresh(tmp_path / "data")
    with running_world(tmp_path, database_url=url, providers=Providers([near, far, Manual()])) as world:
        yield world


def test_an_image_is_chosen_from_those_of_all_providers(world: World, visit: Visit) -> None:
    admin = world.admin()
    game = add_game(world, GameMetadata("Doom", external_ids={"Near": "n1"}))
    visitor = visit("ada", screen=PHONE, scheme=Scheme.LIGHT)
    page = visitor.open(f"/admin/games/{game}/pictures")

    page.get_by_role("button", name="Find images").click()
    expect(page.get_by_text("The Far it is closed.")).to_be_visible()
    expect(page.get_by_role("button", name="Cover 4 The Near Bea")).to_be_visible()
    visitor.settle()
    assert (visitor.sideways(), visitor.violations()) == (0, [])
    page.get_by_role("button", name="Cover 2 The Near Bea").click()

    expect(page.get_by_text("Cover changed", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Cover 2")).to_contain_text("In use")
    page.get_by_label("Use as").select_option("Logo (0)")
    expect(page.get_by_text("No provider has such an image of this game.")).to_be_visible()
    found = admin.get(f"/api/v1/admin/game/{game}").json()
    assert [each["address"] for each in found["pictures"] if each["id"] == found["cover"]] == [list(COVERS)[1]]
