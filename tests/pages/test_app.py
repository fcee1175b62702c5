"""The app in a real browser: from the first start to playing, updating and uninstalling a game."""

import os
import re
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from client.app.window import App, install_browser, running_app, wait_for_lines
from client.commands.conftest import Player, ServerWithGames
from client.local_network import answer, answering
from client.proxy import proxy
from pages.browsing import PHONE, Scheme, Visitor, visiting
from world import Caller, World

_GAME = b"#!/bin/sh\necho played\nexec sleep 600\n"
_BROKEN = b"#!/bin/sh\necho the sound card is missing >&2\nexit 3\n"
# A gamepad that a test holds. A press lasts until the pages have read it.
_GAMEPAD = """
  const frame = () => new Promise(requestAnimationFrame);
  const pad = { connected: true, axes: [0, 0, 0, 0], buttons: Array.from({ length: 17 }, () => ({ pressed: false })) };
  let reads = 0;
  navigator.getGamepads = () => {
    reads += 1;
    return [pad];
  };
  window.press = async (button) => {
    // A page ignores what is pressed when it begins to read.
    while (reads < 2) await frame();
    for (const pressed of [true, false]) {
      pad.buttons[button].pressed = pressed;
      await frame();
      await frame();
    }
  };
"""
# What has the focus, once something has it: its name, whether one sees that it has the focus, and whether one sees it.
_FOCUSED = """async () => {
  while (!document.activeElement?.matches('a, button, select, input')) await new Promise(requestAnimationFrame);
  const at = document.activeElement;
  const style = getComputedStyle(at);
  const { left, top, right, bottom } = at.getBoundingClientRect();
  return {
    name: at.getAttribute('aria-label') ?? at.innerText.trim(),
    outlined: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 3,
    shown: right > 0 && bottom > 0 && left < innerWidth && top < innerHeight,
  };
}"""
# As in a private window of WebKit.
_NO_STORAGE = """
  for (const name of ["localStorage", "sessionStorage"])
    Object.defineProperty(window, name, { value: null, configurable: true });
"""
_A, _B, _NEXT, _MENU, _UP, _DOWN, _LEFT, _RIGHT = 0, 1, 5, 9, 12, 13, 14, 15


@pytest.fixture
def shop(world: World) -> ServerWithGames:
    """A server with a game of one version, and an administrator who plays."""
    (world.games / "Doom").mkdir(parents=True)
    admin = world.admin()
    game = world.import_game(admin, world.library(admin), "Doom")
    found = ServerWithGames(world, admin, admin, game)
    found.release("1.0", {"doom": _GAME, "level": b"1" * 300_000}, executable="doom")
    return found


@pytest.fixture
def player(tmp_path: Path) -> Player:
    home = tmp_path / "player"
    home.mkdir()
    programs = install_browser(tmp_path / "programs")
    return Player(home, {"PATH": f"{programs}:{os.environ['PATH']}"})


@pytest.fixture
def app(player: Player, shop: ServerWithGames) -> Iterator[App]:
    """The app of somebody who has never used it; it asks for this server, which it also finds on the network."""

    def answers(nonce: str) -> list[bytes]:
        here = answer(nonce, port=int(shop.address.rpartition(":")[2]))
        return [here, answer(nonce, id="2", name="<b>Attic", address="http://nas:3000")]

    with answering(answers) as (host, port):
        player.environment["PLAYDOCK_DISCOVERY"] = f"{host}:{port}"
        with running_app(player, shop.address) as running:
            yield running


@pytest.fixture
def visitor(browser: Browser, app: App) -> Iterator[Visitor]:
    with visiting(browser, app.origin, scheme=Scheme.LIGHT, elsewhere=("http://127.0.0.1:",)) as found:
        yield found


def _sign_in(visitor: Visitor, app: App, shop: ServerWithGames, *, nearby: bool = False) -> Page:
    """Connect the app to its server, as an administrator who confirms the code elsewhere."""
    page = visitor.page
    page.goto(app.link)
    expect(page.get_by_label("Server address")).to_have_value(shop.address)
    if nearby:
        _select_unencrypted(page)
    assert visitor.violations() == []
    page.get_by_role("button", name=f"Arcade {shop.address}" if nearby else "Continue").click()
    code = page.locator("#code")
    expect(code).not_to_be_empty()
    assert visitor.violations() == []
    body = {"userCode": code.inner_text(), "approve": True}
    assert shop.admin.post("/api/v1/user/client/request", body).status_code == 204
    expect(page.get_by_role("link", name="My library").first).to_be_visible()
    # The pages of the server have an origin of their own.
    visitor.address = page.evaluate("location.origin")
    return page


def _select_unencrypted(page: Page) -> None:
    """Select a server that others on the network can pretend to be; it needs consent."""
    consent = page.get_by_label("I trust this network")
    expect(consent).not_to_be_visible()
    page.get_by_role("button", name="<b>Attic http://nas:3000").click()
    expect(consent).to_be_visible()
    expect(consent).not_to_be_checked()
    expect(page.get_by_label("Server address")).to_have_value("http://nas:3000")


def test_a_game_is_installed_played_updated_and_uninstalled(
    visitor: Visitor, app: App, shop: ServerWithGames, player: Player
) -> None:
    page = _sign_in(visitor, app, shop, nearby=True)
    expect(page.get_by_role("link", name="Administration")).to_have_count(0)
    page.goto(f"{visitor.address}/games/{shop.game}")
    page.get_by_role("button", name="Install").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Folder")).to_be_visible()
    assert visitor.violations() == []
    dialog.get_by_role("button", name="Install").click()

    page.get_by_role("button", name="Play", exact=True).click()
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    expect(page.get_by_text("Played for")).to_be_visible()
    assert visitor.violations() == []

    shop.release("2.0", {"doom": _BROKEN, "level": b"2" * 300_000}, executable="doom")
    newest = shop.program.get(f"/api/v1/games/{shop.game}/versions").json()[-1]["id"]
    notes = {"title": "Louder", "description": "", "content": "**More** demons.", "versionId": newest}
    assert shop.admin.post("/api/v1/admin/news", notes).is_success
    page.get_by_role("button", name="More for Doom").click()
    page.get_by_role("menuitemcheckbox", name="Update automatically").click()
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Downloads").click()
    page.get_by_role("button", name="Check for updates").click()
    expect(page.get_by_role("heading", name="This app")).to_be_visible()
    assert visitor.violations() == []
    page.go_back()
    # The game's page has the notes, too.
    expect(page.get_by_text("Louder")).to_be_visible()
    page.get_by_role("button", name="Update to 2.0").click()
    dialog = page.get_by_role("dialog", name="What is new in Doom")
    expect(dialog.get_by_text("demons")).to_be_visible()
    assert visitor.violations() == []
    dialog.get_by_role("button", name="Update").click()
    expect(dialog).to_have_count(0)
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.get_by_text("the sound card is missing")).to_be_visible()

    page.set_viewport_size({"width": PHONE.width, "height": PHONE.height})
    assert visitor.sideways() <= 0
    rows = [page.get_by_role("button", name=name).bounding_box() for name in ("Collections", "More for Doom")]
    assert len({round(box["y"] + box["height"] / 2) for box in rows if box}) == 1, "the menu is beside a button"
    page.get_by_role("button", name="More for Doom").click()
    page.get_by_role("menuitem", name="Uninstall").click()
    page.get_by_role("dialog").get_by_role("button", name="Uninstall").click()
    expect(page.get_by_role("button", name=re.compile("^Install"))).to_be_visible()
    assert list((player.home / "games").glob("*")) == []


def test_without_its_server_an_installed_game_is_played(
    browser: Browser, player: Player, shop: ServerWithGames
) -> None:
    with ExitStack() as online, ExitStack() as opened:
        server = online.enter_context(proxy(shop.address)).address
        player.sign_in(server, shop.program.token)
        assert player.run("install", shop.game).status == 0
        app = opened.enter_context(running_app(player, server))
        page = opened.enter_context(visiting(browser, app.origin, elsewhere=("http://127.0.0.1:",))).page
        page.add_init_script(_NO_STORAGE)
        page.goto(app.link)
        expect(page.get_by_role("link", name="My library").first).to_be_visible()
        game = f"{page.evaluate('location.origin')}/games/{shop.game}"
        page.goto(game)
        expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
        online.close()
        page.goto(game)
        expect(page.get_by_role("status").get_by_text("Offline")).to_be_visible()
        page.get_by_role("button", name="Play", exact=True).click()
        page.get_by_role("button", name="Stop").click()
        expect(page.get_by_text("Played for")).to_be_visible()


def test_a_link_is_shown_in_the_open_window_until_the_app_ends(
    visitor: Visitor, app: App, shop: ServerWithGames, player: Player, tmp_path: Path
) -> None:
    page = _sign_in(visitor, app, shop)
    # The app opened no window for this browser. It opens one now, and takes the newest page for the one in it.
    assert player.run("app").status == 0
    wait_for_lines(tmp_path / "programs/record", 2)
    page.reload()
    expect(page.get_by_role("link", name="My library").first).to_be_visible()
    assert player.run("open-url", f"playdock://install/{quote(shop.address, safe='')}/{shop.game}").status == 0
    expect(page).to_have_url(f"{visitor.address}/games/{shop.game}")
    app.process.terminate()
    app.process.wait(120)
    with suppress(TimeoutError):
        expect(page.get_by_text("App closed")).to_be_visible()


def _press(page: Page, *buttons: int) -> str:
    """Press buttons of the gamepad; wherever they lead is seen. Return the name of what has the focus then."""
    found = page.evaluate(_FOCUSED)
    for button in buttons:
        page.evaluate("(button) => window.press(button)", button)
        found = page.evaluate(_FOCUSED)
        assert found["outlined"], found
        assert found["shown"], found
    name: str = found["name"]
    return name


def _sign_in_by_gamepad(page: Page, user: Caller) -> None:
    expect(page.get_by_label("Server address")).to_be_focused()
    _press(page, _A)
    expect(page.get_by_role("button", name="Use another server")).to_be_focused()
    _press(page, _B)
    expect(page.get_by_label("Server address")).to_be_focused()
    assert [_press(page, each) for each in (_DOWN, _DOWN, _UP, _DOWN)] == ["Continue", "Continue", "", "Continue"]
    _press(page, _A)
    expect(page.get_by_role("button", name="Use another server")).to_be_focused()
    body = {"userCode": page.locator("#code").inner_text(), "approve": True}
    assert user.post("/api/v1/user/client/request", body).status_code == 204


def test_big_mode_is_used_with_a_gamepad_alone(browser: Browser, player: Player, shop: ServerWithGames) -> None:
    bob = shop.world.person("bob")
    with (
        running_app(player, "--big", shop.address) as app,
        visiting(browser, app.origin, scheme=Scheme.DARK, elsewhere=("http://127.0.0.1:",)) as visitor,
    ):
        page = visitor.page
        page.add_init_script(_GAMEPAD)
        page.goto(app.link)
        _sign_in_by_gamepad(page, bob)
        expect(page.get_by_role("link", name="View game")).to_be_focused()
        visitor.address = page.evaluate("location.origin")
        _press(page, _A)
        expect(page.get_by_role("button", name="Install")).to_be_focused()
        _press(page, _A)
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_label("Folder")).to_be_focused()
        assert visitor.violations() == []
        while _press(page, _DOWN) not in ("Cancel", "Install"):
            pass
        assert [_press(page, button) for button in (_RIGHT, _LEFT)] == ["Install", "Cancel"]
        _press(page, _B)
        expect(dialog).to_have_count(0)
        expect(page.get_by_role("button", name="Install")).to_be_focused()

        _press(page, _B)
        expect(page.get_by_role("link", name="View game")).to_be_focused()
        while _press(page, _UP) not in ("Store", "Playdock"):
            pass
        while _press(page, _RIGHT) != "Downloads":
            pass
        _press(page, _A)
        expect(page.get_by_role("button", name="Check for updates")).to_be_focused()
        assert visitor.violations() == []
        _press(page, _NEXT)
        expect(page.get_by_role("link", name="View game")).to_be_focused()
        # Through all pages, to the store again.
        for _ in range(5):
            _press(page, _NEXT, _DOWN)
        expect(page).to_have_url(f"{visitor.address}/")
        expect(page.get_by_role("link", name="View game")).to_be_visible()

        page.reload()
        big = page.locator("html[data-big]")
        expect(big).to_have_count(1)
        _press(page, _MENU)
        while _press(page, _DOWN) != "Big mode":
            pass
        page.evaluate("(button) => window.press(button)", _A)
        expect(big).to_have_count(0)
        page.reload()
        expect(page.get_by_role("link", name="View game")).to_be_visible()
        expect(big).to_have_count(0)
