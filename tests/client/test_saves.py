"""Saved games of two devices: nothing is lost, in whatever order they save."""

import hashlib
import io
import zipfile
from pathlib import Path
from typing import Any

import pytest

from client.commands.conftest import Player, ServerWithGames, player, shop
from devices import device
from playdock_client.save_archives import BadSave, pack, unpack

__all__ = ["player", "shop"]

GAME = b'#!/bin/sh\necho "$1" >> "$2"\n'


def on_server(shop: ServerWithGames) -> list[tuple[bool, bool, str]]:
    """Return of each save whether it is the newest or kept aside, and what it contains."""
    found = []
    for each in shop.admin.get("/api/v1/user/saves").json()["saves"]:
        content = shop.admin.get(f"/api/v1/user/saves/{each['id']}/content").content
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            found.append((each["newest"], each["aside"], archive.read("slots/1").decode()))
    return found


def test_a_game_continues_where_another_device_has_stopped(
    player: Player, shop: ServerWithGames, tmp_path: Path
) -> None:
    shop.release("1.0", {"doom": GAME}, executable="doom")
    laptop = device(shop.world, shop.admin)
    player.sign_in(shop.address, laptop.token)
    folder = tmp_path / "saves"
    (folder / "slots").mkdir(parents=True)
    save = folder / "slots/1"
    assert player.run("install", "Doom").status == 0
    assert player.run("saves", "Doom", "--folder", str(folder)).status == 0

    def play(level: str) -> Any:
        ran = player.run("launch", "Doom", "--", level, str(save))
        assert ran.status == 0
        return ran

    play("1")
    play("2")
    assert on_server(shop) == [(True, False, "1\n2\n"), (False, False, "1\n")]

    # Another device continues, and this one downloads that before the game starts.
    [newest, _] = shop.admin.get("/api/v1/user/saves").json()["saves"]
    upload(shop, newest["id"], "1\n2\nelsewhere\n")
    play("3")
    assert save.read_text() == "1\n2\nelsewhere\n3\n"

    # Both continue: the server keeps both, and the files here are not touched.
    newest = shop.admin.get("/api/v1/user/saves").json()["saves"][0]
    upload(shop, newest["id"], "elsewhere again\n")
    save.write_text("here\n")
    play("4")
    assert save.read_text() == "here\n4\n"
    states = on_server(shop)
    assert states[0] == (True, False, "elsewhere again\n")
    assert {text for _, aside, text in states if aside} == {"here\n", "here\n4\n"}

    kept = shop.admin.get("/api/v1/user/saves").json()["saves"][0]
    assert player.run("saves", "Doom", "--restore", kept["id"]).status == 0
    assert save.read_text() == "elsewhere again\n"


def upload(shop: ServerWithGames, based_on: str, text: str) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("slots/1", text)
    content = packed.getvalue()
    params = {"basedOn": based_on, "sha256": hashlib.sha256(content).hexdigest()}
    path = f"/api/v1/user/games/{shop.game}/saves"
    assert shop.admin.request("POST", path, params=params, content=content).status_code == 201


def test_archives_are_replaced_as_a_whole_and_leave_their_folder_never(tmp_path: Path) -> None:
    folder = tmp_path / "saves"
    (folder / "a").mkdir(parents=True)
    (folder / "a/b").write_bytes(b"1")
    (folder / "link").symlink_to("a/b")
    packed = pack(folder)
    assert packed
    (folder / "c").write_bytes(b"2")
    assert pack(folder) != packed
    unpack(packed, folder)
    assert pack(folder) == packed
    assert not (folder / "c").exists()

    for content in (b"", b"no archive", packed[:-5], _archive("../outside"), _archive("/outside")):
        with pytest.raises(BadSave):
            unpack(content, folder)
    assert [each.name for each in tmp_path.iterdir()] == ["saves"]

    # As if the client had been killed between the two steps of a replacement.
    folder.rename(tmp_path / "saves.playdock-old")
    assert pack(folder) == packed
    assert pack(tmp_path / "nothing") is None


def _archive(name: str) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr(name, b"x")
    return written.getvalue()
