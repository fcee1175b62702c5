"""What administrators do with clicks alone when a library has grown: move versions, delete old ones, look back."""

import shutil
from pathlib import Path

from playwright.sync_api import expect

from library_files import delete_game, done, doom, files_of, quake, versions_of, write
from pages.conftest import Visit
from spoiling import damaged_files, verify_all
from uploads import folder_of, managed_library
from waiting import wait_until
from world import World


def test_a_version_is_moved_to_another_game_and_the_audit_log_says_so(world: World, visit: Visit) -> None:
    admin = world.admin()
    library, game = doom(world, admin, "1.0", "1.1")
    other = quake(world, admin, library, "1.0")
    page = visit("ada").open(f"/admin/games/{game}/versions")
    page.get_by_role("button", name="Actions for 1.1").click()
    page.get_by_role("menuitem", name="Move to another game").click()
    dialog = page.get_by_role("dialog", name="Move 1.1 to another game")
    expect(dialog.get_by_role("button", name="Move to another game")).to_be_disabled()
    dialog.get_by_label("Game").first.fill("quak")
    expect(dialog.get_by_role("radio")).to_have_count(1)
    dialog.get_by_label("Quake").check()
    dialog.get_by_role("button", name="Move to another game").click()
    wait_until(lambda: list(versions_of(admin, other)) == ["1.1", "1.0"])
    expect(page.get_by_role("button", name="Actions for 1.1")).to_have_count(0)
    assert "Quake/1.1/doom" in files_of(library)

    page.goto(f"{world.address}/admin/audit")
    log = page.get_by_role("grid", name="Audit log")
    expect(log).to_contain_text("Files of a version renamed or moved · Doom · 1.1")
    page.get_by_label("Search names, addresses, ids and details").fill(other)
    expect(log.get_by_role("row").filter(has_text="renamed or moved")).to_have_count(1)
    page.get_by_label("Last day").fill("2020-01-01")
    expect(page.get_by_text("No matching changes")).to_be_visible()
    page.get_by_role("button", name="Show all").click()
    expect(log.get_by_role("row").filter(has_text="renamed or moved")).to_have_count(1)


def test_old_versions_are_found_and_deleted(world: World, visit: Visit) -> None:
    admin = world.admin()
    library, game = doom(world, admin, "1.0", "1.1", "1.2", "1.3")
    page = visit("ada").open("/admin/trash")
    page.get_by_label("Versions to keep").select_option("2")
    page.get_by_role("button", name="Find old versions").click()
    expect(page.get_by_text("Doom · 1.0 · Linux")).to_be_visible()
    expect(page.get_by_text("Doom · 1.2 · Linux")).to_have_count(0)
    page.get_by_role("button", name="Move all to trash").click()
    sure = page.get_by_role("alertdialog").or_(page.get_by_role("dialog"))
    sure.get_by_role("button", name="Move to trash").click()

    wait_until(lambda: list(versions_of(admin, game)) == ["1.3", "1.2"])
    kept = {Path(name).parts[1] for name in files_of(library)}
    assert kept == {"1.2", "1.3"}
    assert (folder_of(library) / ".playdock/trash").is_dir()


def test_what_is_not_imported_is_moved_to_the_trash_and_back(world: World, visit: Visit) -> None:
    admin = world.admin()
    library = managed_library(admin)
    write(library, "Doom/1.0/doom")
    write(library, "Doom/half-copied.7z", b"7z")
    page = visit("ada").open("/admin/import")
    row = page.get_by_role("row").filter(has_text="Doom")
    row.get_by_role("gridcell").nth(1).click()
    page.get_by_role("button", name="Move to trash … Doom/half-copied.7z").click()
    sure = page.get_by_role("alertdialog").or_(page.get_by_role("dialog"))
    sure.get_by_role("button", name="Move to trash").click()
    expect(page.get_by_text("Doom/half-copied.7z was moved to the trash", exact=True)).to_be_visible()
    assert files_of(library) == ["Doom/1.0/doom"]

    page.goto(f"{world.address}/admin/trash")
    page.get_by_role("button", name="Restore Doom · half-copied.7z").click()
    expect(page.get_by_text("The trash is empty")).to_be_visible()
    assert files_of(library) == ["Doom/1.0/doom", "Doom/half-copied.7z"]


def test_what_is_deleted_while_the_trash_is_open_appears_there(world: World, visit: Visit) -> None:
    admin = world.admin()
    _, game = doom(world, admin, "1.0")
    page = visit("ada").open("/admin/trash")
    expect(page.get_by_text("The trash is empty")).to_be_visible()
    assert done(world, admin, delete_game(admin, game))["success"]
    expect(page.get_by_role("button", name="Restore Doom")).to_be_visible()


def test_a_version_that_was_renamed_is_found_again(world: World, visit: Visit) -> None:
    admin = world.admin()
    library, game = doom(world, admin, "1.0", "1.1")
    (folder_of(library) / "Doom/1.0").rename(folder_of(library) / "Doom/Doom 1.0 GOG")
    verify_all(world, admin)
    page = visit("ada").open("/admin/damage")
    page.get_by_role("link", name="Missing games").click()
    expect(page.get_by_text("Previously in Uploads / Doom / 1.0", exact=True)).to_be_visible()
    expect(page.get_by_text("Uploads / Doom / Doom 1.0 GOG", exact=True)).to_be_visible()
    page.get_by_role("button", name="Use this").click()
    sure = page.get_by_role("alertdialog").or_(page.get_by_role("dialog"))
    sure.get_by_role("button", name="Use this").click()
    expect(page.get_by_text("No missing games")).to_be_visible()
    wait_until(lambda: damaged_files(admin) == [])
    assert list(versions_of(admin, game)) == ["1.1", "Doom 1.0 GOG"]


def test_missing_games_and_versions_are_deleted_where_they_are_listed(world: World, visit: Visit) -> None:
    admin = world.admin()
    for path in ("Doom/1.0/doom", "Doom/1.1/doom", "Hades/1.0/hades", "Quake/1.0/quake"):
        world.put(path, b"program")
    library = world.library(admin)
    games = {name: world.import_game(admin, library, name) for name in ("Doom", "Hades", "Quake")}
    for name, version in (("Doom", "1.0"), ("Doom", "1.1"), ("Hades", "1.0"), ("Quake", "1.0")):
        assert world.import_version(admin, games[name], version, launch=name.lower())["success"]
    shutil.rmtree(world.games / "Doom/1.0")
    shutil.rmtree(world.games / "Hades")
    verify_all(world, admin)
    page = visit("ada").open("/admin/damage/moved")
    for name in ("Hades", "Doom 1.0"):
        page.get_by_role("button", name=f"Delete {name}", exact=True).click()
        sure = page.get_by_role("alertdialog").or_(page.get_by_role("dialog"))
        sure.get_by_role("button", name="Delete").click()
        expect(page.get_by_text(f"Deleted {name}", exact=True)).to_be_visible()
    expect(page.get_by_text("No missing games")).to_be_visible()
    assert admin.get(f"/api/v1/games/{games['Hades']}").status_code == 404
    assert [each["name"] for each in admin.get(f"/api/v1/games/{games['Doom']}/versions").json()] == ["1.1"]
