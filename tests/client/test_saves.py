"""Saved games of two devices: nothing is lost, in whatever order they save."""

import errno
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


def installed(player: Player, shop: ServerWithGames, tmp_path: Path) -> tuple[Path, Path]:
    """Install the game, and return the folder of its saved games and the file of one."""
    shop.release("1.0", {"doom": GAME}, executable="doom")
    player.sign_in(shop.address, device(shop.world, shop.admin).token)
    folder = tmp_path / "saves"
    (folder / "slots").mkdir(parents=True)
    save = folder / "slots/1"
    assert player.run("install", "Doom").status == 0
    return folder, save


def test_naming_the_same_folder_again_changes_nothing(player: Player, shop: ServerWithGames, tmp_path: Path) -> None:
    folder, save = installed(player, shop, tmp_path)
    for content in ("first", "second"):
        save.write_text(content)
        uploaded = player.run("saves", "Doom", "--folder", str(folder), "--upload")
        assert uploaded.status == 0
        assert "Another device" not in uploaded.out + uploaded.err

    assert on_server(shop) == [(True, False, "second"), (False, False, "first")]


def test_changed_files_are_replaced_only_by_a_save_that_exists(
    player: Player, shop: ServerWithGames, tmp_path: Path
) -> None:
    folder, save = installed(player, shop, tmp_path)
    save.write_text("good")
    assert player.run("saves", "Doom", "--folder", str(folder), "--upload").status == 0
    save.write_text("broken")

    kept = player.run("saves", "Doom", "--download")
    assert (kept.status, save.read_text()) == (0, "broken")
    [newest] = shop.admin.get("/api/v1/user/saves").json()["saves"]
    assert f"--restore {newest['id']}" in kept.out + kept.err
    wrong = player.run("saves", "Doom", "--restore", "nonsense")
    assert (wrong.status, on_server(shop)) == (1, [(True, False, "good")])
    assert player.run("saves", "Doom", "--restore", newest["id"]).status == 0
    assert save.read_text() == "good"


def test_files_whose_save_was_deleted_are_not_replaced_by_an_older_one(
    player: Player, shop: ServerWithGames, tmp_path: Path
) -> None:
    shop.release("1.0", {"doom": GAME}, executable="doom")
    player.sign_in(shop.address, device(shop.world, shop.admin).token)
    folder = tmp_path / "saves"
    (folder / "slots").mkdir(parents=True)
    save = folder / "slots/1"
    assert player.run("install", "Doom").status == 0
    assert player.run("saves", "Doom", "--folder", str(folder)).status == 0
    for level in ("1", "2"):
        assert player.run("launch", "Doom", "--", level, str(save)).status == 0

    newest = shop.admin.get("/api/v1/user/saves").json()["saves"][0]
    assert shop.admin.delete(f"/api/v1/user/saves/{newest['id']}").status_code == 204
    assert player.run("saves", "Doom", "--download").status == 0

    assert save.read_text() == "1\n2\n"
    assert (False, True, "1\n2\n") in on_server(shop)


def test_folders_with_other_files_are_not_named(player: Player, shop: ServerWithGames, tmp_path: Path) -> None:
    shop.release("1.0", {"doom": GAME}, executable="doom")
    player.sign_in(shop.address, device(shop.world, shop.admin).token)
    assert player.run("install", "Doom").status == 0
    for folder in (Path("/"), player.home, player.home.parent):
        refused = player.run("saves", "Doom", "--folder", folder)
        assert (refused.status, "Name a folder with only saved games." in refused.err) == (1, True)


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


def test_a_replacement_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "saves"
    folder.mkdir()
    (folder / "a").write_bytes(b"1")
    before = pack(folder)
    rename = Path.rename

    def fail(self: Path, target: Path) -> Path:
        if self.name.endswith("-new"):
            raise PermissionError(errno.EACCES, "Another program has a file open")
        return rename(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", fail)
        with pytest.raises(PermissionError):
            unpack(_archive("b"), folder)
    assert pack(folder) == before

    # What a game has written since is not deleted, and neither is what was there before.
    rename(folder, tmp_path / "saves.playdock-old")
    folder.mkdir()
    with pytest.raises(BadSave, match="from before"):
        pack(folder)
    assert (tmp_path / "saves.playdock-old/a").exists()


def test_folders_that_cannot_be_saved_completely_are_not_saved(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OSError, match="file"):
        pack(tmp_path / "file")
    (tmp_path / "saves").mkdir()
    (tmp_path / "saves/com1.sav").write_bytes(b"")
    with pytest.raises(BadSave, match=r"com1\.sav"):
        pack(tmp_path / "saves")


def _archive(name: str) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr(name, b"x")
    return written.getvalue()
