"""Importing at the browser: the plan swept by keyboard, what fails and is tried again, and progress as it is made."""

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import FloatRect, Locator, Page, WebSocketRoute, expect

from databases import SqliteDatabases
from pages.conftest import Visit
from plans import GAMES, PLAN, PROGRAM, RUN, computed, imported
from playdock.metadata.game_metadata import GameMetadata
from playdock.metadata.providers import Providers
from scanning import versions
from shops import PatientShop
from waiting import wait_until
from world import Caller, World, running_world

_BACKGROUND = "(one) => getComputedStyle(one).backgroundColor"


@dataclass
class Line:
    """The web sockets of a page: cut, they are closed, and new ones as soon as they are opened."""

    is_cut: bool = False
    opened: list[WebSocketRoute] = field(default_factory=list)

    def take(self, socket: WebSocketRoute) -> None:
        if self.is_cut:
            socket.close()
            return
        self.opened.append(socket)
        socket.connect_to_server()

    def cut(self) -> None:
        self.is_cut = True
        while self.opened:
            self.opened.pop().close()

    def mend(self, page: Page) -> None:
        """Let web sockets through again and wait until the page has opened one."""
        self.is_cut = False
        for _ in range(300):
            if self.opened:
                return
            page.wait_for_timeout(50)
        raise AssertionError("The page has not opened a web socket again.")


@pytest.fixture
def shop() -> PatientShop:
    return PatientShop("Steam", GAMES)


@pytest.fixture
def world(sqlite_databases: SqliteDatabases, tmp_path: Path, shop: PatientShop) -> Iterator[World]:
    """A service whose only provider is a shop."""
    url = sqlite_databases.fresh(tmp_path / "data")
    with running_world(tmp_path, database_url=url, providers=Providers([shop])) as world:
        yield world
        if shop.waits is not None:
            shop.waits.release(100)


@pytest.fixture
def admin(world: World) -> Caller:
    admin = world.admin()
    world.library(admin)
    return admin


def put_doubtful(world: World, *names: str) -> None:
    """Put games whose folders have the right names and nothing to start."""
    for name in names:
        world.put(f"{name}/1.0/data.bin")


def put_certain(world: World, *names: str) -> None:
    for name in names:
        world.put(f"{name}/1.0/{name.lower()}", PROGRAM, mode=0o755)


def rows(page: Page) -> Locator:
    return page.get_by_role("row").filter(has=page.get_by_role("gridcell"))


def are_imported(admin: Caller, games: Sequence[str]) -> bool:
    return sorted(imported(admin)) == games


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


# --- The table ---


def test_the_plan_can_be_reviewed_with_the_keyboard(world: World, admin: Caller, visit: Visit) -> None:
    put_doubtful(world, "DOOM", "Hades", "Quake")
    computed(world, admin)
    page = visit("ada").open("/admin/import")
    expect(rows(page)).to_have_count(3)
    press(page, "j", "j")
    expect(rows(page).nth(1)).to_be_focused()
    press(page, "k", "x", "j", "x")
    expect(page.get_by_role("toolbar")).to_contain_text("2 selected")
    selected = rows(page).first
    color = selected.evaluate(_BACKGROUND)
    selected.hover()
    assert selected.evaluate(_BACKGROUND) == color, "a selected row keeps its color under the pointer"
    press(page, "x", "Enter")
    expect(page.get_by_role("heading", name="Which game is it?")).to_be_visible()
    expect(page).to_have_url(f"{world.address}/admin/import?row={admin.get(PLAN).json()['rows'][1]['id']}")
    page.get_by_role("button", name="Search for another game").click()
    expect(page.locator("input:focus")).to_have_value("Hades")


def test_a_candidate_is_selected_and_its_row_imported_with_two_keys(
    world: World, admin: Caller, shop: PatientShop, visit: Visit
) -> None:
    shop.games = {"3970": GameMetadata("Prey"), "480490": GameMetadata("PREY")}
    put_certain(world, "Prey")
    candidates = [each["name"] for each in computed(world, admin)["rows"][0]["candidates"]]
    page = visit("ada").open("/admin/import")
    press(page, "j", "2")
    expect(rows(page).first).to_contain_text("Your choice")
    press(page, "a")
    expect(page.get_by_role("status").filter(has_text="1 game imported.")).to_be_visible()
    assert imported(admin)["Prey"]["mName"] == candidates[1]


def test_a_folder_without_a_version_to_import_says_why_and_is_not_imported(
    world: World, admin: Caller, visit: Visit
) -> None:
    put_doubtful(world, "Hades")
    computed(world, admin)
    page = visit("ada").open("/admin/import")
    expect(rows(page).first).to_contain_text("No program that starts the game was found.")
    expect(page.get_by_role("button", name="Import as “Hades”")).to_be_disabled()
    press(page, "j", "a")
    told = "No version can be imported as it is. Open the folder to see why."
    expect(page.get_by_text(told, exact=True)).to_be_visible()
    assert imported(admin) == {}


def test_a_renamed_folder_of_a_game_leads_to_missing_games(world: World, admin: Caller, visit: Visit) -> None:
    world.put("Hades/1.0/start", PROGRAM, mode=0o755)
    [library] = admin.get("/api/v1/admin/library/sources").json()
    game = world.import_game(admin, library, "Hades")
    assert world.import_version(admin, game, "1.0", launch="start")["success"]
    (world.games / "Hades").rename(world.games / "Hades (2020)")
    computed(world, admin)
    page = visit("ada").open("/admin/import")
    expect(page.get_by_text("The folder of Hades is missing. One of these folders has its files.")).to_be_visible()
    page.get_by_role("link", name="Missing games").click()
    expect(page.get_by_role("button", name="Use this folder")).to_be_visible()


def test_a_folder_is_added_to_a_game_as_a_version(world: World, admin: Caller, visit: Visit) -> None:
    flat = world.folder / "flat"
    for name in ("Hades 1.0", "Hades 1.1", "Extras"):
        (flat / name).mkdir(parents=True)
        (flat / name / "hades").write_bytes(PROGRAM)
        (flat / name / "hades").chmod(0o755)
    game = world.import_game(admin, world.library(admin, flat, backend="FlatFilesystem"), "Hades 1.0")
    assert world.import_version(admin, game, "default", launch="hades")["success"]
    computed(world, admin)
    page = visit("ada").open("/admin/import")

    rows(page).filter(has_text="Hades 1.1").get_by_role("button", name="Hades").first.click()
    page.get_by_role("button", name="Add to Hades", exact=True).click()
    expect(rows(page)).to_have_count(1)
    rows(page).filter(has_text="Extras").get_by_role("button", name="Hades").first.click()
    page.get_by_role("button", name="Add to another game").click()
    page.get_by_role("radio", name="Hades").check()
    page.get_by_role("button", name="Add version").click()
    expect(page.get_by_text("No new games")).to_be_visible()

    assert versions(admin, game) == ["Extras", "Hades 1.1", "default"]
    page.goto(page.url.partition("/admin")[0] + f"/admin/games/{game}/versions")
    expect(page.get_by_text("Hades 1.1", exact=True)).to_be_visible()


def test_an_import_is_undone_with_one_key(world: World, admin: Caller, visit: Visit) -> None:
    put_doubtful(world, "Hades", "Quake")
    for name in ("Hades", "Quake"):
        world.put(f"{name}/1.0/start", PROGRAM, mode=0o755)
    computed(world, admin)
    page = visit("ada").open("/admin/import")
    press(page, "j", "a")
    toast = page.get_by_role("status").filter(has_text="Importing 1 game")
    expect(toast).to_be_visible()
    title, box = page.get_by_role("heading", level=1).bounding_box(), toast.bounding_box()
    assert title is not None
    assert box is not None
    assert title["y"] + title["height"] <= box["y"], "a toast covers no title"
    press(page, "u")
    expect(page.get_by_role("status").filter(has_text="Import undone.")).to_be_visible()
    expect(rows(page)).to_have_count(2)
    assert imported(admin) == {}


def test_a_toast_covers_no_button(world: World, admin: Caller, visit: Visit) -> None:
    put_doubtful(world, "Hades", "Quake")
    for name in ("Hades", "Quake"):
        world.put(f"{name}/1.0/start", PROGRAM, mode=0o755)
    computed(world, admin)
    page = visit("ada").open("/admin/import")
    press(page, "j", "a")
    toast = page.get_by_role("status").filter(has_text="Importing 1 game")
    toast.hover()
    press(page, "j", "x")
    for width, height in ((1280, 800), (1280, 600), (390, 800), (390, 600)):
        page.set_viewport_size({"width": width, "height": height})
        # It stays as long as the pointer is on it.
        toast.hover()
        buttons, told = page.get_by_role("toolbar").bounding_box(), toast.bounding_box()
        assert buttons is not None
        assert told is not None
        assert not _overlap(buttons, told), (width, height)


def _overlap(one: FloatRect, other: FloatRect) -> bool:
    beside = one["x"] + one["width"] <= other["x"] or other["x"] + other["width"] <= one["x"]
    above = one["y"] + one["height"] <= other["y"] or other["y"] + other["height"] <= one["y"]
    return not beside and not above


def test_all_certain_rows_are_imported_with_one_button(world: World, admin: Caller, visit: Visit) -> None:
    put_certain(world, "Hades", "Quake")
    put_doubtful(world, "DOOM")
    computed(world, admin)
    page = visit("ada").open("/admin/import")
    page.get_by_role("button", name="Import all 2 recognized games").click()
    expect(page.get_by_role("status").filter(has_text="2 games imported.")).to_be_visible()
    assert sorted(imported(admin)) == ["Hades", "Quake"]
    expect(rows(page)).to_have_count(1)


def test_folders_of_a_confidence_are_imported_without_review(world: World, admin: Caller, visit: Visit) -> None:
    put_certain(world, "Hades", "Unknown")
    world.put("Quakke/1.0/game", PROGRAM, mode=0o755)
    confidence = {row["game"]: round(100 * row["confidence"]) for row in computed(world, admin)["rows"]}
    assert confidence["Unknown"] == 0 < confidence["Quakke"] < confidence["Hades"]
    page = visit("ada").open("/admin/import")

    for percent, expected in ((confidence["Quakke"] + 1, ["Hades"]), (confidence["Quakke"] - 1, ["Hades", "Quakke"])):
        page.get_by_role("button", name="Import without review …").click()
        dialog = page.get_by_role("dialog", name="Import without review")
        dialog.get_by_label("Confidence in percent").fill(str(percent))
        dialog.get_by_role("button", name=f"Import from {percent} %").click()
        expect(rows(page)).to_have_count(3 - len(expected))
        wait_until(partial(are_imported, admin, expected))
    assert [run["imported"] for run in admin.get(RUN).json()] == [1, 1]
    assert imported(admin)["Quakke"]["mName"] == "Quake"
    # The result of the latest import stands for both.
    last = f"/admin/import/runs/{admin.get(RUN).json()[0]['id']}"
    result = page.get_by_role("link", name="View", exact=True)
    expect(result).to_have_count(1)
    expect(result).to_have_attribute("href", last)
    expect(page.get_by_role("status").filter(has_text="1 game imported.")).to_have_count(1)
    page.goto("/admin/import/runs")
    expect(page.get_by_role("link").filter(has_text="Hades").filter(has_text="1 folder")).to_be_visible()


# --- What fails ---


def test_a_failed_folder_shows_the_reason_and_can_be_retried(world: World, admin: Caller, visit: Visit) -> None:
    put_certain(world, "Hades")
    computed(world, admin)
    page = visit("ada").open("/admin/import/certain")
    (world.games / "Hades").rename(world.folder / "elsewhere")
    press(page, "j", "a")
    expect(page.get_by_text("1 folder needs review.")).to_be_visible()
    page.get_by_role("link", name="View", exact=True).click()
    folders = page.get_by_role("list", name="Folders in this import")
    expect(folders).to_contain_text("The folder is no longer there.")
    (world.folder / "elsewhere").rename(world.games / "Hades")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("1 of 1 imported")).to_be_visible()
    expect(folders.get_by_role("link", name="Hades")).to_be_visible()


def test_a_failed_version_shows_the_reason_and_can_be_retried(world: World, admin: Caller, visit: Visit) -> None:
    put_certain(world, "Hades")
    game = world.import_game(admin, admin.get("/api/v1/admin/library/sources").json()[0], "Hades")
    page = visit("ada").open(f"/admin/games/{game}/import")
    expect(page.get_by_label("Launch program")).to_have_value("hades")
    page.get_by_label("Launch program").fill("hades.exe")
    page.get_by_role("button", name="Import this version").click()
    expect(page.get_by_role("alert")).to_contain_text("hades.exe")
    page.get_by_label("Launch program").fill("hades")
    page.get_by_role("button", name="Import this version").click()
    expect(page.get_by_role("heading", name="All versions are imported")).to_be_visible()


def test_a_version_that_could_not_be_imported_says_why_whenever_it_is_offered(
    world: World, admin: Caller, visit: Visit
) -> None:
    put_certain(world, "Hades")
    game = world.import_game(admin, admin.get("/api/v1/admin/library/sources").json()[0], "Hades")
    program = next(world.games.glob("Hades/*/hades"))
    program.with_name("con.txt").touch()
    assert not world.import_version(admin, game, program.parent.name, launch="hades")["success"]

    page = visit("ada").open(f"/admin/games/{game}/import")
    reason = page.get_by_role("region", name="Why it could not be imported")
    expect(reason).to_contain_text("reserved name on Windows")
    program.with_name("con.txt").unlink()
    page.get_by_role("button", name="Import this version").click()
    expect(page.get_by_role("heading", name="All versions are imported")).to_be_visible()


# --- Progress ---


def begin_slow_plan(world: World, admin: Caller, shop: PatientShop) -> str:
    """Begin to look at four folders, of which none is done before its search is let go; give the task."""
    shop.waits = threading.Semaphore(0)
    put_doubtful(world, "DOOM", "Hades", "Quake", "Half-Life")
    task: str = admin.post(f"{PLAN}/task", {}).json()["taskId"]
    return task


def progress(page: Page) -> Locator:
    return page.locator("#content").get_by_role("progressbar")


def let_go(shop: PatientShop, searches: int = 1) -> None:
    assert shop.waits is not None
    shop.waits.release(searches)


def test_progress_is_received_through_the_web_socket(
    world: World, admin: Caller, shop: PatientShop, visit: Visit
) -> None:
    task = begin_slow_plan(world, admin, shop)
    page = visit("ada").open(f"/admin/tasks/{task}")
    expect(progress(page)).to_have_attribute("aria-valuenow", "0")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    let_go(shop)
    expect(progress(page)).not_to_have_attribute("aria-valuenow", "0")
    assert [each for each in asked if task in each] == []
    let_go(shop, 100)
    expect(page.locator("#content").get_by_role("status").get_by_text("Done")).to_be_visible()


def test_progress_is_updated_after_the_web_socket_reconnects(
    world: World, admin: Caller, shop: PatientShop, visit: Visit
) -> None:
    begin_slow_plan(world, admin, shop)
    line, page = Line(), visit("ada").page
    page.route_web_socket("**/api/v1/task", line.take)
    page.goto("/admin/import")
    interrupted = page.get_by_text("Connection lost.")
    expect(progress(page)).to_have_attribute("aria-valuenow", "0")
    line.cut()
    expect(interrupted).to_be_visible()
    line.mend(page)
    expect(interrupted).to_have_count(0)
    let_go(shop)
    expect(progress(page)).not_to_have_attribute("aria-valuenow", "0")
    let_go(shop, 100)
    expect(rows(page)).to_have_count(4)
