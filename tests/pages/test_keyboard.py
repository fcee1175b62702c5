"""With the keyboard alone, and always seeing where one is."""

from playwright.sync_api import Page, expect

from games import Release, add_game
from pages.conftest import Visit
from playdock.metadata.game_metadata import GameMetadata
from world import PASSWORD, World

_MAX_STEPS = 60
# What has the keyboard, and how one sees it: by an outline, or by what is chosen while one types.
_FOCUS = """() => {
  const at = document.activeElement;
  const style = getComputedStyle(at);
  const outlined = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
  return { name: at.tagName, seen: outlined || at.getAttribute('role') === 'combobox' };
}"""


def press(page: Page, key: str) -> None:
    """Press a key; wherever it leads is seen."""
    page.keyboard.press(key)
    found = page.evaluate(_FOCUS)
    assert found["name"] != "BODY", f"{key} leads nowhere"
    assert found["seen"], page.evaluate("document.activeElement.outerHTML")


def go_to(page: Page, name: str) -> None:
    """Press Tab until something of this name has the keyboard."""
    wanted = page.get_by_role("button", name=name).or_(page.get_by_role("link", name=name)).first
    expect(wanted).to_be_visible()
    for _ in range(_MAX_STEPS):
        press(page, "Tab")
        if wanted.evaluate("(one) => one === document.activeElement"):
            return
    raise AssertionError(f"{name} is not reached with the Tab key")


def sign_in(page: Page) -> None:
    expect(page.get_by_label("User name")).to_be_focused()
    page.keyboard.type("bob")
    press(page, "Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Account: bob")).to_be_visible()


def test_a_user_can_sign_in_and_add_a_game_with_the_keyboard_alone(world: World, visit: Visit) -> None:
    bob = world.person("bob")
    game = add_game(world, GameMetadata("Hades"), versions=[Release()])
    add_game(world, GameMetadata("Quake"), versions=[Release()])
    page = visit().open("/auth/signin")
    sign_in(page)

    page.keyboard.press("/")
    expect(page.get_by_role("combobox")).to_be_focused()
    page.keyboard.type("hdaes")
    expect(page.get_by_role("option", name="Hades")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Hades")

    go_to(page, "Add to my library")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="In my library")).to_be_focused()
    assert [each["gameId"] for each in bob.get("/api/v1/collection/default").json()["entries"]] == [game]


def test_the_arrow_keys_move_through_the_command_palette(world: World, visit: Visit) -> None:
    world.person("bob")
    page = visit("bob").open("/library")
    page.keyboard.press("Control+k")
    options = page.get_by_role("option")
    expect(options.first).to_have_attribute("aria-selected", "true")
    press(page, "ArrowDown")
    expect(options.nth(1)).to_have_attribute("aria-selected", "true")
    press(page, "ArrowUp")
    press(page, "ArrowUp")
    expect(options.last).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Escape")
    expect(page.get_by_role("combobox")).to_have_count(0)


def test_a_dialog_traps_the_focus_and_restores_it(world: World, visit: Visit) -> None:
    world.person("bob")
    page = visit("bob").open("/collections")
    go_to(page, "New collection")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    dimmed = page.locator("[data-state=open].fixed.inset-0").evaluate("(one) => one.getBoundingClientRect().width")
    assert dimmed == page.evaluate("innerWidth")
    for _ in range(8):
        press(page, "Tab")
        assert dialog.evaluate("(one) => one.contains(document.activeElement)")
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="New collection").first).to_be_focused()


def test_the_navigation_can_be_skipped(world: World, visit: Visit) -> None:
    world.person("bob")
    page = visit("bob").open("/library")
    go_to(page, "Skip to content")
    page.keyboard.press("Enter")
    expect(page.locator("#content")).to_be_focused()
