"""Screenshots of the main pages for the README, of the real service with real games.

`screenshots.py FOLDER` imports the demo library into a new service, adds images and descriptions, and writes the
screenshots to FOLDER.
"""

import argparse
import io
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
from bench.library import add_library, wait_for
from bench.servers import PASSWORD, Service, service
from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from app_screenshot import take_app
from demo_art import DEMO, dress

LIBRARY = Path(__file__).parents[1] / "demo/library"
QUALITY = 82
PAUSE = 800  # milliseconds, in which what moves comes to rest
NO_GAMES: Mapping[str, str] = {}
_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@dataclass(frozen=True, slots=True)
class Shot:
    """A screenshot: the page and the screen."""

    name: str
    path: str
    width: int = 1440
    height: int = 900
    language: str = "en-GB"

    @property
    def is_phone(self) -> bool:
        return self.width < self.height


SHOTS = (
    Shot("store", "/"),
    Shot("game", "/games/{wesnoth}"),
    Shot("dashboard", "/admin", height=1180),
    Shot("phone", "/games/{tuxkart}", width=390, height=844, language="de-DE"),
)
IMPORT = Shot("import", "/admin/import")


def plan(admin: httpx2.Client, library: Path) -> list[dict[str, str]]:
    """Add the library, and return the rows of its plan when it is complete."""
    add_library(admin, library)
    admin.post("/api/v1/admin/import/plan/task", json={}).raise_for_status()
    while (told := admin.get("/api/v1/admin/import/plan", params={"limit": 100}).raise_for_status().json())["taskId"]:
        time.sleep(0.5)
    rows: list[dict[str, str]] = told["rows"]
    return rows


def settle(admin: httpx2.Client) -> None:
    """Wait until no tasks are running."""
    while admin.get("/api/v1/admin/task").raise_for_status().json()["runningTasks"]:
        time.sleep(0.5)


def fill(admin: httpx2.Client, library: Path, planned: Sequence[dict[str, str]]) -> dict[str, str]:
    """Import all but one game with their versions, add images and descriptions, and return their ids by name."""
    left = min(DEMO)
    rows = [{"id": row["id"]} for row in planned if row["game"] != left]
    started = admin.post("/api/v1/admin/import/plan", json={"rows": rows}).raise_for_status()
    wait_for(admin, started.json()["taskId"])
    settle(admin)
    cards = admin.get("/api/v1/store").raise_for_status().json()["games"]
    games = {card["name"]: card["id"] for card in cards}
    for name, game in games.items():
        if name in DEMO:
            dress(admin, library / name, game, DEMO[name])
    return games


def play(admin: httpx2.Client, games: dict[str, str]) -> None:
    """Create some activity for the pages to show."""
    for name in ("Teeworlds", "SuperTuxKart", "Neverball"):
        admin.post("/api/v1/collection/default/entry", json={"id": games[name]}).raise_for_status()
        version = admin.get(f"/api/v1/games/{games[name]}/versions").json()[0]["id"]
        with admin.stream("GET", f"/api/v1/versions/{version}/archive.zip") as sent:
            for _ in sent.iter_raw():
                pass


@contextmanager
def browsing() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=list(_FLAGS))
        yield browser
        browser.close()


def take(browser: Browser, running: Service, shot: Shot, folder: Path, games: Mapping[str, str] = NO_GAMES) -> None:
    """Take a screenshot when the page has loaded everything."""
    context = browser.new_context(
        base_url=running.running.address,
        viewport={"width": shot.width, "height": shot.height},
        color_scheme="dark",
        locale=shot.language,
        is_mobile=shot.is_phone,
    )
    context.request.post("/api/v1/auth/signin/simple", data={"username": "ada", "password": PASSWORD})
    page = context.new_page()
    page.goto(shot.path.format(wesnoth=games.get("The Battle for Wesnoth"), tuxkart=games.get("SuperTuxKart")))
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(PAUSE)
    picture = Image.open(io.BytesIO(page.screenshot()))
    picture.convert("RGB").save(folder / f"{shot.name}.webp", quality=QUALITY, method=6)
    context.close()


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="where the pictures are written")
    folder: Path = parser.parse_args(arguments).folder
    if not LIBRARY.is_dir():
        print("The demo library is missing: `make demo` fetches it.", file=sys.stderr)
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as data,
        service(Path(data)) as running,
        running.client() as admin,
        browsing() as browser,
    ):
        planned = plan(admin, LIBRARY)
        take(browser, running, IMPORT, folder)
        games = fill(admin, LIBRARY, planned)
        play(admin, games)
        settle(admin)
        for shot in SHOTS:
            take(browser, running, shot, folder, games)
        take_app(browser, running.running.address, admin, folder, games)
    return 0


if __name__ == "__main__":
    sys.exit(main())
