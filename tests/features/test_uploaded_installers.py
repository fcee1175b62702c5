"""Uploads of installers, which are several files: the program and its parts."""

import pytest

from playdock.storage import staging
from playdock.storage.folder_operations import rename
from storage import windows
from uploads import UPLOADS, begun, declared, finish, folder_of, managed_library, send
from world import World

NAME = "setup_doom_1.0.exe"
INSTALLER = {
    "setup_doom_1.0-1.bin": b"1" * 1000,
    "setup_doom_1.0-2.bin": b"",
    NAME: windows.program({"Comments": "This installation was built with Inno Setup."}),
}
CONTENT = b"".join(INSTALLER.values())


def test_an_installer_is_uploaded_with_its_parts_beside_other_versions(world: World) -> None:
    admin = world.admin()
    library = managed_library(admin)
    for game, before in (("Doom", False), ("Quake", True)):
        if before:
            (folder_of(library) / game / "0.9").mkdir(parents=True)
        upload = begun(admin, library, INSTALLER, game=game, version=NAME)
        send(admin, upload, CONTENT)
        assert finish(world, admin, upload)["state"] == "done"

        folder = folder_of(library) / game
        assert {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()} == INSTALLER
        taken = admin.post(UPLOADS, declared(library, INSTALLER, game=game, version=NAME))
        assert taken.json()["type"] == "destination-taken"


def test_in_a_flat_library_an_installer_is_a_game(world: World) -> None:
    admin = world.admin()
    library = managed_library(admin, backend="FlatFilesystem")
    (folder_of(library) / "setup_doom_1.0-2.bin").write_bytes(b"another")
    refused = admin.post(UPLOADS, declared(library, INSTALLER, game=NAME, version=""))
    assert refused.json()["type"] == "destination-taken"
    (folder_of(library) / "setup_doom_1.0-2.bin").unlink()

    upload = begun(admin, library, INSTALLER, game=NAME, version="")
    send(admin, upload, CONTENT)

    assert finish(world, admin, upload)["state"] == "done"
    assert {file.name: file.read_bytes() for file in folder_of(library).iterdir() if file.is_file()} == INSTALLER


@pytest.mark.parametrize("files", [{**INSTALLER, "readme.txt": b"x"}, {"setup_doom_1.0-1.bin": b"1"}])
def test_only_the_files_of_an_installer_are_uploaded_with_it(world: World, files: dict[str, bytes]) -> None:
    admin = world.admin()
    refused = admin.post(UPLOADS, declared(managed_library(admin), files, version=NAME))
    [error] = refused.json()["errors"]
    assert (error["field"], error["code"]) == ("files", "upload-installer-alone")


def test_an_installer_is_complete_after_a_failure_between_its_parts(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin = world.admin()
    library = managed_library(admin)
    (folder_of(library) / "Doom/0.9").mkdir(parents=True)
    moved = list[str]()

    def fail_before_the_program(source: int, name: str, target: int, new_name: str) -> None:
        if name == NAME and NAME not in moved:
            moved.append(name)
            raise PermissionError
        rename(source, name, target, new_name)

    monkeypatch.setattr(staging, "rename", fail_before_the_program)
    upload = begun(admin, library, INSTALLER, version=NAME)
    send(admin, upload, CONTENT)
    interrupted = finish(world, admin, upload)["state"]
    between = sorted(file.name for file in (folder_of(library) / "Doom").iterdir())
    # Starting it again continues it.
    assert begun(admin, library, INSTALLER, version=NAME) == upload
    assert finish(world, admin, upload)["state"] == "done"

    assert (interrupted, between) == ("failed", ["0.9", *sorted(set(INSTALLER) - {NAME})])
    folder = folder_of(library) / "Doom"
    assert {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()} == INSTALLER
