"""Archives and installers in managed libraries that are unpacked before they are imported."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from inno_setup import inno_setup
from library_files import TRASH, content, done, files_of, hidden, kill_once_after, restore, versions_of, write
from plans import apply, computed, row_of
from playdock.domain.found_versions import queries as found_queries
from playdock.domain.found_versions.queries import Place
from playdock.domain.library_files import queries
from playdock.features.library_files.switching import Switch
from playdock.features.library_files.tasks import Carrier
from playdock.features.library_files.unpacking import UnpackingSteps
from playdock.storage import unpacked_folders
from playdock.storage.library_files import LibraryFolder
from playdock.storage.moving_files import FilesMove
from playdock.tasks.errors import Cancelled
from storage import windows
from unpacking_versions import (
    GAME,
    SIZE,
    UNPACKING,
    examine,
    has_innoextract,
    has_libarchive,
    pack,
    place,
    reason,
    unpack,
    unpacked,
)
from uploads import folder_of, managed_library
from world import World

pytestmark = pytest.mark.both_databases


@pytest.mark.parametrize(
    "name", ["1.0.zip", pytest.param("1.0.7z", marks=has_libarchive), pytest.param("1.0.tar.gz", marks=has_libarchive)]
)
def test_an_archive_becomes_a_folder_and_is_kept_in_the_trash(world: World, tmp_path: Path, name: str) -> None:
    admin = world.admin()
    library = managed_library(admin)
    archive = pack(tmp_path / "game", folder_of(library) / "Doom" / name)
    packed = archive.stat().st_size

    shown = examine(admin, library, name).json()
    task = done(world, admin, unpack(admin, library, name))

    assert (shown["folder"], shown["files"], shown["size"], shown["packed"]) == ("1.0", 3, SIZE, packed)
    assert shown["free"] > 0
    assert task["success"], task
    folder = folder_of(library) / "Doom/1.0"
    assert files_of(library) == unpacked()
    assert {path: (folder / path).read_bytes() for path in GAME} == GAME
    assert (folder / "doom").stat().st_mode & 0o111
    [item] = admin.get(TRASH).json()
    assert (item["gameName"], item["versionName"], item["size"]) == ("Doom", name, packed)
    with world.services.db.read() as session:
        # It need not be unchanged for a while.
        assert list(found_queries.placed(session, library["id"])) == [Place("Doom", "1.0")]

    game = world.import_game(admin, library, "Doom")
    assert world.import_version(admin, game, "1.0", launch="doom")["success"]
    assert content(admin, versions_of(admin, game)["1.0"])[0] == 200
    assert done(world, admin, restore(admin, item["id"]))["success"]
    assert (files_of(library), hidden(library)) == (sorted([f"Doom/{name}", *unpacked()]), [])
    assert admin.get(TRASH).json() == []


@has_innoextract
@pytest.mark.parametrize("in_parts", [False, True])
def test_an_installer_becomes_a_portable_game(world: World, *, in_parts: bool) -> None:
    admin = world.admin()
    library = managed_library(admin, backend="FlatFilesystem")
    destinations = {rf"{{app}}\{path}": data for path, data in {"doom.exe": b"MZ", "data\\doom.wad": b"1" * 99}.items()}
    written = inno_setup({**destinations, r"{tmp}\isdone.dll": b"MZ"}, name="setup_doom_1.0", in_parts=in_parts)
    for name, data in written.items():
        (folder_of(library) / name).write_bytes(data)

    shown = examine(admin, library, "default", "setup_doom_1.0.exe").json()
    task = done(world, admin, unpack(admin, library, "default", "setup_doom_1.0.exe"))

    assert (shown["folder"], shown["files"], shown["size"]) == ("doom_1.0", 2, 101)
    assert shown["packed"] == sum(map(len, written.values()))
    assert task["success"], task
    assert files_of(library) == ["doom_1.0/data/doom.wad", "doom_1.0/doom.exe"]
    row = row_of(computed(world, admin), "doom_1.0")
    [version] = row["versions"]
    assert (version["launch"], version["onlySetup"], version["platform"]) == ("doom.exe", False, "Windows")
    assert apply(world, admin, rows=[{"id": row["id"]}])["failed"] == 0
    [item] = admin.get(TRASH).json()
    assert done(world, admin, restore(admin, item["id"]))["success"]
    assert set(written) < set(files_of(library))


@has_innoextract
@pytest.mark.parametrize(
    ("backend", "version", "folder", "found"),
    [
        ("FlatFilesystem", "default", "Doom", "default"),
        ("MixedFilesystem", "default", "Doom", "doom_1.0"),
        ("Filesystem", "1.0", "Doom/1.0", "1.0"),
    ],
)
def test_an_installer_alone_in_a_folder_is_unpacked_there(
    world: World, backend: str, version: str, folder: str, found: str
) -> None:
    admin = world.admin()
    library = managed_library(admin, backend=backend)
    written = inno_setup({r"{app}\doom.exe": windows.program({})}, name="setup_doom_1.0", in_parts=True)
    for name, data in {**written, "readme.txt": b"Read me"}.items():
        write(library, f"{folder}/{name}", data)
    before = files_of(library)

    task = done(world, admin, unpack(admin, library, version))

    assert task["success"], task
    assert files_of(library) == [f"{folder}/doom_1.0/doom.exe", f"{folder}/readme.txt"]
    row = row_of(computed(world, admin), "Doom")
    assert [(each["version"], each["onlySetup"]) for each in row["versions"]] == [(found, False)]
    assert apply(world, admin, rows=[{"id": row["id"]}])["failed"] == 0
    [item] = admin.get(TRASH).json()
    assert done(world, admin, restore(admin, item["id"]))["success"]
    assert set(before) < set(files_of(library))


@has_innoextract
def test_an_installer_is_restored_into_the_folder_of_its_version(world: World) -> None:
    admin = world.admin()
    library = managed_library(admin)
    write(library, "Doom/0.9/doom")
    game = world.import_game(admin, library, "Doom")
    assert world.import_version(admin, game, "0.9", launch="doom")["success"]
    written = inno_setup({r"{app}\doom.exe": windows.program({})}, name="setup_doom_1.0", in_parts=True)
    for name, data in written.items():
        write(library, f"Doom/1.0/{name}", data)
    assert done(world, admin, unpack(admin, library, "1.0"))["success"]
    [item] = admin.get(TRASH).json()
    assert done(world, admin, restore(admin, item["id"]))["success"]
    assert {f"Doom/1.0/{name}" for name in written} < set(files_of(library))


@has_innoextract
@pytest.mark.parametrize("other", ["doom.exe", "data/level.wad", "setup_quake_1.0.exe"])
def test_a_folder_with_an_installer_and_more_is_not_unpacked(world: World, other: str) -> None:
    admin = world.admin()
    library = managed_library(admin, backend="FlatFilesystem")
    for name in ("setup_doom_1.0.exe", other):
        write(library, f"Doom/{name}", b"MZ")
    assert reason(examine(admin, library, "default")) == "not-packed"


@has_innoextract
@pytest.mark.parametrize(
    ("files", "cut", "code"),
    [
        ({r"{app}\doom.exe": b"M" * 5000}, -3000, "installer-unreadable"),
        ({r"{tmp}\helper.dll": b"M"}, None, "installer-empty"),
        ({}, 0, "installer-unreadable"),
    ],
)
def test_an_installer_that_cannot_be_unpacked_stays(
    world: World, files: dict[str, bytes], cut: int | None, code: str
) -> None:
    admin = world.admin()
    library = managed_library(admin)
    installer = folder_of(library) / "Doom/setup_doom.exe"
    installer.parent.mkdir()
    installer.write_bytes(inno_setup(files)["setup_doom.exe"][:cut])
    answer = unpack(admin, library, "setup_doom.exe")
    # What is missing is only noticed when it is read.
    found = reason(answer) if answer.status_code != 202 else done(world, admin, answer)["error"]["code"]
    assert found == code
    assert (files_of(library), hidden(library), admin.get(TRASH).json()) == (["Doom/setup_doom.exe"], [], [])


def test_without_innoextract_an_installer_is_not_unpacked(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    admin = world.admin()
    library = managed_library(admin)
    installer = folder_of(library) / "Doom/setup_doom.exe"
    installer.parent.mkdir()
    installer.write_bytes(inno_setup({r"{app}\doom.exe": b"MZ"})["setup_doom.exe"])
    monkeypatch.setenv("PATH", "/nowhere")
    assert reason(examine(admin, library, "setup_doom.exe")) == "installer-no-innoextract"


def test_folders_imported_versions_and_other_libraries_are_refused(world: World, tmp_path: Path) -> None:
    admin = world.admin()
    library = managed_library(admin)
    pack(tmp_path / "game", folder_of(library) / "Doom/1.0.zip")
    pack(folder_of(library) / "Doom/0.9", tmp_path / "other.zip")
    game = world.import_game(admin, library, "Doom")
    assert world.import_version(admin, game, "1.0.zip", launch="doom")["success"]
    only_read = world.library(admin)
    pack(tmp_path / "read", world.games / "Quake/1.0.zip")
    shutil.copy(folder_of(library) / "Doom/1.0.zip", folder_of(library) / "Doom/0.9.zip")

    assert reason(examine(admin, library, "0.9")) == "not-packed"
    assert examine(admin, library, "1.0.zip").json()["type"] == "packed-version-imported"
    assert unpack(admin, only_read, "1.0.zip", "Quake").status_code == 409
    assert examine(admin, library, "2.0.zip").status_code == 404
    assert unpack(admin, library, "0.9.zip").json()["type"] == "place-occupied"
    assert world.person("bob").get(UNPACKING, params=place(library, "0.9.zip")).status_code == 403


def test_without_room_nothing_is_unpacked(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    admin = world.admin()
    library = managed_library(admin)
    pack(tmp_path / "game", folder_of(library) / "Doom/1.0.zip")
    monkeypatch.setattr(LibraryFolder, "free_bytes", lambda _: 0)
    answer = unpack(admin, library, "1.0.zip")
    assert answer.json()["type"] == "unpack-space-missing"
    assert (files_of(library), hidden(library)) == (["Doom/1.0.zip"], [])


@pytest.mark.parametrize(
    "step",
    [
        (unpacked_folders, "_fill"),
        (UnpackingSteps, "carry_out"),
        (FilesMove, "_rename"),
        (FilesMove, "carry_out"),
        (Switch, "apply"),
        (queries, "remove_change"),
    ],
)
def test_unpacking_that_is_killed_at_any_step_is_completed(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: tuple[Any, str]
) -> None:
    admin = world.admin()
    library = managed_library(admin)
    pack(tmp_path / "game", folder_of(library) / "Doom/1.0.zip")
    owner, name = step
    killed = kill_once_after(monkeypatch, owner, name)
    assert done(world, admin, unpack(admin, library, "1.0.zip"))["success"]
    assert killed == [name]
    assert (files_of(library), hidden(library)) == (unpacked(), [f"trash/{admin.get(TRASH).json()[0]['id']}/1.0.zip"])


def test_canceled_unpacking_leaves_the_archive(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    admin = world.admin()
    library = managed_library(admin)
    pack(tmp_path / "game", folder_of(library) / "Doom/1.0.zip")

    def cancel(*_: Any) -> None:
        # Somebody makes a folder with the same name in between, which must stay.
        (folder_of(library) / "Doom/1.0").mkdir()
        (folder_of(library) / "Doom/1.0/theirs").write_bytes(b"1")
        raise Cancelled

    with monkeypatch.context() as patch:
        patch.setattr(Carrier, "_move", cancel)
        world.finish(admin, unpack(admin, library, "1.0.zip").json()["taskId"])
    assert (files_of(library), hidden(library)) == (["Doom/1.0.zip", "Doom/1.0/theirs"], [])
    with world.services.db.read() as session:
        assert list(queries.all_changes(session)) == []


def test_a_folder_that_appears_is_kept(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    admin = world.admin()
    library = managed_library(admin)
    pack(tmp_path / "game", folder_of(library) / "Doom/1.0.zip")
    original = Carrier._move

    def appear(*arguments: Any) -> None:
        (folder_of(library) / "Doom/1.0").mkdir()
        (folder_of(library) / "Doom/1.0/theirs").write_bytes(b"1")
        original(*arguments)

    monkeypatch.setattr(Carrier, "_move", appear)
    task = done(world, admin, unpack(admin, library, "1.0.zip"))
    assert (task["success"], "1.0" in task["error"]["description"]) == (False, True)
    assert (files_of(library), hidden(library), admin.get(TRASH).json()) == (
        ["Doom/1.0.zip", "Doom/1.0/theirs"],
        [],
        [],
    )


def test_a_damaged_archive_is_not_unpacked(world: World, tmp_path: Path) -> None:
    admin = world.admin()
    library = managed_library(admin)
    archive = pack(tmp_path / "game", folder_of(library) / "Doom/1.0.zip")
    data = bytearray(archive.read_bytes())
    data[archive.read_bytes().index(b"doom") + 8] ^= 0xFF
    archive.write_bytes(data)
    answer = unpack(admin, library, "1.0.zip")
    task = done(world, admin, answer)
    assert (task["success"], task["error"]["code"]) == (False, "member-damaged")
    assert (files_of(library), hidden(library), admin.get(TRASH).json()) == (["Doom/1.0.zip"], [], [])


@has_innoextract
def test_an_installer_alone_in_the_folder_of_an_imported_game_is_unpacked(world: World) -> None:
    admin = world.admin()
    library = managed_library(admin, backend="MixedFilesystem")
    write(
        library,
        " Doom/setup_doom_1.0.exe",
        inno_setup({r"{app}\doom.exe": b"MZ"}, name="setup_doom_1.0")["setup_doom_1.0.exe"],
    )
    world.import_game(admin, library, " Doom")
    assert done(world, admin, unpack(admin, library, "default", " Doom"))["success"]
    assert files_of(library) == [" Doom/doom_1.0/doom.exe"]
