"""From the invitation to the first game, on a Linux that has nothing but a browser.

The browser is outside of the bare root folder in which the app is installed and runs; both are one machine.
"""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import vdf  # type: ignore[import-untyped]
from playwright.sync_api import Browser, Page, expect

from databases import SqliteDatabases
from pages.browsing import Screen, Visitor, visiting
from pages.conftest import browser
from real_games import real_version
from release.bare_root import command_in, environment_in, in_root
from world import PASSWORD, World, running_world

__all__ = ["browser"]

pytestmark = [pytest.mark.heavy, pytest.mark.network, pytest.mark.xdist_group("clients")]

_HOME = "home/ada"
_CLIENT = "/home/ada/.local/bin/playdock-client"
# The game needs a screen, which the bare folder has not; its stand-in runs until it is stopped.
_START = "play.sh"
_PROGRAM = b"#!/bin/sh\necho playing >played\nwhile :; do sleep 1; done\n"
_SMALL_PHONE = Screen(390, 800, touch=True)


@pytest.fixture
def world(sqlite_databases: SqliteDatabases, clients: Path, tmp_path: Path) -> Iterator[World]:
    database = sqlite_databases.fresh(tmp_path / "data")
    with running_world(tmp_path, database_url=database, clients=str(clients)) as found:
        yield found


def _release(world: World, version: str) -> None:
    """Put a version of the real game into the library; each has a file of its own."""
    folder = world.games / "Teeworlds" / version
    shutil.copytree(real_version(), folder)
    world.put(f"Teeworlds/{version}/{_START}", _PROGRAM, mode=0o755)
    world.put(f"Teeworlds/{version}/news.txt", version.encode())


def _register(visitor: Visitor, world: World, name: str) -> Page:
    page = visitor.open(f"/auth/register?id={world.invitation()}")
    page.get_by_label("User name", exact=True).fill(name)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Email address").fill(f"{name}@example.org")
    page.get_by_role("button", name="Create account").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Welcome, {name}")
    return page


def _install_app(page: Page, root: Path) -> None:
    """Get the app from the page after the registration, and install it."""
    page.get_by_role("link", name="Get the app").click()
    with page.expect_download() as downloading:
        page.get_by_role("link", name=re.compile("^Download")).first.click()
    archive = f"{_HOME}/Downloads/{downloading.value.suggested_filename}"
    downloading.value.save_as(root / archive)
    in_root(root, "tar", "-xzf", f"/{archive}", "-C", f"/{_HOME}/Downloads")
    in_root(root, "sh", f"/{_HOME}/Downloads/playdock-client/install.sh")


@contextmanager
def _app(root: Path) -> Iterator[str]:
    """Run the app, and return its link."""
    words = command_in(root, _CLIENT, "app", "--no-window", "--json")
    with subprocess.Popen(words, env=environment_in(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        assert process.stdout
        try:
            yield json.loads(process.stdout.readline())["link"]
        finally:
            process.terminate()


def _connect(visitor: Visitor, page: Page, link: str) -> None:
    """Sign the app in without typing anything."""
    page.goto(link)
    page.get_by_role("button", name=f"Connect to {visitor.address}").click()
    with visitor.context.expect_page() as opened:
        page.locator("#page").click()
    opened.value.get_by_role("button", name="Authorize").click()
    page.get_by_role("link", name="My library").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("My library")


def _steam_games(account: Path) -> list[str]:
    file = account / "shortcuts.vdf"
    return (
        [each["AppName"] for each in vdf.binary_loads(file.read_bytes())["shortcuts"].values()] if file.exists() else []
    )


def test_a_friend_gets_from_the_invitation_to_the_first_game(world: World, bare_root: Path, browser: Browser) -> None:
    admin = world.admin("host")
    _release(world, "1.0")
    game = world.import_game(admin, world.library(admin), "Teeworlds")
    assert world.import_version(admin, game, "1.0", launch=_START)["success"]
    steam = bare_root / _HOME / ".local/share/Steam/userdata/7/config"
    steam.mkdir(parents=True)
    with visiting(browser, world.address, elsewhere=("http://127.0.0.1:",)) as visitor:
        _install_app(_register(visitor, world, "ada"), bare_root)
        with _app(bare_root) as link:
            page = visitor.context.new_page()
            _connect(visitor, page, link)
            page.goto(f"{page.evaluate('location.origin')}/games/{game}")
            page.get_by_role("button", name="Install").click()
            page.get_by_role("dialog").get_by_role("button", name="Install").click()
            _play(page)
            [installed] = (bare_root / _HOME).rglob("games/Teeworlds")
            assert (installed / "played").read_text() == "playing\n"
            count = len([each for each in real_version().rglob("*") if each.is_file()])
            assert len([each for each in (installed / "usr").rglob("*") if each.is_file()]) == count

            # Else the app would not wait for the player.
            page.get_by_role("button", name="More for Teeworlds").click()
            page.get_by_role("menuitemcheckbox", name="Update automatically").click()
            page.keyboard.press("Escape")
            _release(world, "2.0")
            assert world.import_version(admin, game, "2.0", launch=_START)["success"]
            page.get_by_role("link", name="Downloads").click()
            page.get_by_role("button", name="Check for updates").click()
            page.go_back()
            page.get_by_role("button", name="Update to 2.0").click()
            _play(page)
            assert (installed / "news.txt").read_text() == "2.0"

            _menu(page, "Properties")
            page.get_by_label("In Steam").check()
            page.get_by_role("dialog").get_by_role("button", name="Save").click()
            expect(page.get_by_role("dialog")).to_have_count(0)
            assert _steam_games(steam) == ["Teeworlds"]
            _menu(page, "Uninstall")
            page.get_by_label("Also remove my own files").check()
            page.get_by_role("dialog").get_by_role("button", name="Uninstall").click()
            expect(page.get_by_role("button", name=re.compile("^Install"))).to_be_visible()
            assert (installed.exists(), _steam_games(steam)) == (False, [])


def _play(page: Page) -> None:
    """Play until the game is seen to run, and stop it."""
    page.get_by_role("button", name="Play", exact=True).click()
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    expect(page.get_by_text("Played for")).to_be_visible()


def _menu(page: Page, item: str) -> None:
    page.get_by_role("button", name="More for Teeworlds").click()
    page.get_by_role("menuitem", name=item).click()


def test_a_friend_with_a_phone_gets_from_the_invitation_to_the_computer(world: World, browser: Browser) -> None:
    admin = world.admin("host")
    world.put(f"Teeworlds/1.0/{_START}", _PROGRAM, mode=0o755)
    game = world.import_game(admin, world.library(admin), "Teeworlds")
    assert world.import_version(admin, game, "1.0", launch=_START)["success"]
    with visiting(browser, world.address, screen=_SMALL_PHONE) as visitor:
        page = _register(visitor, world, "ada")
        assert visitor.sideways() <= 0
        page.get_by_role("link", name="Get the app").click()
        assert visitor.sideways() <= 0
        page.goto(f"/games/{game}")
        page.get_by_role("button", name="Send to my PC").click()
        expect(page.get_by_role("dialog").get_by_role("link", name=re.compile("app"))).to_be_visible()
        assert visitor.sideways() <= 0
