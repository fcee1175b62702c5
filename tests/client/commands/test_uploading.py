"""`upload`."""

import os
from pathlib import Path

import pytest

from playdock_client import uploading
from playdock_client.progress import NoProgress
from playdock_client.uploading import CannotUpload, ManagedLibrary, UploadServer, files_to_upload, suggested_place
from uploads import UPLOADS, folder_of, managed_library
from world import World

from .conftest import Player

FILES = {"run.sh": b"#!/bin/sh\n", "data/levels.wad": os.urandom(300_000), "data/empty": b""}
PERMISSIONS = ("system:library:write", "system:library:sources:read")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A game as somebody has it."""
    game = tmp_path / "Hollow Knight v1.5.78 (GOG)"
    for path, content in FILES.items():
        (game / path).parent.mkdir(parents=True, exist_ok=True)
        (game / path).write_bytes(content)
    (game / "run.sh").chmod(0o755)
    return game


def test_a_folder_and_an_archive_are_uploaded(world: World, folder: Path, tmp_path: Path) -> None:
    admin = world.admin()
    library = managed_library(admin)
    token = world.token_of(admin, *PERMISSIONS).token
    archive = tmp_path / "Doom.zip"
    archive.write_bytes(b"PK")
    player = Player(tmp_path)

    tokenless = player.run("upload", folder, "--server", world.address)
    first = player.run("upload", folder, "--server", world.address, "--token", token, "--json")
    second = player.run("upload", archive, "--server", world.address, "--version", "1.1", PLAYDOCK_TOKEN=token)
    taken = player.run("upload", folder, "--server", world.address, "--token", token)

    assert f"Uploading to {world.address} needs an administrator's API token." in tokenless.err
    assert first.status == 0, first.err
    assert first.document == {"library": "Uploads", "game": "Hollow Knight", "version": "1.5.78"}
    version = folder_of(library) / "Hollow Knight" / "1.5.78"
    assert {path: (version / path).read_bytes() for path in FILES} == FILES
    assert [os.access(version / name, os.X_OK) for name in ("run.sh", "data/levels.wad")] == [True, False]
    assert second.out.strip() == "Uploaded Doom 1.1.zip to Uploads. Import it on the server's Import page."
    assert (taken.status, "has “1.5.78” already" in taken.err) == (1, True)


def test_an_upload_continues_with_the_next_command(world: World, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    admin = world.admin()
    library = managed_library(admin)
    token = world.token_of(admin, *PERMISSIONS).token
    monkeypatch.setattr(uploading, "_PIECE_BYTES", 100_000)
    sent: list[int] = []
    append = UploadServer._append

    def interrupted(self: UploadServer, target: str, piece: bytes, *, at: int) -> None:
        sent.append(at)
        if len(sent) == 2:
            raise KeyboardInterrupt
        append(self, target, piece, at=at)

    monkeypatch.setattr(UploadServer, "_append", interrupted)
    with UploadServer(world.address, token) as server:
        [selected] = server.managed_libraries()
        place = uploading.suggested_place(folder, selected)
        with pytest.raises(KeyboardInterrupt):
            server.upload(selected, place, files_to_upload(folder), NoProgress())
        server.upload(selected, place, files_to_upload(folder), NoProgress())

    assert sent == [0, 100_000, 100_000, 200_000, 300_000]
    assert [each["state"] for each in admin.get(UPLOADS).json()] == ["done"]
    assert (folder_of(library) / "Hollow Knight/1.5.78/data/levels.wad").read_bytes() == FILES["data/levels.wad"]


def test_links_and_single_files_cannot_be_uploaded(folder: Path) -> None:
    (folder / "link").symlink_to("run.sh")

    for source in (folder, folder / "run.sh", folder / "nothing"):
        with pytest.raises(CannotUpload):
            files_to_upload(source)


NAMES = [
    ("Portal 2", "", "Portal 2", "1.0"),
    ("Left 4 Dead 2", "", "Left 4 Dead 2", "1.0"),
    ("Half-Life 2", "", "Half-Life 2", "1.0"),
    ("Half-Life 2 v2", "", "Half-Life 2", "2"),
    ("Cyberpunk 2077 2.12a", "", "Cyberpunk 2077", "2.12a"),
    ("openttd-14.1", "", "openttd", "14.1"),
    ("Fallout_76_V1.7.2 (Steam)", "", "Fallout_76", "1.7.2"),
    ("Portal 2", "1.0", "Portal 2", "1.0"),
    ("openttd-14.1", "14.2", "openttd-14.1", "14.2"),
]


@pytest.mark.parametrize(("name", "given", "game", "version"), NAMES)
def test_a_number_is_a_version_only_with_a_dot_or_a_v(
    tmp_path: Path, name: str, given: str, game: str, version: str
) -> None:
    place = suggested_place(tmp_path / name, ManagedLibrary("id", "Games", flat=False), version=given)

    assert (place.game, place.version) == (game, version)
