"""Downloading archives with the browser."""

import zipfile

from playwright.sync_api import expect

from pages.conftest import Visit
from world import World


def test_a_download_that_cannot_start_says_why(world: World, visit: Visit) -> None:
    world.put("Doom/1.0/doom", b"program")
    admin = world.admin()
    game = world.import_game(admin, world.library(admin), "Doom")
    assert world.import_version(admin, game, "1.0", launch="doom")["success"]
    world.person("bob")
    page = visit("bob").open(f"/games/{game}")
    away = world.games.rename(world.folder / "elsewhere")

    for name in ("Download 7 bytes", "Download 1.0 as a ZIP archive"):
        page.get_by_role("link", name=name).click()
        told = page.get_by_role("status").filter(has_text="currently unavailable")
        expect(told).to_be_visible()
        expect(page.get_by_role("dialog")).to_have_count(0)
        told.get_by_role("button", name="Close").click()

    page.reload()
    notice = page.get_by_role("status").filter(has_text="The storage of this game cannot be read now.")
    expect(notice).to_be_visible()
    away.rename(world.games)
    with page.expect_response("**/availability"):
        page.reload()
    expect(page.get_by_role("link", name="Download 1.0 as a ZIP archive")).to_be_visible()
    expect(notice).to_have_count(0)
    with page.expect_download() as downloading:
        page.get_by_role("link", name="Download 1.0 as a ZIP archive").click()
    assert zipfile.ZipFile(downloading.value.path()).read("doom") == b"program"
    expect(page.get_by_role("dialog", name="Your download has started")).to_be_visible()
