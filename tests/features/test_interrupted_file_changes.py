"""Changes of files that are interrupted at each of their steps, or that cannot be carried out: nothing is lost."""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from library_files import (
    TRASH,
    changes,
    content,
    delete_game,
    done,
    doom,
    files_of,
    hidden,
    move_version,
    quake,
    restore,
    versions_of,
    write,
)
from playdock.domain.library_files import queries
from playdock.features.library_files.switching import Switch
from playdock.features.library_files.tasks import Carrier
from playdock.storage import moving_files
from playdock.storage.folder_operations import PlaceTaken
from playdock.storage.moving_files import FilesMove
from playdock.stored_file_changes import MovedPath
from playdock.tasks import queries as task_queries
from playdock.tasks.errors import Cancelled, Stopping
from uploads import folder_of, managed_library
from waiting import wait_until
from world import World


class Killed(Stopping):
    """The process ends here: the transaction is rolled back, and another process continues the task."""


@contextmanager
def killed_after_each_step(*, on_other_disk: bool = False) -> Iterator[list[str]]:
    """Kill the process the first time after each step that changes the disk or the database. Yield their names."""
    passed: list[str] = []

    def step(owner: Any, name: str) -> tuple[Any, str, Callable[..., Any]]:
        original = getattr(owner, name)

        def killing(*arguments: Any, **options: Any) -> Any:
            answer = original(*arguments, **options)
            if name not in passed:
                passed.append(name)
                raise Killed
            return answer

        return owner, name, killing

    steps = [step(Switch, "apply"), step(queries, "set_switched"), step(queries, "remove_change")]
    steps += [step(FilesMove, name) for name in ("carry_out", "_copy", "_place_copies", "finish")]
    with pytest.MonkeyPatch.context() as patch:
        for each in steps:
            patch.setattr(*each)
        if on_other_disk:
            patch.setattr(FilesMove, "_rename", other_disk)
            patch.setattr(FilesMove, "is_on_one_disk", lambda _: False)
        yield passed


def other_disk(*_: Any) -> None:
    raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))


@pytest.mark.both_databases
def test_a_deletion_and_a_restoration_that_are_killed_at_any_step_are_completed(world: World) -> None:
    admin = world.admin()
    library, game = doom(world, admin, "1.0")
    before, files = admin.get(f"/api/v1/admin/game/{game}").json(), files_of(library)

    with killed_after_each_step() as deleting:
        assert done(world, admin, delete_game(admin, game))["success"]
    deleted = (files_of(library), len(hidden(library)), changes(world))
    [item] = admin.get(TRASH).json()
    with killed_after_each_step() as restoring:
        assert done(world, admin, restore(admin, item["id"]))["success"]

    assert deleting == restoring == ["carry_out", "apply", "remove_change"]
    assert deleted == ([], 2, [])
    assert (admin.get(f"/api/v1/admin/game/{game}").json(), files_of(library)) == (before, files)
    assert (hidden(library), admin.get(TRASH).json(), changes(world)) == ([], [], [])


def test_a_move_to_another_disk_that_is_killed_at_any_step_is_completed(world: World) -> None:
    admin = world.admin()
    library, game = doom(world, admin, "1.0")
    other = managed_library(admin)
    [version] = versions_of(admin, game).values()
    sent, files = content(admin, version), files_of(library)

    with killed_after_each_step(on_other_disk=True) as steps:
        change = admin.patch(f"/api/v1/admin/game/{game}/files", {"library": other["id"]})
        assert done(world, admin, change)["success"]

    assert steps == ["_copy", "_place_copies", "carry_out", "apply", "set_switched", "finish", "remove_change"]
    assert (files_of(library), files_of(other), content(admin, version)) == ([], files, sent)
    assert (hidden(library), hidden(other), changes(world)) == ([], [], [])
    assert admin.get("/api/v1/admin/damage").json() == []


def test_a_version_moves_to_a_game_on_another_disk_although_it_is_killed_at_any_step(world: World) -> None:
    admin = world.admin()
    library, game = doom(world, admin, "1.0")
    target = managed_library(admin)
    other = quake(world, admin, target, "0.9")
    [version] = versions_of(admin, game).values()
    sent = content(admin, version)

    with killed_after_each_step(on_other_disk=True) as steps:
        assert done(world, admin, move_version(admin, version, other))["success"]

    assert steps == ["_copy", "_place_copies", "carry_out", "apply", "set_switched", "finish", "remove_change"]
    assert (files_of(library), versions_of(admin, game)) == ([], {})
    assert files_of(target) == ["Quake/0.9/quake", "Quake/1.0/doom", "Quake/1.0/doom.wad"]
    assert content(admin, version) == sent
    assert (hidden(library), hidden(target), changes(world)) == ([], [], [])


def test_a_full_disk_stops_a_move_and_keeps_nothing_of_it(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    admin = world.admin()
    library, game = doom(world, admin, "1.0")
    other, files = managed_library(admin), files_of(library)
    monkeypatch.setattr(FilesMove, "_rename", other_disk)
    with monkeypatch.context() as patch:
        patch.setattr(moving_files, "_copy_file", full_disk)
        moving = admin.patch(f"/api/v1/admin/game/{game}/files", {"library": other["id"]}).json()["taskId"]
        wait_for_retry(world, moving)
        kept = (files_of(library), files_of(other), hidden(other))
    world.clock.advance(minutes=5)
    assert world.finish(admin, moving)["success"]

    assert kept == (files, [], [])
    assert (files_of(library), files_of(other)) == ([], files)


def full_disk(*_: Any) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def wait_for_retry(world: World, task_id: str) -> None:
    """Wait until a task has failed and is to be retried."""

    def retries() -> int:
        with world.services.db.read() as session:
            task = task_queries.find(session, task_id)
            return task.retries if task else 0

    wait_until(retries)


def test_a_library_that_vanishes_delays_a_deletion(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    admin = world.admin()
    library, game = doom(world, admin, "1.0")
    base, away = folder_of(library), folder_of(library).with_name("away")

    for is_mounted in (False, True):
        with monkeypatch.context() as patch:
            patch.setattr(Carrier, "_stop_readers", partial(vanish, base, away, mount_point=is_mounted))
            deleting = delete_game(admin, game).json()["taskId"]
            wait_for_retry(world, deleting)
        found = list(base.iterdir()) if base.exists() else []
        if base.exists():
            base.rmdir()
        away.rename(base)
        world.clock.advance(minutes=5)
        assert (world.finish(admin, deleting)["success"], found) == (True, [])
        [item] = admin.get(TRASH).json()
        assert done(world, admin, restore(admin, item["id"]))["success"]


def vanish(base: Path, away: Path, *_: Any, mount_point: bool) -> None:
    base.rename(away)
    if mount_point:
        base.mkdir()


def test_a_change_that_is_cancelled_or_impossible_moves_the_files_back(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin = world.admin()
    library, game = doom(world, admin, "1.0")
    files = files_of(library)

    def cancel(*_: Any, **__: Any) -> None:
        raise Cancelled

    with monkeypatch.context() as patch:
        patch.setattr(Switch, "apply", cancel)
        cancelled = done(world, admin, delete_game(admin, game))
    assert done(world, admin, delete_game(admin, game))["success"]
    [item] = admin.get(TRASH).json()
    with monkeypatch.context() as patch:
        place = folder_of(library) / "Doom"
        patch.setattr(Carrier, "_stop_readers", lambda _: place.mkdir())
        taken = done(world, admin, restore(admin, item["id"]))
        place.rmdir()
    write(library, "Doom/2.0/doom")
    occupied = restore(admin, item["id"])

    assert (cancelled["success"], cancelled["error"]["title"]) == (False, "Cancelled")
    assert (taken["success"], taken["error"]["code"]) == (False, "place-occupied")
    assert occupied.json()["type"] == "place-occupied"
    assert (files_of(library), len(hidden(library)), changes(world)) == (["Doom/2.0/doom"], len(files), [])


def test_a_change_whose_task_has_ended_is_undone_or_completed_by_the_next_cleanup(world: World) -> None:
    admin = world.admin()
    library, game = doom(world, admin, "1.0")
    service = world.services.library_files.changes
    files, states = files_of(library), []

    for is_moved in (False, True):
        planned = service.planned_game_deletion(game, change_id := f"change-{is_moved}")
        with world.services.db.write() as session:
            assert service.add(session, planned, change_id)
        folder = service.folder_of(service.managed(library["id"]))
        if is_moved:
            FilesMove(change_id, folder, folder, planned.change.paths).carry_out(lambda _: None)
        refused = delete_game(admin, game) if not is_moved else None
        if refused is not None:
            assert refused.json()["type"] == "files-changing"
        else:
            cleaning = admin.post("/api/v1/admin/task", {"taskGroup": "cleanup:trash"}).json()["id"]
            assert world.finish(admin, cleaning)["success"]
        wait_until(lambda: not changes(world))
        states.append((files_of(library), len(admin.get(TRASH).json())))

    assert states == [(files, 0), ([], 1)]


def test_links_are_not_moved_and_nothing_is_reached_through_them(world: World) -> None:
    admin = world.admin()
    library, game = doom(world, admin, "1.0")
    base, elsewhere = folder_of(library), world.folder / "elsewhere"
    elsewhere.mkdir()
    (base / "Doom").rename(base / "Real")
    (base / "Doom").symlink_to("Real")
    linked = delete_game(admin, game)
    (base / "Doom").unlink()
    (base / "Real").rename(base / "Doom")
    (base / ".playdock").symlink_to(elsewhere)
    refused = done(world, admin, delete_game(admin, game))

    assert linked.json()["type"] == "files-are-linked"
    assert not refused["success"]
    assert (list(elsewhere.iterdir()), len(files_of(library))) == ([], 2)


def test_files_in_the_way_are_never_replaced(world: World) -> None:
    folder = world.services.library_files.changes.folder_of
    admin = world.admin()
    library = managed_library(admin)
    write(library, "a.zip", b"old")
    write(library, "b.zip", b"new")
    where = folder(world.services.library_files.changes.managed(library["id"]))

    with pytest.raises(PlaceTaken):
        FilesMove("change", where, where, [MovedPath("b.zip", "a.zip")]).carry_out(lambda _: None)

    assert (folder_of(library) / "a.zip").read_bytes() == b"old"


def test_a_copy_is_undone_without_what_belongs_to_others(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    admin = world.admin()
    library, other = managed_library(admin), managed_library(admin)
    write(library, "Doom/1.0/doom", b"ours")
    write(other, "Doom/1.0/doom", b"theirs")
    service = world.services.library_files.changes
    source, target = (service.folder_of(service.managed(each["id"])) for each in (library, other))
    move = FilesMove("change", source, target, [MovedPath("Doom", "Doom")])
    monkeypatch.setattr(FilesMove, "_rename", other_disk)

    with pytest.raises(PlaceTaken):
        move.carry_out(lambda _: None)
    move.undo()
    target.erase_deleted()

    assert [(folder_of(each) / "Doom/1.0/doom").read_bytes() for each in (library, other)] == [b"ours", b"theirs"]
    assert hidden(other) == []
