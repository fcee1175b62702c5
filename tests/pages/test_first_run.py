"""From the link that an empty server prints to a real game that is downloaded, by the pages alone."""

import re
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Download, Page, expect

from databases import SqliteDatabases
from pages.browsing import visiting
from processes.service import Service
from providers.pcgamingwiki import PCGamingWikiStandIn
from providers.steam import SteamStandIn
from real_games import real_version
from waiting import wait_until
from world import PASSWORD


@pytest.fixture
def service(sqlite_databases: SqliteDatabases, tmp_path: Path) -> Iterator[Service]:
    """A server that has never been started; its providers are stand-ins on loopback."""
    (tmp_path / "data").mkdir()
    service = Service(tmp_path, sqlite_databases.blank(tmp_path / "data"))
    with ExitStack() as running:
        standins = [running.enter_context(kind()) for kind in (SteamStandIn, PCGamingWikiStandIn)]
        service.more = {name.upper(): value for each in standins for name, value in each.settings.items()}
        service.more |= {"METADATA_PROVIDERS": "", "EXTERNAL_URL": f"http://127.0.0.1:{service.port}"}
        service.start()
        yield service
        service.end()


def register(page: Page, invitation: str) -> None:
    page.goto(invitation)
    page.get_by_label("User name").fill("ada")
    page.get_by_label("Email address").fill("ada@example.org")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    # A key, because the strength of the password appears above the button and moves it under a click.
    page.get_by_role("button", name="Create account").press("Enter")


def walk_three_steps(page: Page, folder: Path) -> str:
    """Add a library, import what is certain, make an invitation, and return its link."""
    page.get_by_label("Folder on the server").fill(str(folder))
    page.get_by_role("button", name="Add game folder").click()
    page.get_by_role("button", name="Import 1 recognized game").click()
    expect(page.get_by_text("1 game in the store")).to_be_visible()
    page.get_by_role("button", name="Create invitation").click()
    expect(page.get_by_role("img", name="QR code for the invitation")).to_be_visible()
    return page.get_by_role("listitem").locator("code").inner_text()


def download(page: Page) -> Download:
    with page.expect_download() as downloading:
        page.get_by_role("link", name=re.compile("^Download")).first.click()
    return downloading.value


def files_of(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}


def test_an_admin_can_get_from_the_printed_link_to_a_downloaded_game(service: Service, browser: Browser) -> None:
    version = real_version()
    with visiting(browser, service.more["EXTERNAL_URL"]) as admin:
        page = admin.page
        register(page, service.invitations[0])
        page.get_by_role("link", name="Get started").click()
        expect(page).to_have_url(re.compile("/admin/start$"))
        assert "/auth/register?id=" in walk_three_steps(page, version.parents[1])

        # Players see a game once a version of it has been imported.
        tasks = f"{service.more['EXTERNAL_URL']}/api/v1/admin/task"
        wait_until(lambda: not page.request.get(tasks).json()["runningTasks"])
        page.get_by_role("link", name="Go to the store").click()
        page.get_by_role("link", name="Teeworlds").first.click()
        expect(page.get_by_role("heading", level=1, name="Teeworlds")).to_be_visible()
        fetched = download(page)

        expect(page.get_by_role("dialog")).to_contain_text("Start the game")
        expect(page.get_by_role("dialog")).to_contain_text("Unpack the ZIP archive")

        assert fetched.suggested_filename.endswith(".zip")
        assert {name for name in zipfile.ZipFile(fetched.path()).namelist() if name[-1] != "/"} == files_of(version)
