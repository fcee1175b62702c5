"""Versions that cannot be served, and faults while one is read."""

import errno
import json
import threading
import time
import zipfile
from collections.abc import Callable
from itertools import count
from pathlib import Path
from random import Random
from zlib import crc32

import pytest
from sqlalchemy import func, select

from audit import told_of
from playdock.models import ImportCheckpoint
from versions_to_import import PRELOAD, doom, pack, start, unimported, versions
from waiting import wait_until
from world import Caller, World

CONTENT = {"doom": b"#!/bin/sh\n", "data/e1m1.wad": Random(5).randbytes(400_000), "data/empty": b""}


def write_bad_name(place: Path) -> None:
    (place / "con.txt").touch()


def write_case_variants(place: Path) -> None:
    (place / "readme").touch()
    (place / "ReadMe").touch()


def write_leaving_link(place: Path) -> None:
    (place / "passwords").symlink_to("/etc/passwd")


def write_climbing_link(place: Path) -> None:
    (place / "up").symlink_to("../../..")


def write_control_character(place: Path) -> None:
    (place / "notifier\x07").touch()


@pytest.mark.parametrize(
    ("lay", "reason"),
    [
        (write_bad_name, "reserved name on Windows"),
        (write_case_variants, "differ only by case"),
        (write_leaving_link, "absolute path"),
        (write_climbing_link, "points outside the version"),
        (write_control_character, "control character"),
    ],
)
def test_a_version_that_could_harm_a_client_fails_the_import_with_the_reason(
    world: World, lay: Callable[[Path], None], reason: str
) -> None:
    place = world.put("Doom/1.0/doom").parent
    lay(place)
    admin, game = doom(world)

    task = world.import_version(admin, game, "1.0", launch="doom")

    assert (task["success"], task["error"]["title"]) == (False, "Version unusable")
    assert reason in task["error"]["description"]
    assert str(world.folder) not in str(task)
    assert (versions(admin, game), unimported(admin, game)) == ([], ["1.0"])


def encrypt(archive: Path) -> None:
    """Mark every member as encrypted, in both places that say so."""
    data = bytearray(archive.read_bytes())
    for mark, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(mark)
        while at >= 0:
            data[at + flags] |= 1
            at = data.find(mark, at + 4)
    archive.write_bytes(data)


@pytest.mark.parametrize("lay", [write_bad_name, write_case_variants, write_leaving_link])
def test_a_missing_command_is_reported_before_other_problems(world: World, lay: Callable[[Path], None]) -> None:
    lay(world.put("Doom/1.0/doom").parent)
    admin, game = doom(world)

    refused = start(admin, game, launch="dooom", setup="setup.exe")

    assert refused.json()["type"] == "invalid-input"
    assert [fault["field"] for fault in refused.json()["errors"]] == ["launch", "setup"]


def truncate(archive: Path) -> None:
    archive.write_bytes(archive.read_bytes()[:-30])


def not_an_archive(archive: Path) -> None:
    archive.write_bytes(b"Rar!" + bytes(100))


@pytest.mark.parametrize(("corrupt", "reason"), [(truncate, "damaged"), (not_an_archive, "damaged")])
def test_an_unreadable_archive_is_rejected_immediately(
    world: World, corrupt: Callable[[Path], None], reason: str
) -> None:
    corrupt(pack(world.games / "Doom/1.0.zip", CONTENT))
    admin, game = doom(world)

    answers = start(admin, game, "1.0.zip"), admin.get(PRELOAD, params={"id": game, "version": "1.0.zip"})

    assert [(each.status_code, each.json()["type"]) for each in answers] == [(400, "version-unusable")] * 2
    assert all(reason in each.json()["detail"] for each in answers)


def test_an_encrypted_archive_is_rejected_immediately(world: World) -> None:
    encrypt(pack(world.games / "Doom/1.0.zip", CONTENT))
    admin, game = doom(world)

    refused = start(admin, game, "1.0.zip")

    assert (refused.status_code, refused.json()["type"]) == (400, "version-unusable")
    assert "encrypted" in refused.json()["detail"]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_damaged_archive_member_fails_the_import_and_is_named(world: World, method: int) -> None:
    archive = pack(world.games / "Doom/1.0.zip", CONTENT, method=method)
    data = bytearray(archive.read_bytes())
    data[200_000] ^= 0xFF
    archive.write_bytes(data)
    admin, game = doom(world)

    task = world.import_version(admin, game, "1.0.zip", launch="doom")

    assert task["error"]["title"] == "Version unusable"
    assert "data/e1m1.wad" in task["error"]["description"]
    assert "damaged" in task["error"]["description"]
    assert versions(admin, game) == []


def test_a_failed_import_can_be_restarted(world: World) -> None:
    bad = world.put("Doom/1.0/con")
    world.put("Doom/1.0/doom")
    admin, game = doom(world)
    assert not world.import_version(admin, game, "1.0", launch="doom")["success"]

    bad.unlink()

    assert world.import_version(admin, game, "1.0", launch="doom")["success"]


# --- Faults while a version is read ---


def first_try_of(admin: Caller, game: str) -> str:
    """Start the import of 1.0, whose first try fails, and return its task."""
    task: str = start(admin, game).json()["taskId"]
    deadline = time.monotonic() + 120
    while "Trying again in 2 seconds" not in str(admin.get(f"/api/v1/task/{task}").json()["log"]):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return task


def ingesting() -> bool:
    return threading.current_thread().name.startswith("ingest")


def test_a_file_that_changes_while_being_read_is_read_again(world: World) -> None:
    file = world.put("Doom/1.0/doom", b"before")
    admin, game = doom(world)

    def change(opened: object) -> None:
        if opened == "doom" and ingesting():
            file.write_bytes(b"and after")

    with told_of("open", change):
        task = first_try_of(admin, game)
    world.clock.advance(seconds=3)

    ended = world.finish(admin, task)
    assert ended["success"]
    assert "doom\u201d changed while it was read" in json.loads(ended["log"][0])["message"]
    assert world.manifest(admin, game, "1.0")["files"][0]["crc32"] == crc32(b"and after")


def test_a_file_that_keeps_changing_fails_the_import(world: World) -> None:
    file = world.put("Doom/1.0/doom")
    admin, game = doom(world)
    sizes = count(1)

    def change(opened: object) -> None:
        if opened == "doom" and ingesting():
            file.write_bytes(bytes(next(sizes)))

    with told_of("open", change):
        task = start(admin, game).json()["taskId"]
        while not (ended := admin.get(f"/api/v1/task/{task}").json())["ended"]:
            world.clock.advance(seconds=30)
            time.sleep(0.05)

    assert (ended["success"], ended["error"]["title"]) == (False, "Version changed")
    assert "Wait until the version is complete." in ended["error"]["description"]
    assert versions(admin, game) == []


def test_a_file_deleted_during_the_import_is_left_out(world: World) -> None:
    world.put("Doom/1.0/doom")
    file = world.put("Doom/1.0/temporary")
    admin, game = doom(world)

    def remove(opened: object) -> None:
        if opened == "temporary" and ingesting():
            file.unlink(missing_ok=True)

    with told_of("open", remove):
        task = first_try_of(admin, game)
    world.clock.advance(seconds=3)

    assert world.finish(admin, task)["success"]
    assert [found["path"] for found in world.manifest(admin, game, "1.0")["files"]] == ["doom"]


@pytest.mark.folder_objects
@pytest.mark.parametrize("kind", ["layers", "manifests"])
def test_a_full_disk_is_reported_and_the_import_continues_once_there_is_space(world: World, kind: str) -> None:
    world.put("Doom/1.0/doom")
    admin, game = doom(world)

    def fill(opened: object) -> None:
        if f"data/objects/{kind}" in str(opened):
            raise OSError(errno.ENOSPC, "No space left on device")

    with told_of("open", fill):
        task = first_try_of(admin, game)
        assert versions(admin, game) == []
    world.clock.advance(seconds=3)

    ended = world.finish(admin, task)
    assert ended["success"]
    assert any("The disk is full. Free some space." in line for line in ended["log"])


def checkpoints(world: World) -> int:
    """Return how many unfinished imports have been recorded."""
    with world.services.db.read() as session:
        return session.scalar(select(func.count()).select_from(ImportCheckpoint)) or 0


def test_files_already_read_are_not_read_again(world: World) -> None:
    world.put("Doom/1.0/a.wad", bytes(1000))
    file = world.put("Doom/1.0/doom")
    admin, game = doom(world)
    read: list[object] = []

    def note(opened: object) -> None:
        if ingesting() and opened in ("a.wad", "doom"):
            read.append(opened)
            if len(read) == 2:
                wait_until(lambda: checkpoints(world))  # what is known of a.wad has been written down
                file.write_bytes(b"changed")

    with told_of("open", note):
        task = first_try_of(admin, game)
        world.clock.advance(seconds=3)
        ended = world.finish(admin, task)

    assert (ended["success"], read) == (True, ["a.wad", "doom", "doom"])
    assert any("Resuming: 1 files" in line and "1,000 bytes" in line for line in ended["log"])
