"""What is typed is not lost when a page is left."""

import pytest
from playwright.sync_api import Dialog, Page, expect

from devices import device
from games import Release, add_game
from pages.conftest import Visit
from playdock.metadata.game_metadata import GameMetadata
from world import World


def _leave(page: Page) -> None:
    page.get_by_role("navigation").first.get_by_role("link", name="Store").click()


@pytest.mark.parametrize(
    ("address", "field"),
    [("/admin/news/new", "Title"), ("/games/{game}", "Note"), ("/account/notifications", "New folders")],
)
def test_leaving_a_page_with_unsaved_changes_is_confirmed(world: World, visit: Visit, address: str, field: str) -> None:
    world.admin()
    address = address.format(game=add_game(world, GameMetadata("Doom"), versions=[Release()]))
    page = visit("ada").open(address)
    changed = page.get_by_label(field).first
    if changed.get_attribute("type") == "checkbox":
        changed.uncheck()
    else:
        changed.fill("Not saved yet")

    _leave(page)
    dialog = page.get_by_role("dialog", name="Leave without saving?")
    dialog.get_by_role("button", name="Go back").click()
    expect(page).to_have_url(f"{world.address}{address}")
    if changed.get_attribute("type") == "checkbox":
        expect(changed).not_to_be_checked()
    else:
        expect(changed).to_have_value("Not saved yet")

    _leave(page)
    dialog.get_by_role("button", name="Leave").click()
    expect(page).to_have_url(f"{world.address}/")


def test_saved_changes_are_left_without_a_question(world: World, visit: Visit) -> None:
    world.admin()
    page = visit("ada").open("/admin/news/new")
    page.get_by_label("Title").fill("A new cup")
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("A new cup")

    page.goto(f"{world.address}/account/notifications")
    page.get_by_label("New folders").first.uncheck()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Notification settings saved", exact=True)).to_be_visible()
    _leave(page)
    expect(page).to_have_url(f"{world.address}/")


def test_another_tab_is_confirmed_and_restored_values_are_not(world: World, visit: Visit) -> None:
    world.admin()
    page = visit("ada").open("/account/notifications")
    kinds = page.get_by_label("New folders").first, page.get_by_label("New games").first
    for kind in kinds:
        kind.uncheck()
    page.get_by_role("link", name="Devices").click()
    page.get_by_role("dialog").get_by_role("button", name="Go back").click()
    expect(kinds[0]).not_to_be_checked()
    for kind in kinds:
        kind.check()
    page.get_by_role("link", name="Devices").click()
    expect(page).to_have_url(f"{world.address}/account/devices")


def test_the_back_button_closes_the_question_and_then_asks_again(world: World, visit: Visit) -> None:
    world.admin()
    page = visit("ada").open("/news")
    page.get_by_role("link", name="Write").first.click()
    page.get_by_label("Title").fill("Not saved yet")
    dialog = page.get_by_role("dialog", name="Leave without saving?")
    page.go_back()
    expect(dialog).to_be_visible()
    page.go_back()
    expect(dialog).to_have_count(0)
    expect(page.get_by_label("Title")).to_have_value("Not saved yet")
    page.go_back()
    dialog.get_by_role("button", name="Leave").click()
    expect(page).to_have_url(f"{world.address}/news")


def test_a_reload_is_confirmed_and_starting_the_app_is_not(world: World, visit: Visit) -> None:
    device(world, world.admin())
    visitor = visit("ada")
    page = visitor.open(f"/games/{add_game(world, GameMetadata('Doom'), versions=[Release()])}")
    asked: list[str] = []

    def accept(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", accept)
    page.get_by_label("Note").fill("Not saved yet")
    page.get_by_role("button", name="Install with the app").click()
    with page.expect_request("playdock://**"):
        page.get_by_role("link", name="Open in the app").click()
    page.keyboard.press("Escape")
    expect(page.get_by_label("Note")).to_have_value("Not saved yet")
    assert asked == []

    page.reload()
    assert asked == ["beforeunload"]
    visitor.complaints.clear()
