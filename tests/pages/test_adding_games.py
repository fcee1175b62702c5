"""A folder with everything that people have is added with clicks alone, without internet."""

import pytest
from playwright.sync_api import expect

from pages.conftest import Visit
from plans import PROGRAM
from playdock.storage import unpacking
from what_people_have import ARCHIVES, UNUSABLE, put_games
from world import World

if unpacking.library_version() is None:
    pytest.skip("libarchive is not installed", allow_module_level=True)


def test_everything_is_in_the_store_or_says_why_not(world: World, visit: Visit) -> None:
    world.admin()
    put_games(world.games, world.folder / "sources")
    visitor = visit("ada")
    page = visitor.open("/admin/libraries?add=1")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name", exact=True).fill("Ours")
    dialog.get_by_label("Path", exact=True).fill(str(world.folder))
    dialog.get_by_role("button", name="Browse folders").click()
    browser = dialog.get_by_role("region", name="Folders on the server")
    browser.get_by_role("button", name="games").click()
    expect(browser.get_by_role("status")).to_have_text(str(world.games))
    browser.get_by_role("button", name="Use this folder").click()

    found = dialog.get_by_role("region", name="Found in this folder")
    expect(found.get_by_role("status")).to_contain_text(f"{len(ARCHIVES) + 6} games found")
    expect(found).to_contain_text("Recognized layout: Mixed")
    expect(dialog.get_by_label("Mixed")).to_be_checked()
    dialog.get_by_role("button", name="Add a game folder").click()
    expect(page).to_have_url(f"{world.address}/admin/import")

    page.get_by_role("button", name="Import without review …").click()
    page.get_by_role("dialog").get_by_role("button", name="Import everything").click()
    rows = page.get_by_role("row").filter(has=page.get_by_role("gridcell"))
    expect(rows).to_have_count(len(UNUSABLE))
    for name, reason in UNUSABLE.items():
        row = rows.filter(has_text=name)
        expect(row).to_have_count(1)
        row.get_by_role("gridcell").nth(1).click()
        details = page.get_by_label("Folder details")
        expect(details).to_contain_text(reason)
    # The installer's parts are no games.
    expect(page.get_by_text("Cannot be imported")).to_have_count(0)

    page.goto(f"{world.address}/store")
    expect(page.get_by_role("link", name="Folder")).to_be_visible()
    for name in (*(f"Packed {suffix}" for suffix in ARCHIVES), "quake"):
        expect(page.get_by_role("link", name=name)).to_have_count(1)


def test_a_folder_that_is_no_game_is_ignored_with_a_click_and_offered_again(world: World, visit: Visit) -> None:
    world.library(world.admin())
    for path in ("Doom/1.0/doom", "Redist/1.0/redist"):
        (world.games / path).parent.mkdir(parents=True)
        (world.games / path).write_bytes(PROGRAM)
    page = visit("ada").open("/admin/import")
    page.get_by_role("row").filter(has_text="Redist").get_by_role("button", name="No metadata").click()
    page.get_by_role("button", name="Ignore Redist").click()

    expect(page.get_by_text("Redist is ignored from now on", exact=True)).to_be_visible()
    expect(page.get_by_role("row").filter(has_text="Redist")).to_have_count(0)
    expect(page.get_by_role("row").filter(has_text="Doom")).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("row").filter(has_text="Redist")).to_have_count(1)
