"""Saved games on the page of a game."""

import hashlib

from playwright.sync_api import expect

from devices import device
from games import Release, add_game
from pages.conftest import Visit
from playdock.metadata.game_metadata import GameMetadata
from world import World


def test_a_player_sees_downloads_restores_and_deletes_saves(world: World, visit: Visit) -> None:
    bob = world.person("bob")
    doom = add_game(world, GameMetadata("Doom"), versions=[Release()])
    laptop, base = device(world, bob), ""
    for content in (b"level 1", b"level 2"):
        params = {"basedOn": base, "sha256": hashlib.sha256(content).hexdigest()}
        made = laptop.request("POST", f"/api/v1/user/games/{doom}/saves", params=params, content=content)
        base = made.json()["id"]

    visitor = visit("bob")
    page = visitor.open(f"/games/{doom}")
    rows = page.locator("section", has_text="Saved games").get_by_role("listitem")
    expect(rows).to_have_count(2)
    expect(rows.nth(0)).to_contain_text("Newest")
    expect(rows.nth(0)).to_contain_text("Ada's laptop")
    with page.expect_download() as download:
        rows.nth(1).get_by_role("link", name="Download").click()
    assert download.value.path().read_bytes() == b"level 1"

    rows.nth(1).get_by_role("button", name="Use as newest").click()
    expect(page.get_by_text("Saved game restored as the newest", exact=True)).to_be_visible()
    newest = next(each for each in bob.get("/api/v1/user/saves").json()["saves"] if each["newest"])
    assert bob.get(f"/api/v1/user/saves/{newest['id']}/content").content == b"level 1"

    rows.nth(1).get_by_role("button", name="Delete saved game").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(rows).to_have_count(1)
    visitor.settle()
