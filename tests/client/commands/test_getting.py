"""`install`, `adopt` and `update`."""

import json
import os
import re
import signal
from pathlib import Path

import pytest

from devices import device
from games import add_game
from loopback import Loopback, answer
from playdock.metadata.game_metadata import GameMetadata
from playdock.models import DeviceInstallation

from .conftest import Player, ServerWithGames

FILES = {"doom": b"#!/bin/sh\n", "data/doom.wad": os.urandom(300_000)}
NEWER = {"doom": b"#!/bin/sh\nexit\n", "data/doom.wad": FILES["data/doom.wad"], "more.wad": os.urandom(5000)}


def content(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder without what the client keeps for itself."""
    files = (file for file in folder.rglob("*") if file.is_file())
    found = {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}
    return {path: data for path, data in found.items() if not path.startswith(".playdock/")}


def test_a_game_is_installed_in_its_own_folder(member: Player, shop: ServerWithGames) -> None:
    shop.release("1.0", FILES)

    installed = member.run("install", "doom")

    assert installed.status == 0, installed.err
    assert content(member.folders.game("Doom")) == FILES
    assert re.fullmatch(rf"Doom 1.0 is installed in {member.folders.game('Doom')}: \S+ kB downloaded.\n", installed.out)


def test_the_server_learns_what_is_installed_on_a_device(player: Player, shop: ServerWithGames) -> None:
    player.sign_in(shop.address, device(shop.world, shop.admin).token)
    for version, files in (("1.0", FILES), ("1.1", NEWER)):
        released = shop.release(version, files)
        ran = player.run(*(("install", "doom") if version == "1.0" else ("update",)))
        assert ran.status == 0, ran.err
        with shop.world.services.db.read() as session:
            reported = session.query(DeviceInstallation).one()
        assert (reported.game_id, reported.version_id) == (shop.game, released)


def test_a_similar_name_is_suggested_but_not_installed(member: Player, shop: ServerWithGames) -> None:
    shop.release("1.0", FILES)

    refused = member.run("install", "doomm")

    assert refused.status == 1
    assert refused.err == "playdock-client: There is no game “doomm”. Did you mean “Doom”?\n"


def test_json_output_reports_events_line_by_line(member: Player, shop: ServerWithGames) -> None:
    shop.release("1.0", FILES)

    installed = member.run("install", "doom", "--json", "--quiet")

    assert installed.err == ""
    assert {each["event"] for each in installed.events} <= {"progress", "installed"}
    assert installed.document["game"]["name"] == "Doom"
    assert installed.document["version"]["name"] == "1.0"
    assert installed.document["fetched"] > 300_000


def test_an_installed_game_is_not_downloaded_again(member: Player, shop: ServerWithGames) -> None:
    shop.release("1.0", FILES)
    member.run("install", "doom")

    again = member.run("install", "doom", "--json")

    assert (again.status, again.document["event"], again.document["fetched"]) == (0, "current", 0)


def test_installing_another_version_suggests_an_update(member: Player, shop: ServerWithGames) -> None:
    shop.release("1.0", FILES)
    member.run("install", "doom")
    shop.release("2.0", NEWER)

    again = member.run("install", "doom")

    assert again.status == 1
    assert "Update it to Doom 2.0" in again.err


def test_two_games_with_the_same_name_do_not_share_a_folder(member: Player, shop: ServerWithGames) -> None:
    shop.release("1.0", FILES)
    folder = member.folders.game("Doom")
    member.run("install", "doom")
    document = json.loads((folder / ".playdock" / "installation.json").read_text())
    document["game"]["id"] = "another"
    (folder / ".playdock" / "installation.json").write_text(json.dumps(document))

    refused = member.run("install", "doom")

    assert refused.status == 1
    assert "Choose another folder with --to" in refused.err


def test_a_folder_with_other_files_is_left_unchanged(member: Player, shop: ServerWithGames, tmp_path: Path) -> None:
    shop.release("1.0", FILES)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("Dear")

    refused = member.run("install", "doom", "--to", tmp_path / "mine")

    assert refused.status == 1
    assert "adopt" in refused.err
    assert [each.name for each in (tmp_path / "mine").iterdir()] == ["letter.txt"]
    assert member.run("list", "--json").document == {"installations": []}


def test_a_version_and_a_platform_can_be_selected(member: Player, shop: ServerWithGames, tmp_path: Path) -> None:
    shop.release("1.0", FILES)
    shop.release("2.0", NEWER)
    shop.release("win", {"doom.exe": b"MZ"}, platform="Windows")

    older = member.run("install", "doom", "--version", "1.0", "--to", tmp_path / "old", "--json")
    windows = member.run("install", "doom", "--platform", "Windows", "--to", tmp_path / "windows", "--json")
    missing = member.run("install", "doom", "--platform", "macOS")

    assert older.document["version"]["name"] == "1.0"
    assert windows.document["version"]["name"] == "win"
    assert "is for Windows. It is launched with umu-launcher." in windows.err
    notices = [each for each in windows.events if each["event"] == "notice"]
    assert [(each["kind"], each["path"]) for each in notices] == [("launch-problem", "umu-run")]
    assert (missing.status, "Available: 1.0 (Linux" in missing.err) == (1, True)


def test_a_delta_is_installed_with_the_command_of_its_base(member: Player, shop: ServerWithGames) -> None:
    shop.release("1.0", FILES, launch="doom", launchArgs="-x")
    shop.release("1.1", {"more.wad": b"more"}, delta=True, launch="")

    installed = member.run("install", "doom", "--json").document

    assert content(member.folders.game("Doom")) == {**FILES, "more.wad": b"more"}
    assert (installed["version"]["launch"], installed["version"]["launchArgs"]) == ("doom", "-x")


def test_a_game_without_versions_is_not_found(member: Player, shop: ServerWithGames) -> None:
    add_game(shop.world, GameMetadata(name="Quake"), path="Quake", versions=[])

    assert "quake" in member.run("install", "quake").err


def test_existing_files_are_adopted(member: Player, shop: ServerWithGames, tmp_path: Path) -> None:
    shop.release("1.0", FILES)
    (tmp_path / "old" / "data").mkdir(parents=True)
    (tmp_path / "old" / "data" / "doom.wad").write_bytes(FILES["data/doom.wad"])
    (tmp_path / "old" / "save").write_bytes(b"mine")

    adopted = member.run("adopt", "doom", "--folder", tmp_path / "old", "--json")

    assert adopted.document["event"] == "adopted"
    assert adopted.document["fetched"] < 100_000
    assert content(tmp_path / "old") == {**FILES, "save": b"mine"}
    assert member.run("list", "--json").document["installations"][0]["folder"] == str(tmp_path / "old")


def test_an_adopted_folder_keeps_the_version_that_it_contains(
    member: Player, shop: ServerWithGames, tmp_path: Path
) -> None:
    shop.release("1.0", FILES)
    shop.release("2.0", NEWER)
    for path, data in FILES.items():
        (tmp_path / "old" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "old" / path).write_bytes(data)

    adopted = member.run("adopt", "doom", "--folder", tmp_path / "old", "--json")
    listed = member.run("list", "--json").document["installations"][0]
    changed = member.run("adopt", "doom", "--folder", tmp_path / "old", "--version", "2.0", "--json")

    recognized = next(each for each in adopted.events if each["event"] == "recognized")
    assert recognized == {"event": "recognized", "version": "1.0", "matching": 2, "files": 2, "newest": "2.0"}
    assert (adopted.document["version"]["name"], adopted.document["aside"]) == ("1.0", [])
    assert listed["state"] == "outdated"
    assert changed.document["version"]["name"] == "2.0"


def test_a_missing_folder_is_not_adopted(member: Player, shop: ServerWithGames, tmp_path: Path) -> None:
    assert member.run("adopt", "doom", "--folder", tmp_path / "nowhere").status == 1
    assert not (tmp_path / "nowhere").exists()


def test_an_update_keeps_files_changed_by_the_player(member: Player, shop: ServerWithGames) -> None:
    shop.release("1.0", FILES)
    member.run("install", "doom")
    folder = member.folders.game("Doom")
    (folder / "doom").write_bytes(b"my own")
    shop.release("2.0", NEWER)

    updated = member.run("update", "doom")

    assert updated.status == 0, updated.err
    assert content(folder) == {**NEWER, "doom.yours": b"my own"}
    assert "  doom is now doom.yours\n" in updated.out
    assert updated.err.startswith("Updating Doom from 1.0 to 2.0\n")
    assert "kB downloaded instead of 305.0 kB.\n" in updated.out


def test_updating_a_current_installation_reports_that_it_is_up_to_date(member: Player, shop: ServerWithGames) -> None:
    shop.release("1.0", FILES)
    member.run("install", "doom")

    assert member.run("update", "doom").out == f"Doom 1.0 is up to date in {member.folders.game('Doom')}.\n"


@pytest.mark.parametrize("words", [(), ("--all",)])
def test_a_failed_update_does_not_keep_other_games_from_updating(
    member: Player, shop: ServerWithGames, tmp_path: Path, words: tuple[str, ...]
) -> None:
    shop.release("1.0", FILES)
    for name in ("a", "b"):
        member.run("install", "doom", "--to", tmp_path / name)
    (tmp_path / "a" / ".playdock" / "installation.json").write_text("{")
    shop.release("2.0", NEWER)

    updated = member.run("update", *words, "--json")

    assert updated.status == 1
    assert {each["event"] for each in updated.events} - {"progress"} == {"failed", "updated"}
    assert content(tmp_path / "b") == NEWER


def test_an_update_can_install_an_older_version(member: Player, shop: ServerWithGames) -> None:
    shop.release("1.0", FILES)
    shop.release("2.0", NEWER)
    member.run("install", "doom")

    updated = member.run("update", "doom", "--version", "1.0")

    assert updated.status == 0, updated.err
    assert content(member.folders.game("Doom")) == FILES


@pytest.mark.parametrize(
    "words",
    [
        ["update", "--version", "1"],
        ["update", "doom", "--all"],
        ["update", "--all", "--version", "1"],
        ["update", "a", "b", "--version", "1"],
        ["install", "doom", "--to", ""],
        ["adopt", "doom", "--folder", ""],
    ],
)
def test_invalid_arguments_are_usage_errors(player: Player, words: list[str]) -> None:
    assert player.run(*words).status == 2


def test_an_installation_interrupted_by_ctrl_c_can_be_resumed(member: Player, shop: ServerWithGames) -> None:
    big = {"doom": b"x", "data.pak": os.urandom(8_000_000)}
    shop.release("1.0", big)
    with member.start("install", "doom", "--json", "--limit-rate", "2M") as process:
        assert process.stdout
        for line in process.stdout:
            if json.loads(line).get("done", 0) > 1_500_000:
                break
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    listed = member.run("list", "--json").document["installations"][0]
    verified = member.run("verify", "doom")
    resumed = member.run("install", "doom", "--json")

    assert process.returncode == 130
    assert json.loads(out.splitlines()[-1])["type"] == "interrupted"
    assert "Run the same command again to resume." in err
    assert listed["state"] == "unfinished"
    assert (verified.status, "is unfinished" in verified.err) == (1, True)
    assert resumed.document["fetched"] < 7_500_000
    assert content(member.folders.game("Doom")) == big


def test_a_killed_installation_is_listed_and_can_be_removed(member: Player, shop: ServerWithGames) -> None:
    shop.release("1.0", {"doom": b"x", "data.pak": os.urandom(8_000_000)})
    with member.start("install", "doom", "--json", "--limit-rate", "2M") as process:
        assert process.stdout
        for line in process.stdout:
            if json.loads(line).get("done", 0) > 500_000:
                break
        process.kill()
    shown = member.run("list").out
    launched = member.run("launch", "doom")
    removed = member.run("uninstall", "doom")

    assert "unfinished: run install again" in shown
    assert (launched.status, "is unfinished" in launched.err) == (1, True)
    assert removed.status == 0, removed.err
    assert not member.folders.game("Doom").exists()
    assert member.run("list", "--json").document == {"installations": []}


def test_an_installation_that_never_started_is_not_listed(member: Player, shop: ServerWithGames) -> None:
    version = shop.release("1.0", FILES)
    with Loopback() as away:
        member.sign_in(away.address, "pdc_x")
        page = {"id": "g", "name": "Doom", "versions": [{"id": version, "name": "1.0", "platform": "Linux"}]}
        away.on("/api/v1/store", answer(json.dumps({"games": [page]}).encode()))
        away.on("/api/v1/games/g", answer(json.dumps(page).encode()))
        away.on(f"/api/v1/versions/{version}/manifest", answer(b"{}", status=404))
        assert member.run("install", "doom").status == 1

    assert member.run("list", "--json").document == {"installations": []}
