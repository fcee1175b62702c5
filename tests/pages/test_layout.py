"""How pages look in the light theme, on a phone, in a short window, and when their program cannot be loaded."""

import re

from playwright.sync_api import expect

from games import Release, add_game
from pages.browsing import Scheme, Screen
from pages.conftest import Visit
from playdock.metadata.game_metadata import GameMetadata, Role
from world import World

_COLOR_SCHEME = "(one) => getComputedStyle(one).colorScheme"
_CUT_OFF = "(one) => one.scrollWidth > one.clientWidth"


def test_pages_are_legible_on_small_screens(world: World, visit: Visit) -> None:
    world.admin()
    game = add_game(world, GameMetadata("Portal"), versions=[Release()], pictures=[Role.BANNER])
    phone = visit("ada", screen=Screen(390, 800, touch=True), scheme=Scheme.LIGHT)
    page = phone.open(f"/games/{game}")
    head = page.locator("main header").first
    assert head.evaluate(_COLOR_SCHEME) == "dark", "white logos are legible on a dark ground only"
    page.get_by_role("button", name=re.compile("^Account")).click()
    expect(page.get_by_role("region", name="Administration").get_by_role("link", name="Dashboard")).to_be_visible()

    phone.open("/games")
    expect(page).to_have_url(re.compile("/store$"))
    for name in ("Platform", "Sort by"):
        select = page.get_by_role("combobox", name=name)
        box = select.bounding_box()
        assert box is not None
        assert 0 <= box["x"] <= 390 - box["width"], name
        assert not select.evaluate(_CUT_OFF), name

    page.set_viewport_size({"width": 640, "height": 400})
    phone.open(f"/games/{game}")
    button = (
        page.locator("main header")
        .get_by_role("link", name=re.compile("Download"))
        .or_(page.locator("main header").get_by_role("button", name=re.compile("Download")))
    )
    action = button.first.bounding_box()
    assert action is not None
    assert action["y"] + action["height"] <= 400, "a window at 200% zoom shows the action first"


def test_a_page_that_cannot_be_loaded_says_so(world: World, visit: Visit) -> None:
    world.admin()
    visitor = visit("ada")
    page = visitor.open("/store")
    page.route(re.compile("/CollectionsPage-"), lambda route: route.abort())
    page.get_by_role("navigation").first.get_by_role("link", name="Collections").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("This page could not be loaded")
    page.unroute_all()
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Collections")
    visitor.complaints.clear()


def test_a_page_stays_while_the_server_is_away_and_is_loaded_when_it_is_back(world: World, visit: Visit) -> None:
    world.admin()
    visitor = visit("ada")
    page = visitor.open("/store")
    page.route("**/*", lambda route: route.abort())
    page.get_by_role("navigation").first.get_by_role("link", name="Collections").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("This page could not be loaded")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("button", name="Try again")).to_be_enabled()
    expect(page.get_by_role("heading", level=1)).to_have_text("This page could not be loaded")
    page.unroute_all()
    expect(page.get_by_role("heading", level=1)).to_have_text("Collections")
    visitor.complaints.clear()
