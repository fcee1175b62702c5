"""Guesses at what launches a version."""

import stat
import zipfile

import pytest

from audit import told_of
from versions_to_import import PRELOAD, doom, pack
from world import World

LINUX_PROGRAM = b"\x7fELF\2\1\1" + bytes(9) + b"\2\0\x3e\0\1\0\0\0\0\x10" + bytes(200)  # a header with an entry point


def test_launch_guesses_are_sorted_by_similarity(world: World) -> None:
    for name in ("unins000.exe", "doom.exe", "data/tool.exe", "crashpad_handler.exe"):
        world.put(f"Doom/1.0/{name}", b"MZ" + bytes(200))
    world.put("Doom/1.0/doom.x86_64", LINUX_PROGRAM, mode=0o755)
    admin, game = doom(world)

    guesses = admin.get(PRELOAD, params={"id": game, "version": "1.0"}).json()

    similarity = [guess["match"] for guess in guesses]
    names = [guess["filename"] for guess in guesses]
    assert similarity == sorted(similarity, reverse=True)
    assert all(0 <= match <= 1 for match in similarity)
    assert set(names[:2]) == {"doom.exe", "doom.x86_64"}
    assert {guess["filename"]: guess["platform"] for guess in guesses}["doom.x86_64"] == "Linux"
    assert {guess["filename"]: guess["match"] for guess in guesses}["unins000.exe"] == 0


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_launch_guesses_include_programs_in_archives(world: World, method: int) -> None:
    pack(world.games / "Doom/1.0.zip", {"bin/doom.exe": b"MZ" + bytes(200), "readme": b""}, method=method)
    admin, game = doom(world)
    guesses = admin.get(PRELOAD, params={"id": game, "version": "1.0.zip"}).json()
    assert [(guess["filename"], guess["platform"]) for guess in guesses] == [("bin/doom.exe", "Windows")]


def test_a_version_without_programs_has_no_launch_guesses(world: World) -> None:
    world.put("Doom/1.0/readme.txt")
    admin, game = doom(world)
    assert admin.get(PRELOAD, params={"id": game, "version": "1.0"}).json() == []


def test_launch_guesses_do_not_follow_symlinks_out_of_the_version(world: World) -> None:
    world.put("Doom/1.0/readme.txt")
    (world.games / "Doom/1.0/sh").symlink_to("/bin/sh")
    (world.games / "Doom/1.0/bin").symlink_to("/bin")
    admin, game = doom(world)
    assert admin.get(PRELOAD, params={"id": game, "version": "1.0"}).json() == []


def test_a_version_deleted_during_the_scan_is_not_found(world: World) -> None:
    place = world.put("Doom/1.0/doom").parent
    admin, game = doom(world)

    def vanish(opened: object) -> None:
        if str(opened) == place.name and place.exists():
            place.rename(world.folder / "vanished")

    with told_of("open", vanish):
        guessed = admin.get(PRELOAD, params={"id": game, "version": "1.0"})

    assert not place.exists()
    assert (guessed.status_code, guessed.json()["type"]) == (404, "version-not-listed")


def test_file_modes_are_reported_unchanged(world: World) -> None:
    world.put("Doom/1.0/doom", mode=0o755)
    world.put("Doom/1.0/secret", mode=0o600)
    admin, game = doom(world)
    world.import_version(admin, game, "1.0", launch="doom")
    modes = {file["path"]: stat.S_IMODE(file["mode"]) for file in world.manifest(admin, game, "1.0")["files"]}
    assert modes == {"doom": 0o755, "secret": 0o600}
