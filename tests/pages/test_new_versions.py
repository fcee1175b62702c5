"""New versions at the browser: why they are not imported, and folders that may be versions of games."""

import pytest
from playwright.sync_api import Page, expect

from pages.conftest import Visit
from plans import PROGRAM, computed
from scanning import look, set_rules
from versions_to_import import pack
from world import World


def test_the_reason_is_given_below_a_version_that_is_not_imported(world: World, visit: Visit) -> None:
    admin = world.admin()
    world.put("Doom/1.0/doom", PROGRAM, mode=0o755)
    game = world.import_game(admin, world.library(admin), "Doom")
    assert world.import_version(admin, game, "1.0", launch="doom")["success"]
    archive = pack(world.games / "Doom" / "1.1.zip", {"doom": PROGRAM})
    archive.write_bytes(archive.read_bytes()[:-30])
    for later in (0, 31):
        look(world, admin, later=later)
    page = visit("ada").open("/admin/import")
    page.get_by_role("button", name="Import it").click()
    reason = "1.1.zip: The archive is damaged or incomplete. Copy it here again."
    expect(page.get_by_text(reason)).to_be_visible()
    expect(page.get_by_text("No new games")).to_be_visible()


def test_a_game_folder_that_cannot_be_read_is_named(world: World, visit: Visit) -> None:
    admin = world.admin()
    world.put("Doom/1.0/doom", PROGRAM, mode=0o755)
    library = world.library(admin)
    world.games.rename(world.folder / "away")
    page = visit("ada").open("/admin/import")
    notice = f"The game folder {library['name']} cannot be read at the moment."
    expect(page.get_by_text(notice)).to_be_visible()
    page.get_by_role("link", name="Show game folders").click()
    expect(page).to_have_url(f"{world.address}/admin/libraries")


@pytest.fixture
def reviewed(world: World, visit: Visit) -> Page:
    """The page of a folder that a rule has not added to a game of the same name."""
    admin = world.admin()
    for version, program in (("1.0", "doom"), ("1.1", "other")):
        world.put(f"Doom {version}/{program}", PROGRAM, mode=0o755)
    library = world.library(admin, backend="FlatFilesystem")
    game = world.import_game(admin, library, "Doom 1.0")
    assert world.import_version(admin, game, "default", launch="doom")["success"]
    computed(world, admin)
    set_rules(admin, library, importVersions=True)
    for later in (0, 31, 31):
        look(world, admin, later=later)
    return visit("ada").open("/admin/import")


def test_a_folder_that_may_be_a_version_is_opened_and_says_why_the_rule_did_not_add_it(reviewed: Page) -> None:
    expect(reviewed.get_by_role("button", name="Import as “Doom”")).to_have_count(0)
    reviewed.get_by_role("button", name="Review Doom 1.1").click()
    expect(reviewed.get_by_role("heading", name="Which game is it?")).to_be_visible()
    reason = "The rule imports only versions that have the program of the newest one, “doom”."
    expect(reviewed.locator("p").filter(has_text=reason)).to_be_visible()
    expect(reviewed.get_by_role("button", name="Add to Doom", exact=True)).to_be_visible()
