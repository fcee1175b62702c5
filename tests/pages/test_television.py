"""Big mode in the browser of a television, with the keys of its remote control alone."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from games import Release, add_game
from pages.browsing import Screen
from pages.conftest import Visit
from playdock.metadata.game_metadata import GameMetadata
from world import World

_WEBOS = "Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/108.0.5359.211 Safari/537.36"
_SCREEN = Screen(1920, 1080)
_BACK = """() => {
  const event = new KeyboardEvent("keydown", { keyCode: 461, bubbles: true, cancelable: true });
  (document.activeElement ?? document.body).dispatchEvent(event);
}"""
_FOCUSED = "() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent.trim()"


def _press_until(page: Page, key: str, is_there: Callable[[str], object]) -> None:
    """Press an arrow key until the element with a name has the focus."""
    for _ in range(12):
        page.keyboard.press(key)
        if is_there(page.evaluate(_FOCUSED) or ""):
            return
    raise AssertionError(page.evaluate(_FOCUSED))


def test_a_television_shows_big_mode_for_its_remote_control(world: World, visit: Visit) -> None:
    world.admin()
    add_game(world, GameMetadata("Portal"), versions=[Release()])
    television = visit("ada", screen=_SCREEN, program=_WEBOS)
    page = television.open("/store")
    expect(page.locator("html[data-big]")).to_have_count(1)
    game = page.get_by_role("link", name="Portal").first
    expect(game).to_be_focused()
    assert television.violations() == []

    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1, name="Portal")).to_be_visible()
    page.evaluate(_BACK)
    expect(page).to_have_url(re.compile("/store"))
    expect(game).to_be_focused()

    _press_until(page, "ArrowUp", lambda name: name in ("Playdock", "Store", "All games"))
    _press_until(page, "ArrowRight", lambda name: name.startswith("Account"))
    page.keyboard.press("Enter")
    expect(page.locator(":popover-open")).to_have_count(1)
    page.evaluate(_BACK)
    expect(page.locator(":popover-open")).to_have_count(0)
    expect(page).to_have_url(re.compile("/store"))
    page.keyboard.press("Enter")
    page.locator(":popover-open").get_by_text("Big mode").click()
    expect(page.locator("html[data-big]")).to_have_count(0)
    page.reload()
    expect(page.get_by_role("link", name="Portal").first).to_be_visible()
    expect(page.locator("html[data-big]")).to_have_count(0)


def test_other_browsers_begin_without_big_mode(world: World, visit: Visit) -> None:
    world.admin()
    add_game(world, GameMetadata("Portal"), versions=[Release()])
    page = visit("ada").open("/store")
    expect(page.get_by_role("link", name="Portal").first).to_be_visible()
    expect(page.locator("html[data-big]")).to_have_count(0)
