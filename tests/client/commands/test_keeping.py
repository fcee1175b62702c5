"""`verify`, `repair`, `uninstall`, and what `list` says of installations."""

import shutil
from pathlib import Path

import pytest

from loopback import Loopback, answer

from .conftest import Player, ServerWithGames

FILES = {"doom": b"#!/bin/sh\n", "data/doom.wad": b"wad" * 1000}


@pytest.fixture
def folder(member: Player, shop: ServerWithGames) -> Path:
    """An installation of the game."""
    shop.release("1.0", FILES)
    installed = member.run("install", "doom")
    assert installed.status == 0, installed.err
    return member.folders.game("Doom")


def test_an_intact_installation_is_verified_without_a_server(member: Player, folder: Path) -> None:
    member.folders.credentials.unlink()

    verified = member.run("verify", "doom")

    assert verified.status == 0
    assert verified.out == "Doom 1.0 is intact. Checked 3.0 kB.\n"


def test_damaged_files_are_listed_with_a_distinct_exit_status(member: Player, folder: Path) -> None:
    (folder / "data" / "doom.wad").write_bytes(b"WAD" * 1000)
    (folder / "doom").unlink()

    verified = member.run("verify", "doom")
    document = member.run("verify", folder, "--json").document

    assert verified.status == 4
    assert "damaged: 2 files are missing or changed" in verified.out
    assert (document["missing"], document["damaged"]) == (["doom"], ["data/doom.wad"])


def test_a_repair_restores_missing_files(member: Player, folder: Path) -> None:
    (folder / "doom").unlink()

    repaired = member.run("repair", "doom")

    assert repaired.status == 0, repaired.err
    assert (folder / "doom").read_bytes() == FILES["doom"]
    assert member.run("verify", "doom").status == 0


def test_uninstalling_keeps_the_players_files(member: Player, folder: Path) -> None:
    (folder / "save").write_bytes(b"mine")

    uninstalled = member.run("uninstall", "doom")

    assert "Your own files were kept:\n  save\n" in uninstalled.out
    assert [each.name for each in folder.iterdir()] == ["save"]
    assert member.run("list", "--json").document == {"installations": []}


def test_uninstalling_keeps_the_wine_prefix_and_reports_it(member: Player, folder: Path, shop: ServerWithGames) -> None:
    prefix = member.folders.prefix(shop.game)
    prefix.mkdir(parents=True)

    assert member.run("uninstall", folder, "--json").document["prefix"] == str(prefix)
    assert prefix.is_dir()


def test_uninstalling_can_remove_the_players_files_too(member: Player, folder: Path) -> None:
    (folder / "save").write_bytes(b"mine")

    assert member.run("uninstall", "doom", "--remove-own").status == 0
    assert not folder.exists()


def test_a_missing_folder_is_listed_until_it_is_uninstalled(member: Player, folder: Path) -> None:
    shutil.rmtree(folder)

    listed = member.run("list", "--json").document["installations"]
    asked = [member.run(*words) for words in (["verify", "doom"], ["update", "--all"])]

    assert [each["state"] for each in listed] == ["missing"]
    assert [(each.status, "does not exist" in each.err) for each in asked] == [(1, True)] * 2
    assert member.run("uninstall", "doom").status == 0
    assert member.run("list", "--json").document == {"installations": []}


def test_a_moved_installation_is_recognized_by_its_folder(member: Player, folder: Path, tmp_path: Path) -> None:
    shutil.move(folder, tmp_path / "moved")

    assert member.run("verify", tmp_path / "moved").status == 0
    listed = member.run("list", "--json").document["installations"]
    assert {each["folder"]: each["state"] for each in listed}[str(tmp_path / "moved")] == "current"


def test_available_updates_are_listed(member: Player, folder: Path, shop: ServerWithGames) -> None:
    assert "up to date" in member.run("list").out
    shop.release("2.0", FILES)

    listed = member.run("list", "--json").document["installations"][0]

    assert (listed["state"], listed["version"]["name"], listed["newest"]["name"]) == ("outdated", "1.0", "2.0")
    assert "update available: 2.0" in member.run("list").out


def test_play_time_is_listed(member: Player, folder: Path, shop: ServerWithGames) -> None:
    assert member.run("launch", "doom").status == 0

    listed = member.run("list", "--json").document["installations"][0]

    assert (listed["running"], listed["played"]["seconds"] < 60) == (False, True)
    assert member.run("info", "doom", "--json").document["played"] == listed["played"]
    assert "Played for 0:" in member.run("info", "doom").out


def test_a_failed_update_check_is_listed_with_the_reason(member: Player, folder: Path) -> None:
    member.folders.credentials.unlink()

    listed = member.run("list", "--json").document["installations"][0]

    assert (listed["state"], listed["version"]["name"]) == ("unknown", "1.0")
    assert listed["trouble"].startswith("You are not signed in")


def test_a_reason_that_concerns_all_games_of_a_server_is_listed_once(
    member: Player, folder: Path, shop: ServerWithGames
) -> None:
    assert member.run("install", "doom", "--to", folder.parent / "Another Doom").status == 0
    member.sign_in(shop.address, "pdc_wrong")

    shown = member.run("list")

    problem = f"You are not signed in to {shop.address} any more. Sign in with: playdock-client login {shop.address}\n"
    assert shown.out.count(problem) == 1
    assert shown.out.count("unknown") == 2


def test_a_game_that_was_removed_from_the_server_stays_playable(
    member: Player, folder: Path, shop: ServerWithGames
) -> None:
    assert shop.admin.delete(f"/api/v1/admin/game/{shop.game}").is_success

    listed = member.run("list", "--json").document["installations"][0]
    updated = member.run("update")

    told = "The server no longer offers this game. The installed version can still be played."
    assert (listed["state"], listed["trouble"]) == ("unknown", told)
    assert (updated.status, told in updated.err) == (1, True)
    assert member.run("launch", "doom").status == 0


def test_a_token_from_the_environment_is_sent_only_to_the_selected_server(
    member: Player, folder: Path, shop: ServerWithGames
) -> None:
    with Loopback() as newest:
        newest.on(f"/api/v1/games/{shop.game}/versions", answer(b"[]"))
        member.sign_in(newest.address, "pdc_newest")
        mine = member.run("list", "--json", PLAYDOCK_TOKEN="pdc_wrong").document["installations"]
        named = member.run("list", "--json", "--server", shop.address, PLAYDOCK_TOKEN="pdc_wrong")

    assert mine[0]["state"] == "current"
    assert named.document["installations"][0]["trouble"].startswith(f"{shop.address} rejected the token")


@pytest.mark.parametrize("command", ["verify", "repair", "launch", "uninstall", "update"])
def test_a_game_that_is_not_installed_is_reported(player: Player, command: str) -> None:
    asked = player.run(command, "doom")

    assert (asked.status, asked.err) == (1, "playdock-client: “doom” is not installed.\n")
