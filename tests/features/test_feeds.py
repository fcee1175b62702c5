"""The library feed for other programs, and the examples in docs/feeds.md."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml

from drawing import png
from playdock.content.programs import Platform
from playdock.features.feeds.rules import lutris_script, version_for_lutris
from playdock.features.feeds.schemas import FeedGame, FeedVersion, LutrisSource
from world import Caller, World

_FEED = "/api/v1/feeds/library"
_SCOPES = ("user:store:read", "user:collections:read", "user:object:read", "user:content:read")
_DOCUMENT = Path(__file__).parents[2] / "docs/feeds.md"


@pytest.fixture
def ada(embedded_world: World) -> Caller:
    """An administrator with a game in the library that has two versions and a cover, and one more game."""
    world = embedded_world
    ada = world.admin()
    world.put("Tux Racer/1.0/bin/tux", b"one", mode=0o755)
    world.put("Tux Racer/1.0w/tux.exe", b"MZ")
    library = world.library(ada)
    game = world.import_game(ada, library, "Tux Racer")
    world.import_version(ada, game, "1.0", launch="bin/tux", launchArgs="--fullscreen")
    world.import_version(ada, game, "1.0w", launch="tux.exe", platform="Windows")
    facts = {"shortDescription": "Ice & snow", "released": {"date": "2000-01-01", "precision": "year"}}
    assert ada.patch(f"/api/v1/admin/game/{game}", {**facts, "developers": ["Open <Racing>"]}).status_code == 200
    files = [("a.png", ("a.png", png(600, 900), "image/png"))]
    assert ada.request("POST", "/api/v1/admin/game/image", data={"id": game, "use": "cover"}, files=files).is_success
    world.put("No versions/1.0/x", b"one")
    world.import_game(ada, library, "No versions")
    world.put("Blob/1.0/blob", b"one", mode=0o755)
    world.import_version(ada, world.import_game(ada, library, "Blob"), "1.0", launch="blob")
    assert ada.post("/api/v1/collection/default/entry", {"id": game}).is_success
    return ada


def test_the_feed_lists_the_own_library_or_all_games(embedded_world: World, ada: Caller) -> None:
    program = embedded_world.token_of(ada, *_SCOPES)

    own = program.get(_FEED)
    page = own.json()
    (tux,) = page["games"]
    assert (page["version"], page["total"], page["next"]) == (1, 1, None)
    assert (tux["name"], tux["developers"]) == ("Tux Racer", ["Open <Racing>"])
    assert [(each["platform"], each["launch"], each["size"]) for each in tux["versions"]] == [
        ("Linux", "bin/tux", 3),
        ("Windows", "tux.exe", 2),
    ]
    assert tux["installUrl"].startswith("playdock://install/http%3A%2F%2F")
    path = embedded_world.address
    assert program.get(tux["cover"]["url"].removeprefix(path)).headers["content-type"] == "image/webp"
    assert program.get(tux["versions"][0]["archiveUrl"].removeprefix(path)).content.startswith(b"PK")
    assert program.get(f"/api/v1/feeds/games/{tux['id']}").json() == tux

    assert program.get(_FEED, headers={"If-None-Match": own.headers["etag"]}).status_code == 304
    first = program.get(f"{_FEED}?scope=all&limit=1").json()
    second = program.get(f"{_FEED}?scope=all&limit=1&after={first['next']}").json()
    assert [each["name"] for each in (*first["games"], *second["games"])] == ["Blob", "Tux Racer"]
    assert (first["total"], second["next"]) == (2, None)
    assert program.get(f"{_FEED}?scope=all&platform=Windows").json()["total"] == 1
    assert program.get(f"{_FEED}?after=x").json()["type"] == "invalid-input"


def test_the_feed_needs_permissions_to_read_and_gives_no_others(embedded_world: World, ada: Caller) -> None:
    game = ada.get(_FEED).json()["games"][0]["id"]
    assert embedded_world.any_user().get(_FEED).status_code == 401
    assert embedded_world.token_of(ada, "user:store:read").get(_FEED).status_code == 403
    assert embedded_world.token_of(ada, "user:collections:read").get(f"/api/v1/feeds/games/{game}").status_code == 403
    program = embedded_world.token_of(ada, *_SCOPES)
    assert program.post("/api/v1/collection/default/entry", {"id": game}).status_code == 403
    # Games without a version cannot be installed.
    names = [each["game"]["mName"] for each in ada.get("/api/v1/admin/library").json()["games"]]
    assert "No versions" in names
    nowhere = "00000000-0000-4000-8000-000000000000"
    assert ada.get(f"/api/v1/feeds/games/{nowhere}/lutris").status_code == 404


def test_lutris_and_playnite_get_files_for_a_game(ada: Caller) -> None:
    (tux,) = ada.get(_FEED).json()["games"]
    sent = ada.get(f"/api/v1/feeds/games/{tux['id']}/lutris")
    assert sent.headers["content-type"].startswith("application/yaml")
    linux = yaml.safe_load(sent.text)
    assert (linux["runner"], linux["game_slug"]) == ("linux", "tux-racer")
    assert linux["script"]["game"]["exe"] == "$GAMEDIR/bin/tux"
    windows = tux["versions"][1]["id"]
    wine = yaml.safe_load(ada.get(f"/api/v1/feeds/games/{tux['id']}/lutris?version={windows}&source=client").text)
    assert wine["runner"] == "wine"
    assert windows in wine["script"]["installer"][0]["execute"]["command"]
    playnite = ada.get(f"/api/v1/feeds/games/{tux['id']}/playnite").json()
    assert (playnite["Name"], playnite["ReleaseDate"], playnite["Platforms"]) == (
        "Tux Racer",
        "2000",
        ["pc_linux", "pc_windows"],
    )
    assert playnite["Description"] == "<p>Ice &amp; snow</p>"
    assert playnite["CoverImage"] == tux["cover"]["url"]
    assert playnite["GameActions"][0]["Path"] == tux["installUrl"]


def _game(name: str, *versions: FeedVersion) -> FeedGame:
    empty: dict[str, Any] = dict.fromkeys(FeedGame.__struct_fields__)
    return FeedGame(**{**empty, "id": "1d", "name": name, "page_url": "https://x.example", "versions": list(versions)})


def _version(version_id: str, platform: Platform, **wanted: Any) -> FeedVersion:
    texts = dict.fromkeys(("launch", "launch_args", "setup", "setup_args"), "")
    known = {"id": version_id, "name": "1", "platform": platform, "only_setup": False}
    return FeedVersion(**{**dict.fromkeys(FeedVersion.__struct_fields__), **texts, **known, **wanted})


_WINDOWS, _LINUX, _MAC = (
    _version(each.value, each, launch="a/b") for each in (Platform.WINDOWS, Platform.LINUX, Platform.MACOS)
)


@pytest.mark.parametrize(
    ("versions", "chosen", "found"),
    [
        ([_LINUX, _WINDOWS], "", _LINUX),
        ([_WINDOWS, _MAC], "", _WINDOWS),
        ([_LINUX, _WINDOWS], "Windows", _WINDOWS),
        ([_MAC], "", None),
        ([_LINUX], "unknown", None),
    ],
)
def test_lutris_gets_a_version_that_it_can_run(
    versions: list[FeedVersion], chosen: str, found: FeedVersion | None
) -> None:
    assert version_for_lutris(versions, chosen) == found


@pytest.mark.parametrize(
    ("name", "slug"), [("Ärger im Schloß", "arger-im-schloss"), ("Pokémon™ 2", "pokemon-2"), ("魔界", "1d")]
)
def test_names_in_addresses_are_ascii(name: str, slug: str) -> None:
    script = yaml.safe_load(lutris_script(_game(name, _LINUX), _LINUX, LutrisSource.CLIENT, server="https://x.example"))
    assert script["game_slug"] == slug


@pytest.mark.parametrize("name", ['A: "B" # {c}\\', "- x", "\x7f\x85\u2028\ufeff", "Löwe 🦁", "null", "$HOME", "42"])
@pytest.mark.parametrize("source", list(LutrisSource))
def test_every_name_makes_a_valid_script(name: str, source: LutrisSource) -> None:
    setup = _version("s", Platform.WINDOWS, only_setup=True, setup="setup.exe", setup_args=name)
    for version in (_LINUX, setup, _version("x", Platform.LINUX, launch="x", setup="run.sh", setup_args=name)):
        script = yaml.safe_load(lutris_script(_game(name, version), version, source, server="https://x.example"))
        assert script["name"] == name
        # What the documentation of Lutris requires of a script in a file.
        assert {"name", "game_slug", "version", "slug", "runner", "script"} == set(script)
        assert script["script"]["game"]["exe"].startswith("$GAMEDIR/")
        directives = [next(iter(step)) for step in script["script"]["installer"]]
        assert set(directives) <= {"execute", "extract", "task", "chmodx"}
        assert all(len(step) == 1 for step in script["script"]["installer"])
        assert ("files" in script["script"]) is (source is LutrisSource.ARCHIVE)


def test_the_documented_examples_work(embedded_world: World, ada: Caller, tmp_path: Path) -> None:
    program = embedded_world.token_of(ada, *_SCOPES)
    blocks = re.findall(r"```(bash|python)\n(.*?)```", _DOCUMENT.read_text(), re.DOTALL)
    assert [kind for kind, _ in blocks] == ["bash", "bash", "python", "python"]
    environment = {**os.environ, "PLAYDOCK": embedded_world.address, "TOKEN": program.token}
    environment["HEROIC"] = str(tmp_path / "heroic")
    foreign = {"app_name": "other", "title": "Another game"}
    (tmp_path / "heroic/sideload_apps").mkdir(parents=True)
    (tmp_path / "heroic/sideload_apps/library.json").write_text(json.dumps({"games": [foreign]}))
    for kind, example in blocks:
        command = ["bash", "-euc", example] if kind == "bash" else [sys.executable, "-c", example]
        run = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60, check=False
        )
        assert run.returncode == 0, run.stderr
    assert (tmp_path / "cover.webp").read_bytes().startswith(b"RIFF")
    assert yaml.safe_load((tmp_path / "tux-racer.yml").read_text())["runner"] == "linux"
    other, added = json.loads((tmp_path / "heroic/sideload_apps/library.json").read_text())["games"]
    assert (other, added["title"], added["runner"]) == (foreign, "Tux Racer", "sideload")
    assert os.access(added["install"]["executable"], os.X_OK)
    listed = ET.parse(tmp_path / "ports/gamelist.xml").getroot()
    (game,) = listed.findall("game")
    assert (game.findtext("name"), game.findtext("releasedate")) == ("Tux Racer", "20000101T000000")
    script, image = (tmp_path / "ports" / (game.findtext(each) or "") for each in ("path", "image"))
    assert "playdock-client launch" in script.read_text()
    assert os.access(script, os.X_OK)
    assert image.read_bytes().startswith(b"RIFF")
