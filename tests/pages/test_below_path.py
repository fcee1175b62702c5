"""The pages of a service below a path of a host. All their requests are below it, or the visit fails."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from databases import SqliteDatabases
from pages.browsing import visiting
from world import PASSWORD, World, running_world


@pytest.fixture
def below(sqlite_databases: SqliteDatabases, tmp_path: Path) -> Iterator[World]:
    database_url = sqlite_databases.fresh(tmp_path / "data")
    with running_world(tmp_path, database_url=database_url, url_path="/games/of-ada") as world:
        yield world


def _sign_in(page: Page, username: str) -> None:
    page.get_by_label("User name").fill(username)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()


def test_people_sign_in_and_open_links_to_any_page(below: World, browser: Browser) -> None:
    admin = below.admin("ada")
    below.put("Doom/1.0/doom", mode=0o755)
    game = below.import_game(admin, below.library(admin), "Doom")
    task = below.import_version(admin, game, "1.0", launch="doom")
    assert task["success"]
    with visiting(browser, below.address) as visitor:
        page = visitor.open(f"{below.address}/games/{game}?tab=versions")
        expect(page).to_have_url(re.compile(re.escape(f"{below.address}/auth/signin?redirect=/games/{game}")))
        _sign_in(page, "ada")
        expect(page).to_have_url(f"{below.address}/games/{game}?tab=versions")
        expect(page.get_by_role("heading", name="Doom")).to_be_visible()
        visitor.settle()
        broken = "Array.from(document.images).filter((one) => one.complete && !one.naturalWidth).map((one) => one.src)"
        assert page.evaluate(broken) == []
        assert page.evaluate("Array.from(document.images, (one) => one.src).join()").startswith(below.address)
        with page.expect_download() as downloading:
            page.get_by_role("link", name=re.compile("^Download")).first.click()
        assert downloading.value.url.startswith(f"{below.address}/api/")
        page.get_by_role("button", name="OK").click()

        page.get_by_role("link", name="Library").first.click()
        expect(page).to_have_url(f"{below.address}/library")
        page.reload()
        expect(page.get_by_role("button", name="Account: ada")).to_be_visible()

        with page.expect_websocket(lambda socket: "/task" in socket.url) as opening:
            page.goto(f"{below.address}/admin/tasks/{task['id']}")
        assert opening.value.url == f"{below.address.replace('http', 'ws', 1)}/api/v1/task"

        visitor.open(f"{below.address}/docs/api")
        expect(page.get_by_role("heading", name="sessions")).to_be_visible()

        page.goto(below.address)
        page.get_by_role("button", name="Account: ada").click()
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_label("User name")).to_be_visible()
        cookies = visitor.context.cookies(f"{below.address}/")
        assert [cookie["path"] for cookie in cookies if "session" in cookie["name"]] == []
