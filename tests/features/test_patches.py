"""Patches: made after an import or when asked for, once, and true to both versions."""

import errno
import gzip
import json
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import zstandard
from sqlalchemy import update

from audit import told_of
from patching import KIB, NEW, NEWER, OLD, Doom, Files, noise
from playdock.auth.permissions import Permission
from playdock.features.patches.service import TASK_TYPE, bytes_key, list_key
from playdock.kit.messages import Message
from playdock.models import Version
from playdock.stored import PatchVersionArguments
from playdock.tasks.enqueueing import enqueue
from playdock.tasks.lease_queries import MAX_AHEAD
from playdock.tasks.new_task import NewTask, Queue
from world import World, at_once, running_world


@pytest.fixture
def game(world: World) -> Doom:
    return Doom.at(world)


def imported(game: Doom) -> tuple[str, str]:
    """Two versions whose patches are there."""
    old, new = game.add("1.0", OLD), game.add("1.1", NEW)
    assert [task["success"] for task in game.rest()] == [True]
    return old, new


def skipping(game: Doom) -> tuple[str, str]:
    """Two versions with one between them: their patches are made when somebody asks."""
    old, _ = imported(game)
    last = game.add("1.2", NEWER)
    assert len(game.rest()) == 2
    return old, last


def test_patches_to_a_new_version_are_created_after_its_import(game: Doom) -> None:
    old, new = imported(game)

    answer = game.ask(old, new)

    assert answer.status_code == 200
    listed = answer.json()
    manifests = [game.admin.get(f"/api/v1/versions/{version}/manifest") for version in (old, new)]
    etags = [manifest.headers["etag"].strip('"') for manifest in manifests]
    assert (listed["from"], listed["to"], listed["fromEtag"], listed["toEtag"]) == (old, new, *etags)
    assert game.rest()[0]["name"] == "Create patches for Doom from 1.0 to 1.1"


def test_applying_patches_yields_the_newer_files(game: Doom) -> None:
    listed = game.patches(*imported(game))
    assert game.updated(listed, OLD) == NEW


def test_patches_are_much_smaller_than_the_content_they_replace(game: Doom) -> None:
    listed = game.patches(*imported(game))
    (segment,) = listed["segments"]
    assert listed["size"] == len(game.bytes_of(listed)) == segment["length"]
    assert segment["length"] < 0.55 * segment["plain"]  # noise(9) is new, and cannot be made smaller


def test_patches_from_an_older_version_are_created_on_request(game: Doom) -> None:
    first, last = skipping(game)

    answer = game.request(first, last)

    assert (answer.status_code, answer.headers["retry-after"]) == (202, "2")
    assert game.world.finish(game.admin, answer.json()["taskId"])["success"]
    assert game.updated(game.patches(first, last), OLD) == NEWER


def test_players_can_watch_the_task_that_creates_patches(game: Doom) -> None:
    first, last = skipping(game)
    player = game.world.person()
    task = player.post(f"/api/v1/versions/{last}/patches", params={"from": first}).json()["taskId"]
    assert game.world.finish(player, task)["name"] == "Create patches for Doom from 1.0 to 1.2"


@pytest.mark.parametrize("names", [("1.0", "1.1.zip"), ("1.0.zip", "1.1"), ("1.0.zip", "1.1.zip")])
def test_archives_are_patched_like_folders(game: Doom, names: tuple[str, str]) -> None:
    old, new = game.add(names[0], OLD), game.add(names[1], NEW)
    assert game.updated(game.patches(old, new), OLD) == NEW


def test_a_delta_is_patched_from_its_base(game: Doom) -> None:
    old = game.add("1.0", OLD)
    new = game.add("1.1", {"doom": NEW["doom"]}, delta=True)
    newer = game.add("1.2", {"readme": b"Doom 1.2\n" * 50}, delta=True)

    assert game.updated(game.patches(old, new), OLD) == {**OLD, "doom": NEW["doom"]}
    expected = {**OLD, "doom": NEW["doom"], "readme": b"Doom 1.2\n" * 50}
    assert game.updated(game.patches(old, newer), OLD) == expected


def test_the_first_version_of_a_platform_has_no_patches(game: Doom) -> None:
    game.add("1.0", OLD)
    game.add("1.0 for Windows", OLD, platform="Windows")
    assert game.rest() == []


def test_a_version_is_patched_from_the_previous_one_of_its_platform(game: Doom) -> None:
    game.add("1.0", OLD)
    game.add("1.0 for Windows", NEWER, platform="Windows")
    game.add("1.1", NEW)
    assert [task["name"] for task in game.rest()] == ["Create patches for Doom from 1.0 to 1.1"]


def unzstd(data: bytes) -> bytes:
    return zstandard.ZstdDecompressor().decompressobj().decompress(data)


@pytest.mark.parametrize(("coding", "decode"), [("gzip", gzip.decompress), ("zstd", unzstd)])
def test_the_patch_set_is_sent_compressed(game: Doom, coding: str, decode: Any) -> None:
    old, new = imported(game)
    plain = game.ask(old, new, headers={"Accept-Encoding": "identity"})
    with game.admin.http.stream(
        "GET",
        f"/api/v1/versions/{new}/patches",
        params={"from": old},
        headers={"Accept-Encoding": coding, "Authorization": f"Bearer {game.admin.token}"},
    ) as packed:
        raw = b"".join(packed.iter_raw())
    assert (packed.headers["content-encoding"], packed.headers["vary"]) == (coding, "Accept-Encoding")
    assert json.loads(decode(raw)) == plain.json()


def test_patches_that_save_nothing_are_an_empty_set_and_are_not_retried(game: Doom) -> None:
    old, new = game.add("1.0", {"doom": noise(1)}), game.add("1.1", {"doom": noise(2)})

    listed = game.patches(old, new)

    assert (listed["segments"], listed["size"]) == ([], 0)
    assert game.ask(old, new).status_code == 200
    assert len(game.rest()) == 1


def test_a_segment_is_fetched_by_its_byte_range(game: Doom) -> None:
    listed = game.patches(*imported(game))

    part = game.fetch(listed["id"], Range="bytes=100-299")

    assert (part.status_code, part.headers["content-range"]) == (206, f"bytes 100-299/{listed['size']}")
    assert part.content == game.bytes_of(listed)[100:300]


def test_unchanged_segments_are_not_sent_again(game: Doom) -> None:
    listed = game.patches(*imported(game))
    etag = game.fetch(listed["id"]).headers["etag"]
    assert game.fetch(listed["id"], **{"If-None-Match": etag}).status_code == 304


def test_the_bytes_of_a_deleted_patch_set_are_not_found(game: Doom) -> None:
    listed = game.patches(*imported(game))
    game.admin.delete(f"/api/v1/admin/game/{game.game}")
    answer = game.fetch(listed["id"])
    assert (answer.status_code, answer.json()["type"]) == (404, "patch-set-unknown")


def test_versions_of_different_games_have_no_patches(game: Doom) -> None:
    old = game.add("1.0", OLD)
    game.world.put("Quake/1.0/doom")
    library = {"id": game.admin.get("/api/v1/admin/library/sources").json()[0]["id"]}
    other = game.world.import_game(game.admin, library, "Quake")
    assert game.world.import_version(game.admin, other, "1.0", launch="doom")["success"]
    quake = game.admin.get(f"/api/v1/games/{other}/versions").json()[0]["id"]

    answers = [game.ask(*pair) for pair in ((old, quake), (old, old), (old, "nothing"), ("nothing", old))]

    assert [(each.status_code, each.json()["type"]) for each in answers] == [(404, "version-unknown")] * 4


def test_there_are_no_patches_to_much_older_versions_or_other_platforms(game: Doom) -> None:
    first, last = skipping(game)
    other = game.add("1.1 for Windows", NEW, platform="Windows")

    answers = [game.ask(*pair) for pair in ((last, first), (first, other), (other, first))]

    assert [(each.status_code, each.json()["type"]) for each in answers] == [(404, "no-patches")] * 3
    assert len(game.rest()) == 2


def test_patches_to_the_previous_version_are_created_on_request(game: Doom) -> None:
    old, new = imported(game)
    assert game.updated(game.patches(new, old), NEW) == OLD


def wait_in_line(game: Doom, *subjects: str) -> None:
    """Let patches wait to be made for longer than this test goes on."""
    acls, arguments = (Permission.TASK_READ,), PatchVersionArguments(version="none", from_id="none")
    with game.world.services.db.write() as session:
        for subject in subjects:
            draft = NewTask(TASK_TYPE, Message("plan-import"), subject, Queue.LOW, acls, arguments, delay=MAX_AHEAD)
            enqueue(session, draft, at=game.world.clock())


def test_new_requests_are_rejected_while_a_hundred_wait(game: Doom) -> None:
    first, last = skipping(game)
    wait_in_line(game, *map(str, range(99)))
    begun = game.request(first, last)
    game.world.finish(game.admin, begun.json()["taskId"])
    another = game.add("1.3", OLD)
    while len([task for task in game.tasks() if not task["ended"]]) > 99:
        pass
    wait_in_line(game, "one more")

    refused = game.request(first, another)

    assert begun.status_code == 202
    assert (refused.status_code, refused.json()["type"]) == (503, "too-many-patches")
    assert refused.headers["retry-after"] == "60"


def test_a_request_for_pending_patches_returns_their_task(game: Doom) -> None:
    first, last = skipping(game)
    wait_in_line(game, f"version:{game.game}:{last}:{first}", *map(str, range(99)))
    assert game.ask(first, last).status_code == 202


def test_a_changed_file_fails_the_task_and_is_named(game: Doom) -> None:
    first, last = skipping(game)
    (game.world.games / "Doom/1.0/readme").write_bytes(b"changed")

    task = game.world.finish(game.admin, game.request(first, last).json()["taskId"])

    assert (task["success"], task["error"]["title"]) == (False, "Version changed")
    assert "readme" in task["error"]["description"]
    assert len(game.stored()) == 4


def test_failed_patches_are_retried_after_an_hour(game: Doom) -> None:
    first, last = skipping(game)
    changed = game.world.games / "Doom/1.0/readme"
    changed.rename(game.world.folder / "aside")
    game.world.finish(game.admin, game.request(first, last).json()["taskId"])

    refused = [game.ask(first, last), game.request(first, last)]
    (game.world.folder / "aside").rename(changed)
    game.world.clock.advance(minutes=61)

    assert [(each.status_code, each.json()["type"]) for each in refused] == [(409, "patches-failed")] * 2
    assert game.updated(game.patches(first, last), OLD) == NEWER


@pytest.mark.both_databases
def test_concurrent_requests_share_one_task(game: Doom) -> None:
    first, last = skipping(game)
    answers = at_once([lambda: game.request(first, last)] * 6)
    tasks = {each.json()["taskId"] for each in answers if each.status_code == 202}
    assert len(tasks) == 1
    assert len(game.rest()) == 3


def test_patches_of_a_reimported_version_are_created_again(game: Doom) -> None:
    old, new = imported(game)
    before = game.patches(old, new)
    with game.world.services.db.write() as session:
        session.execute(update(Version).where(Version.id == old).values(manifest_etag="0" * 64))

    after = game.patches(old, new)
    # The old set is deleted after the new one can be found.
    game.rest()

    assert (after["fromEtag"], after["toEtag"]) == ("0" * 64, before["toEtag"])
    assert set(game.stored()) == {after["id"]}


@pytest.mark.parametrize("missing", [bytes_key, list_key])
def test_patches_with_missing_bytes_are_created_again(game: Doom, missing: Callable[[str], str]) -> None:
    old, new = imported(game)
    before = game.patches(old, new)
    game.world.services.blobs.delete(missing(before["id"]))
    game.fetch(before["id"])
    assert game.ask(old, new).json()["type"] == "patches-not-made"
    assert game.request(old, new).status_code == 202
    assert [task["success"] for task in game.rest()] == [True, True]
    assert game.fetch(game.patches(old, new)["id"]).is_success


def test_patches_of_a_deleted_game_are_swept(game: Doom) -> None:
    imported(game)
    assert len(game.stored()) == 2
    assert game.admin.delete(f"/api/v1/admin/game/{game.game}").status_code == 204
    swept = game.world.services.patches.sweep(before=game.world.clock() + timedelta(days=1))
    assert (swept, game.stored()) == (2, [])


def test_used_patches_are_not_swept(game: Doom) -> None:
    imported(game)
    assert game.world.services.patches.sweep(before=game.world.clock() + timedelta(days=1)) == 0


def test_deleting_a_game_cancels_the_creation_of_its_patches(game: Doom) -> None:
    first, last = skipping(game)
    admin = game.world.with_token(game.admin.token)
    deleted: list[int] = []

    def delete(opened: object) -> None:
        if opened == "doom" and threading.current_thread().name == "tasks-patches":
            deleted.append(admin.delete(f"/api/v1/admin/game/{game.game}").status_code)

    with told_of("open", delete):
        task = game.world.finish(game.admin, game.request(first, last).json()["taskId"])

    assert (deleted[0], task["success"], task["error"]["title"]) == (204, False, "Cancelled")
    assert len(game.stored()) == 4  # those of the other sets, which are swept away later


@pytest.mark.folder_objects
@pytest.mark.parametrize("kind", ["patches", "patchlists"])
def test_a_full_disk_is_reported_and_leaves_no_files(game: Doom, kind: str) -> None:
    old = game.add("1.0", OLD)

    def fill(opened: object) -> None:
        if f"objects/{kind}" in str(opened):
            raise OSError(errno.ENOSPC, "No space left on device")

    with told_of("open", fill):
        new = game.add("1.1", NEW)
        task = game.tasks()[0]["id"]
        while "Free some space" not in str(game.admin.get(f"/api/v1/task/{task}").json()["log"]):
            pass
        assert game.stored() == []
    game.world.clock.advance(seconds=3)

    assert game.world.finish(game.admin, task)["success"]
    assert game.ask(old, new).status_code == 200


def release(number: int) -> Files:
    """A version to which patches take some 61,000 bytes."""
    return {"doom": noise(number, 60 * KIB) + bytes([number]) * 90_000}


@pytest.fixture
def tight(database_url: str, tmp_path: Path) -> Iterator[Doom]:
    """A game whose patches have room for four sets, with three."""
    with running_world(tmp_path, database_url=database_url, patches_max_bytes=260_000) as running:
        game = Doom.at(running)
        for number in range(4):
            game.add(f"1.{number}", release(number))
            assert all(task["success"] for task in game.rest())
            running.clock.advance(minutes=5)
        yield game


def ids(game: Doom) -> list[str]:
    return [game.id_of(f"1.{number}") for number in range(4)]


def test_the_least_recently_used_patches_are_evicted(tight: Doom) -> None:
    first, second, third, fourth = ids(tight)
    tight.patches(first, third)
    tight.world.clock.advance(hours=2)
    kept = tight.patches(first, second)

    newest = tight.patches(second, fourth)

    assert len(set(tight.stored())) == 4
    assert {kept["id"], newest["id"]} < set(tight.stored())
    assert (tight.ask(first, third).status_code, tight.ask(second, third).status_code) == (200, 404)


@pytest.mark.folder_objects
def test_space_is_freed_before_a_patch_set_is_written(tight: Doom) -> None:
    first, second, third, fourth = ids(tight)
    tight.patches(first, third)
    there: list[int] = []

    def count(opened: object) -> None:
        if "objects/patches" in str(opened) and ".writing-" in str(opened):
            there.append(len(set(tight.stored())))

    with told_of("open", count):
        tight.patches(second, fourth)

    assert there[0] == 3


@pytest.mark.parametrize("room", [1000, 1_500_000])
def test_a_patch_set_takes_at_most_a_quarter_of_the_storage_limit(database_url: str, tmp_path: Path, room: int) -> None:
    with running_world(tmp_path, database_url=database_url, patches_max_bytes=room) as running:
        game = Doom.at(running)
        old, new = game.add("1.0", OLD), game.add("1.1", NEW)
        assert game.patches(old, new)["segments"] == []
