"""Unpacking that is disturbed, and archives that must not be unpacked: nothing is lost, and nothing is left."""

import errno
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inno_setup import inno_setup
from library_files import TRASH, content, done, files_of, hidden, restore, versions_of, write
from plans import computed, row_of
from playdock.content.archive_names import unpacked_name
from playdock.features.library_files.rules import RESERVED_BYTES
from playdock.features.library_files.tasks import Carrier
from playdock.features.library_files.unpacking import UnpackingSteps
from playdock.storage.library_files import LibraryFolder
from playdock.storage.moving_files import FilesMove
from playdock.tasks.errors import Cancelled
from scanning import look
from unpacking_versions import examine, has_innoextract, has_libarchive, pack, reason, unpack
from uploads import folder_of, managed_library
from world import World


def delayed(monkeypatch: pytest.MonkeyPatch, happening: Callable[[], object]) -> None:
    """Let something happen when an archive has been unpacked, before it is moved."""
    original = UnpackingSteps.carry_out

    def unpack_then(*arguments: Any) -> None:
        original(*arguments)
        happening()

    monkeypatch.setattr(UnpackingSteps, "carry_out", unpack_then)


def test_a_folder_of_others_is_kept_if_the_archive_is_gone(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin = world.admin()
    library = managed_library(admin)
    archive = pack(tmp_path / "game", folder_of(library) / "Doom/1.0.zip")

    def replace_archive() -> None:
        (folder_of(library) / "Doom/1.0").mkdir()
        (folder_of(library) / "Doom/1.0/theirs").write_bytes(b"1")
        archive.unlink()

    original = UnpackingSteps.carry_out

    def replace_then_unpack(*given: Any) -> None:
        replace_archive()
        original(*given)

    monkeypatch.setattr(UnpackingSteps, "carry_out", replace_then_unpack)
    assert not done(world, admin, unpack(admin, library, "1.0.zip"))["success"]
    assert (files_of(library), hidden(library)) == (["Doom/1.0/theirs"], [])


def test_a_version_that_is_imported_in_between_keeps_its_archive(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin = world.admin()
    library = managed_library(admin)
    pack(tmp_path / "game", folder_of(library) / "Doom/1.0.zip")
    games: list[str] = []

    def import_it() -> None:
        games.append(world.import_game(admin, library, "Doom"))
        assert world.import_version(admin, games[0], "1.0.zip", launch="doom")["success"]

    delayed(monkeypatch, import_it)
    task = done(world, admin, unpack(admin, library, "1.0.zip"))
    assert (task["success"], "imported already" in task["error"]["description"]) == (False, True)
    assert content(admin, versions_of(admin, games[0])["1.0.zip"])[0] == 200
    assert (files_of(library), hidden(library), admin.get(TRASH).json()) == (["Doom/1.0.zip"], [], [])


@has_innoextract
@pytest.mark.parametrize(("backend", "version"), [("FlatFilesystem", "default"), ("Filesystem", "1.0")])
def test_a_folder_with_an_installer_that_is_imported_in_between_is_kept(
    world: World, monkeypatch: pytest.MonkeyPatch, backend: str, version: str
) -> None:
    admin = world.admin()
    library = managed_library(admin, backend=backend)
    folder = "Doom" if version == "default" else "Doom/1.0"
    installer = write(library, f"{folder}/setup_doom.exe")
    installer.write_bytes(inno_setup({r"{app}\doom.exe": b"MZ"})[installer.name])

    def import_it() -> None:
        game = world.import_game(admin, library, "Doom")
        assert world.import_version(admin, game, version, launch="setup_doom.exe")["success"]

    delayed(monkeypatch, import_it)
    task = done(world, admin, unpack(admin, library, version))
    assert (task["success"], "imported already" in task["error"]["description"]) == (False, True)
    assert (files_of(library), hidden(library)) == ([f"{folder}/setup_doom.exe"], [])


def test_the_game_of_an_archive_follows_it_into_the_folder(world: World, tmp_path: Path) -> None:
    admin = world.admin()
    library = managed_library(admin, backend="FlatFilesystem")
    pack(tmp_path / "game", folder_of(library) / "Doom.zip")
    game = world.import_game(admin, library, "Doom.zip")
    assert done(world, admin, unpack(admin, library, "default", "Doom.zip"))["success"]
    assert admin.get(f"/api/v1/admin/game/{game}").json()["libraryPath"] == "Doom"
    assert world.import_version(admin, game, "default", launch="doom")["success"]
    assert world.unimported(admin) == []


@has_libarchive
@pytest.mark.parametrize("on_other_disk", [False, True])
def test_unpacking_that_cannot_be_completed_leaves_nothing(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, on_other_disk: bool
) -> None:
    admin = world.admin()
    library = managed_library(admin)
    pack(tmp_path / "game", folder_of(library) / "Doom/1.0.tar.gz")

    def fail(*_: Any) -> None:
        raise Cancelled

    with monkeypatch.context() as patch:
        if on_other_disk:
            patch.setattr(FilesMove, "_rename", other_disk)
        patch.setattr(Carrier, "_switch", fail)
        world.finish(admin, unpack(admin, library, "1.0.tar.gz").json()["taskId"])
    assert (files_of(library), hidden(library)) == (["Doom/1.0.tar.gz"], [])


def other_disk(*_: Any) -> None:
    raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))


def test_the_archive_is_restored_into_the_folder_of_its_renamed_game(world: World, tmp_path: Path) -> None:
    admin = world.admin()
    library = managed_library(admin)
    pack(tmp_path / "game", folder_of(library) / "Doom/1.0.zip")
    game = world.import_game(admin, library, "Doom")
    assert done(world, admin, unpack(admin, library, "1.0.zip"))["success"]
    change = {"path": "Doom 2"}
    assert done(world, admin, admin.patch(f"/api/v1/admin/game/{game}/files", change))["success"]
    [item] = admin.get(TRASH).json()
    assert done(world, admin, restore(admin, item["id"]))["success"]
    assert "Doom 2/1.0.zip" in files_of(library)


def test_in_a_mixed_library_a_folder_stays_a_game_with_versions(world: World, tmp_path: Path) -> None:
    admin = world.admin()
    library = managed_library(admin, backend="MixedFilesystem")
    for name in ("classic.zip", "gold.zip", "1.0.zip"):
        pack(tmp_path / name, folder_of(library) / "Doom" / name)
    (folder_of(library) / "Doom/readme.txt").write_text("Read me")
    assert examine(admin, library, "classic.zip").json()["type"] == "unpacked-not-version"
    assert done(world, admin, unpack(admin, library, "1.0.zip"))["success"]
    # The archives have only just been written.
    for later in (0, 5):
        look(world, admin, later=later)
    assert row_of(computed(world, admin), "Doom")["versions"][0]["version"] != "default"


def written(archive: Path, *members: str) -> Path:
    archive.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(archive, "w") as packed:
        for member in members:
            packed.writestr(member, b"" if member.endswith("/") else b"1")
    return archive


@pytest.mark.parametrize(
    ("members", "code"),
    [
        ((), "archive-empty"),
        (("a/b/",), "archive-empty"),
        (("a/" * 101 + "b",), "archive-deep"),
        (("../b",), "path-unsafe"),
    ],
)
def test_archives_that_make_no_usable_folder_are_refused(world: World, members: tuple[str, ...], code: str) -> None:
    admin = world.admin()
    library = managed_library(admin)
    written(folder_of(library) / "Doom/1.0.zip", *members)
    assert reason(unpack(admin, library, "1.0.zip")) == code
    assert files_of(library) == ["Doom/1.0.zip"]


@has_innoextract
def test_an_installer_is_refused_if_a_part_is_a_link_or_a_name_cannot_be_sent(world: World, tmp_path: Path) -> None:
    admin = world.admin()
    library = managed_library(admin)
    (folder_of(library) / "Doom").mkdir()
    for name, data in inno_setup({r"{app}\doom.exe": b"MZ"}, in_parts=True).items():
        (folder_of(library) / "Doom" / name).write_bytes(data)
    part = folder_of(library) / "Doom/setup_doom-1.bin"
    (tmp_path / "outside.bin").write_bytes(part.read_bytes())
    part.unlink()
    part.symlink_to(tmp_path / "outside.bin")
    assert unpack(admin, library, "setup_doom.exe").json()["type"] == "files-are-linked"
    reserved = inno_setup({r"{app}\con.exe": b"MZ"}, name="setup_con")["setup_con.exe"]
    (folder_of(library) / "Doom/setup_con.exe").write_bytes(reserved)
    assert reason(unpack(admin, library, "setup_con.exe")) == "path-unsafe"


@has_innoextract
def test_the_whole_content_of_an_installer_must_have_room(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    admin = world.admin()
    library = managed_library(admin)
    (folder_of(library) / "Doom").mkdir()
    files = {r"{app}\doom.exe": b"MZ", r"{commonappdata}\large": bytes(5_000_000)}
    (folder_of(library) / "Doom/setup_doom.exe").write_bytes(inno_setup(files)["setup_doom.exe"])
    monkeypatch.setattr(LibraryFolder, "free_bytes", lambda _: RESERVED_BYTES + 1_000_000)
    shown = examine(admin, library, "setup_doom.exe").json()
    assert (shown["size"], shown["needed"]) == (2, 5_000_002)
    assert unpack(admin, library, "setup_doom.exe").json()["type"] == "unpack-space-missing"


def test_a_disk_that_fills_up_stops_unpacking(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    admin = world.admin()
    library = managed_library(admin)
    pack(tmp_path / "game", folder_of(library) / "Doom/1.0.zip")
    free = iter([RESERVED_BYTES + 10**9] * 5)
    monkeypatch.setattr(LibraryFolder, "free_bytes", lambda _: next(free, 0))
    task = done(world, admin, unpack(admin, library, "1.0.zip"))
    assert (task["success"], "room for 0" in task["error"]["description"]) == (False, True)
    assert (files_of(library), hidden(library)) == (["Doom/1.0.zip"], [])


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("1.0.zip", "1.0"),
        ("Doom v1.tar.gz", "Doom v1"),
        ("setup_doom_1.9.exe", "doom_1.9"),
        ("Setup - Doom.exe", "Doom"),
        ("setup_.exe", "setup_"),
        ("setup_.foo.exe", "foo"),
        ("1.0..zip", "1.0"),
        ("foo .zip", "foo"),
        ("..zip", "..zip"),
    ],
)
def test_the_folder_has_the_name_of_the_archive_without_its_ending(name: str, folder: str) -> None:
    assert unpacked_name(name) == folder
