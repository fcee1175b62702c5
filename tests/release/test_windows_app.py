"""The app on Windows (wine): the processes of a game, and the window that comes to the front."""

import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import httpx2
import pytest

from client.app.window import wait_for_lines
from client.updating.builds import window_of
from release.client_systems import PATIENCE, Offer, Wine, compile_for_windows
from release.lacking import require
from release.screens import screen
from waiting import wait_until
from world import NO_TLS

pytestmark = [pytest.mark.heavy, pytest.mark.network, pytest.mark.xdist_group("clients")]

_HERE = Path(__file__).parent
_EDGE = "drive_c/Program Files (x86)/Microsoft/Edge/Application"


@pytest.fixture
def program(offer: Offer, wine: Wine, tmp_path: Path) -> Path:
    """The folder of an installed client, of a player who has signed in."""
    program = wine.set_up(offer.fetch("Windows", tmp_path), tmp_path)
    wine.sign_in(program, offer.world.address, offer.player.token)
    return program


@pytest.mark.timeout(1800)  # starts under wine are slow
def test_a_game_is_followed_after_its_loader_and_stopped(
    offer: Offer, wine: Wine, program: Path, tmp_path: Path
) -> None:
    compile_for_windows(_HERE / "stand_in_game.c", tmp_path / "doom.exe")
    offer.world.put("Doom/3.0/doom.exe", (tmp_path / "doom.exe").read_bytes())
    assert offer.world.import_version(offer.admin, offer.game, "3.0", platform="Windows", launch="doom.exe")["success"]
    app = wine.start(program / "playdock-client.exe", "app", "--no-window", "--json")
    with window_of(app) as window:
        window.do("POST", f"games/{offer.game}/install")
        state = window.wait(lambda now: [job["state"] for job in now["jobs"]] in (["done"], ["failed"]))
        assert [(each["name"], each["state"]) for each in state["games"]] == [("Doom", "installed")], state
        [folder] = wine.find("AppData/Local/playdock-client/games/Doom")

        window.do("POST", f"games/{offer.game}/launch")
        wait_until((folder / "played").exists)
        window.wait(lambda now: now["running"], seconds=PATIENCE)
        window.do("POST", f"games/{offer.game}/stop")
        state = window.wait(lambda now: not now["running"] and not now["starting"], seconds=PATIENCE)
        assert ([each["game"] for each in state["played"]], state["launchProblems"]) == ([offer.game], [])

        window.do("POST", f"games/{offer.game}/uninstall", {"removeOwn": True})
        window.wait(lambda now: not now["games"], seconds=PATIENCE)
        assert not folder.exists()
    wine.run("wineboot", "--kill")
    app.communicate(timeout=PATIENCE)


@pytest.mark.timeout(1800)
def test_a_second_start_brings_the_window_to_the_front(wine: Wine, program: Path) -> None:
    require("Xvfb")
    edge = wine.prefix / _EDGE
    compile_for_windows(_HERE / "stand_in_edge.c", edge / "msedge.exe", "-mwindows")
    client = program / "playdock-client.exe"
    with screen() as display, httpx2.Client(verify=NO_TLS, trust_env=False, timeout=PATIENCE) as page:
        shown = replace(wine, display=display)
        app = shown.start(client, "app")
        assert wait_for_lines(edge / "record", 2) == ["opened", "front"]
        [leading] = wine.find("AppData/Local/playdock-client/window/open.html")
        link = unescape(re.findall(r'url=([^"]+)', leading.read_text())[0])
        opened = page.get(link)
        with page.stream("GET", str(opened.url.join("/_client/v1/events"))) as events:
            assert events.status_code == 200
            other = shown.start("notepad")
            shown.run(client, "app")
            assert wait_for_lines(edge / "record", 3) == ["opened", "front", "front"]
        shown.run("wineboot", "--kill")
        for each in (app, other):
            each.communicate(timeout=PATIENCE)
