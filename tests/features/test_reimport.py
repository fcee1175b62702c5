"""Importing again: a version takes over what was changed in its folder, in one go, and keeps its id."""

import os
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from blake3 import blake3
from sqlalchemy import func, select

from audit import told_of
from playdock.content.damage import FileProblem
from playdock.models import Event, ImportCheckpoint
from spoiling import (
    add_version,
    corrupt_file,
    damaged_files,
    etag,
    make_revision,
    reimport,
    stand,
    verify_all,
    version_of,
)
from versions_to_import import start
from world import Caller, World

UNKNOWN = "00000000-0000-0000-0000-000000000000"
LARGE = os.urandom(300_000)


def lay(world: World, version: str = "1.0") -> Path:
    world.put(f"Doom/{version}/doom", b"#!/bin/sh", mode=0o755)
    return world.put(f"Doom/{version}/doom.wad", LARGE).parent


def hashes(caller: Caller, version: str) -> dict[str, str]:
    manifest = caller.get(f"/api/v1/versions/{version}/manifest").json()
    return {file["path"]: file["hash"] for file in manifest["files"]}


def opened_by_tasks(names: list[str]) -> AbstractContextManager[None]:
    """Note the names of the files that are opened to be ingested."""

    def note(opened: object) -> None:
        if threading.current_thread().name.startswith("ingest"):
            names.append(Path(str(opened)).name)

    return told_of("open", note)


def checkpoints(world: World) -> int:
    """How much of what imports have learned is still kept."""
    with world.services.db.read() as session:
        return session.scalar(select(func.count()).select_from(ImportCheckpoint)) or 0


# --- What becomes of a version ---


def test_a_reimported_version_keeps_its_id_and_serves_the_new_files(world: World) -> None:
    version = lay(world)
    admin, game = stand(world, "1.0")
    before = version_of(admin, game)
    old = etag(admin, before["id"])
    (version / "patch.txt").write_bytes(b"more")
    (version / "doom").write_bytes(b"#!/bin/bash")

    task = reimport(world, admin, before["id"])

    after = version_of(admin, game)
    assert (task["success"], task["name"], task["taskGroup"]) == (True, "Re-import Doom 1.0", "reimport:version")
    assert {name for name in before if after[name] != before[name]} == {"size", "installedSize"}
    assert after["size"] == len(LARGE) + 4 + 11
    assert hashes(admin, after["id"])["doom"] == blake3(b"#!/bin/bash").hexdigest()
    assert etag(admin, after["id"]) != old


def test_players_learn_of_a_version_that_was_imported_again_with_other_files(world: World) -> None:
    folder = lay(world)
    admin, game = stand(world, "1.0")
    for content in (LARGE, b"other", b"another"):
        (folder / "doom.wad").write_bytes(content)
        assert reimport(world, admin, version_of(admin, game)["id"])["success"]

    with world.services.db.read() as session:
        kinds = list(session.scalars(select(Event.event_type).order_by(Event.id)))
    assert kinds == ["game.added", "version.added", "version.added"]


def test_nobody_is_told_of_an_older_version_that_was_imported_again(world: World) -> None:
    folder = lay(world)
    lay(world, "2.0")
    admin, game = stand(world, "1.0", "2.0")
    (folder / "doom.wad").write_bytes(b"other")
    assert reimport(world, admin, version_of(admin, game)["id"])["success"]

    with world.services.db.read() as session:
        kinds = list(session.scalars(select(Event.event_type).order_by(Event.id)))
    assert kinds == ["game.added", "version.added"]


def test_only_changed_files_are_read(world: World) -> None:
    version = lay(world)
    admin, game = stand(world, "1.0")
    (version / "doom").write_bytes(b"#!/bin/bash")
    names: list[str] = []

    with opened_by_tasks(names):
        reimport(world, admin, version_of(admin, game)["id"])

    assert ("doom" in names, "doom.wad" in names) == (True, False)
    assert checkpoints(world) == 0


def test_a_corrupted_file_is_read_even_if_its_time_is_unchanged(world: World) -> None:
    version = lay(world)
    admin, game = stand(world, "1.0")
    corrupt_file(version / "doom")
    verify_all(world, admin)

    reimport(world, admin, version_of(admin, game)["id"])

    assert damaged_files(admin) == []
    assert hashes(admin, version_of(admin, game)["id"])["doom"] == blake3((version / "doom").read_bytes()).hexdigest()
    verify_all(world, admin)
    assert damaged_files(admin) == []


def test_changed_file_times_alone_change_nothing_for_players(world: World) -> None:
    version = lay(world)
    admin, game = stand(world, "1.0")
    identity = version_of(admin, game)["id"]
    before, page = etag(admin, identity), admin.get(f"/api/v1/games/{game}").json()
    os.utime(version / "doom.wad")
    refused = admin.get(f"/api/v1/versions/{identity}/files/doom.wad")

    assert reimport(world, admin, identity)["success"]

    answer = admin.get(f"/api/v1/versions/{identity}/files/doom.wad")
    assert (refused.status_code, refused.json()["type"]) == (409, "content-changed")
    assert (answer.status_code, answer.content, etag(admin, identity)) == (200, LARGE, before)
    assert admin.get(f"/api/v1/games/{game}").json() == page


def test_the_updated_time_of_the_game_changes_with_its_content(world: World) -> None:
    version = lay(world)
    admin, game = stand(world, "1.0")
    before = admin.get(f"/api/v1/games/{game}").json()["updated"]
    (version / "doom").write_bytes(b"#!/bin/bash")
    reimport(world, admin, version_of(admin, game)["id"])
    assert admin.get(f"/api/v1/games/{game}").json()["updated"] > before


def test_a_reimport_clears_recorded_damage(world: World) -> None:
    lay(world)
    admin, game = stand(world, "1.0")
    identity = version_of(admin, game)["id"]
    world.services.damages.report(identity, "doom", FileProblem.CHANGED)
    reimport(world, admin, identity)
    assert (damaged_files(admin), version_of(admin, game)["damaged"]) == ([], None)


@pytest.mark.parametrize("lost", ["layers", "manifests"])
def test_a_lost_layer_or_manifest_is_created_again(world: World, lost: str) -> None:
    lay(world)
    admin, game = stand(world, "1.0")
    identity = version_of(admin, game)["id"]
    before = etag(admin, identity)
    world.services.blobs.delete(f"{lost}/{identity}")

    assert reimport(world, admin, identity)["success"]

    assert (etag(admin, identity), len(hashes(admin, identity))) == (before, 2)
    verify_all(world, admin)
    assert damaged_files(admin) == []


# --- Deltas over it ---


def write_chain(world: World) -> tuple[Caller, str, list[str]]:
    """A full version, a delta over it, a delta over that; and their ids."""
    lay(world)
    world.put("Doom/1.1/e1m1", b"one")
    world.put("Doom/1.2/e1m2", b"two")
    admin, game = stand(world, "1.0")
    for name in ("1.1", "1.2"):
        add_version(world, admin, game, name, delta=True)
    return admin, game, [version_of(admin, game, name)["id"] for name in ("1.0", "1.1", "1.2")]


@pytest.mark.parametrize("changed", [0, 1, 2])
def test_deltas_change_with_their_base_and_other_versions_do_not(world: World, changed: int) -> None:
    admin, game, chain = write_chain(world)
    before = [etag(admin, version) for version in chain]
    world.put(f"Doom/1.{changed}/readme", b"read me")

    assert reimport(world, admin, chain[changed])["success"]

    differs = [etag(admin, version) != old for version, old in zip(chain, before, strict=True)]
    assert differs == [number >= changed for number in range(3)]
    assert ["readme" in hashes(admin, version) for version in chain] == differs
    newest = version_of(admin, game, "1.2")
    assert (newest["size"], newest["installedSize"]) == (3 + 7 * (changed == 2), len(LARGE) + 9 + 3 + 3 + 7)


def test_a_delta_can_be_reimported_after_its_base(world: World) -> None:
    admin, _, chain = write_chain(world)
    world.put("Doom/1.0/readme", b"read me")
    world.put("Doom/1.2/e1m2", b"other")
    for version in chain:
        assert reimport(world, admin, version)["success"]
    found = hashes(admin, chain[2])
    assert (found["e1m2"], "readme" in found, "e1m1" in found) == (blake3(b"other").hexdigest(), True, True)


def when_a_manifest_is_written(call: Callable[[], None]) -> AbstractContextManager[None]:
    """Do something once, just before the first manifest is written."""
    done = threading.Event()

    def receive_request(path: object) -> None:
        if "/manifests/" in str(path) and not done.is_set():
            done.set()
            call()

    return told_of("tempfile.mkstemp", receive_request)


@pytest.mark.folder_objects
def test_a_delta_uses_the_revision_of_a_base_reimported_during_its_import(world: World) -> None:
    """As another machine may do it, while the delta is imported for the first time."""
    lay(world)
    world.put("Doom/1.1/e1m1", b"one")
    admin, game = stand(world, "1.0")
    base = version_of(admin, game)["id"]
    with when_a_manifest_is_written(lambda: make_revision(world, base)):
        add_version(world, admin, game, "1.1", delta=True)
    assert hashes(admin, version_of(admin, game, "1.1")["id"]).keys() == {"doom", "e1m1"}


@pytest.mark.folder_objects
@pytest.mark.parametrize(("again", "other"), [(1, 0), (0, 1)])
def test_a_reimport_includes_concurrent_changes_of_its_bases_and_deltas(world: World, again: int, other: int) -> None:
    """A base below what is imported again, or a delta above it."""
    admin, _, chain = write_chain(world)
    world.put(f"Doom/1.{again}/readme", b"read me")
    with when_a_manifest_is_written(lambda: make_revision(world, chain[other])):
        assert reimport(world, admin, chain[again])["success"]
    lost = "doom.wad" if other == 0 else "e1m1"
    assert (lost in hashes(admin, chain[2]), "readme" in hashes(admin, chain[2])) == (False, True)


# --- What cannot be ---


def remove_program(world: World) -> None:
    (world.games / "Doom/1.0/doom").unlink()


def add_bad_name(world: World) -> None:
    world.put("Doom/1.0/back\\slash")


@pytest.mark.parametrize(
    ("corrupt", "title"), [(remove_program, "Command missing"), (add_bad_name, "Version unusable")]
)
def test_a_failed_reimport_leaves_the_version_unchanged(
    world: World, corrupt: Callable[[World], None], title: str
) -> None:
    lay(world)
    admin, game = stand(world, "1.0")
    before = version_of(admin, game)
    manifest = hashes(admin, before["id"])
    corrupt(world)

    task = reimport(world, admin, before["id"])

    assert (task["success"], task["error"]["title"]) == (False, title)
    assert (version_of(admin, game), hashes(admin, before["id"])) == (before, manifest)


def test_a_reimport_fails_if_a_delta_loses_its_launch_command(world: World) -> None:
    lay(world)
    world.put("Doom/1.0/editor")
    world.put("Doom/1.1/e1m1")
    admin, game = stand(world, "1.0")
    add_version(world, admin, game, "1.1", delta=True, launch="editor")
    (world.games / "Doom/1.0/editor").unlink()

    task = reimport(world, admin, version_of(admin, game)["id"])

    assert (task["error"]["title"], "editor" in task["error"]["description"]) == ("Command missing", True)
    assert "editor" in hashes(admin, version_of(admin, game, "1.1")["id"])


def test_only_one_task_reimports_a_version_at_a_time(world: World) -> None:
    lay(world)
    admin, game = stand(world, "1.0")
    path = f"/api/v1/admin/version/{version_of(admin, game)['id']}/import"
    release = threading.Event()

    def lock(_folder: object) -> None:
        if threading.current_thread().name == "tasks-cpu":
            assert release.wait(120)

    with told_of("os.scandir", lock):
        first, second = admin.post(path), admin.post(path)
        release.set()

    assert (first.status_code, second.status_code) == (202, 409)
    assert second.json()["taskId"] == first.json()["taskId"]
    assert world.finish(admin, first.json()["taskId"])["success"]


def test_a_missing_version_cannot_be_reimported(world: World) -> None:
    version = lay(world)
    admin, game = stand(world, "1.0")
    version.rename(version.parent / "2.0")
    answers = [admin.post(f"/api/v1/admin/version/{each}/import") for each in (version_of(admin, game)["id"], UNKNOWN)]
    assert [(each.status_code, each.json()["type"]) for each in answers] == [
        (404, "version-not-listed"),
        (404, "version-unknown"),
    ]


def test_a_reimported_version_still_cannot_be_imported_twice(world: World) -> None:
    lay(world)
    admin, game = stand(world, "1.0")
    reimport(world, admin, version_of(admin, game)["id"])
    assert start(admin, game).json()["type"] == "version-already-imported"


# --- What is kept ---


def test_old_revisions_are_deleted_and_current_ones_are_kept(world: World) -> None:
    admin, game, chain = write_chain(world)
    world.put("Doom/1.0/readme", b"read me")
    reimport(world, admin, chain[0])
    reimport(world, admin, chain[2])
    world.clock.advance(days=2)
    admin = world.with_token(world.sign_in("ada").json()["accessToken"])

    started = admin.post("/api/v1/admin/task", {"taskGroup": "cleanup:objects"})
    assert world.finish(admin, started.json()["id"])["success"]

    kept = [list(world.services.blobs.keys(kind, before=world.clock())) for kind in ("layers", "manifests")]
    assert [len(names) for names in kept] == [3, 3]
    assert [len(hashes(admin, version)) for version in chain] == [3, 4, 5]
    assert reimport(world, admin, chain[1])["success"]
    assert version_of(admin, game, "1.2")["installedSize"] == len(LARGE) + 9 + 7 + 3 + 3
