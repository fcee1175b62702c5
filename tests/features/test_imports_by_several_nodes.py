"""One import on several nodes: its manifest is that of one node, and nodes may leave, fail and begin again."""

import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from playdock.auth.permissions import Permission
from playdock.db.moments import shared_time
from playdock.features.import_parts import queries, tasks
from playdock.kit.messages import Message
from playdock.models import ImportCheckpoint, ImportPart, Task, TaskLogEntry
from playdock.storage import parts
from playdock.storage.folder_tree import FolderTree
from playdock.storage.library_policy import LocationForbidden, LocationUnusable
from playdock.storage.locations import VersionLocation
from playdock.storage.parts import PartLimits, VersionPart, encode_part
from playdock.stored import TaskArguments
from playdock.tasks import lease_queries
from playdock.tasks import queries as task_queries
from playdock.tasks.context import TaskContext
from playdock.tasks.errors import Stopping
from playdock.tasks.new_task import NewTask, Queue
from versions_to_import import doom
from waiting import wait_until
from world import Caller, World, running_world

pytestmark = pytest.mark.both_databases

FILES = {
    "1.0/doom": b"program",
    "1.0/data.pak": Random(1).randbytes(30_000_000),
    "1.0/more.pak": Random(2).randbytes(8_000_000),
    **{f"1.0/levels/{number}": bytes([number]) * 20_000 for number in range(30)},
}
LEASE = timedelta(minutes=1)


@pytest.fixture
def nodes(tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[World, World]]:
    """Two nodes with the same database, folders and objects, and parts that are small."""
    monkeypatch.setattr(tasks, "LIMITS", PartLimits(size=3_000_000, files=10, undivided=2_000_000))
    monkeypatch.setattr(tasks, "_TIME_BETWEEN_LOOKS", timedelta(seconds=0.1))
    with (
        running_world(tmp_path, database_url=database_url, node="one") as one,
        running_world(tmp_path, database_url=database_url, node="two") as two,
    ):
        for path, content in FILES.items():
            one.put(f"Doom/{path}", content)
        yield one, two


def started(admin: Caller, game: str) -> str:
    body = {"id": game, "version": "1.0", "platform": "Linux", "delta": False, "launch": "doom"}
    answer = admin.post("/api/v1/admin/import/version", body)
    assert answer.status_code == 202, answer.text
    task_id: str = answer.json()["taskId"]
    return task_id


def codes(world: World, task: dict[str, Any]) -> list[str | None]:
    """Return the codes of the messages in the log of a task."""
    entries = select(TaskLogEntry.code).where(TaskLogEntry.task_id == task["id"]).order_by(TaskLogEntry.id)
    with world.services.db.read() as session:
        return list(session.scalars(entries))


def number_of(world: World, row: type[Any]) -> int:
    with world.services.db.read() as session:
        return session.scalar(select(func.count()).select_from(row)) or 0


def helper(world: World, caller: Caller) -> dict[str, Any]:
    """Return the task that was enqueued for the other node, when it has ended."""
    with world.services.db.read() as session:
        task_id = session.scalars(select(Task.id).where(Task.task_type == tasks.READ_PARTS)).one()
    return world.finish(caller, task_id)


def read_alone(world: World, admin: Caller, game: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the files of the manifest of the same version, imported by one node under another name."""
    monkeypatch.setattr(tasks, "LIMITS", PartLimits())
    (world.games / "Doom/1.0").rename(world.games / "Doom/1.1")
    assert codes(world, world.import_version(admin, game, "1.1", launch="doom")) == ["files-read"]
    return world.manifest(admin, game, "1.1")["files"]


def running_task(session: Session, world: World, subject: str) -> Task:
    """Return a task that a runner has claimed."""
    acls, now = (Permission.TASK_READ,), world.clock()
    name = Message.worded("task", "A task")
    task_queries.add(session, NewTask("test", name, subject, Queue.DEFAULT, acls, TaskArguments()), at=now)
    task = lease_queries.claim(session, Queue.DEFAULT, types=["test"], worker_id=subject, at=now, lease=LEASE)
    assert task
    return task


def test_two_nodes_read_a_version_together_and_its_manifest_is_that_of_one(
    nodes: tuple[World, World], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, _ = nodes
    admin, game = doom(one)
    readers: set[str] = set()
    read_next = tasks.PartsToRead.read_next

    def noted(self: tasks.PartsToRead, *arguments: Any) -> bool:
        readers.add(str(self.context.task.worker_id).partition(":")[0])
        wait_until(lambda: len(readers) == 2)
        return read_next(self, *arguments)

    monkeypatch.setattr(tasks.PartsToRead, "read_next", noted)
    task = one.finish(admin, started(admin, game))
    assert task["success"], task
    assert codes(one, task) == ["parts-shared", "files-read"]
    assert readers == {"one", "two"}
    assert helper(one, admin)["success"]
    assert (number_of(one, ImportPart), number_of(one, ImportCheckpoint)) == (0, 0)
    together = one.manifest(admin, game, "1.0")

    assert together["files"] == read_alone(one, admin, game, monkeypatch)
    assert len(together["files"]) == len(FILES)


def test_a_small_version_is_read_by_one_node(nodes: tuple[World, World], monkeypatch: pytest.MonkeyPatch) -> None:
    one, _ = nodes
    monkeypatch.setattr(tasks, "LIMITS", PartLimits(size=30_000_000))
    admin, game = doom(one)

    assert codes(one, one.finish(admin, started(admin, game))) == ["files-read"]


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        (LocationForbidden(Message("folder-gone")), ["parts-left"]),
        # It is tried again.
        (LocationUnusable(Message("folder-gone")), ["retrying"]),
    ],
)
def test_a_node_that_cannot_read_the_library_leaves_the_parts_to_the_other_one(
    nodes: tuple[World, World], monkeypatch: pytest.MonkeyPatch, failure: Exception, told: list[str]
) -> None:
    one, _ = nodes
    admin, game = doom(one)
    refused: list[int] = []
    read, read_next = tasks.ReadParts._read, tasks.PartsToRead.read_next

    def refuse(*arguments: Any) -> None:
        if refused:
            read(*arguments)
            return
        refused.append(1)
        raise failure

    def after_that(self: tasks.PartsToRead, *arguments: Any) -> bool:
        wait_until(lambda: refused)
        return read_next(self, *arguments)

    monkeypatch.setattr(tasks.ReadParts, "_read", refuse)
    monkeypatch.setattr(tasks.PartsToRead, "read_next", after_that)
    task = one.finish(admin, started(admin, game))

    assert task["success"], task
    other = helper(one, admin)
    assert (other["success"], codes(one, other)) == (True, told)


def test_the_parts_of_an_earlier_attempt_are_gone_if_a_node_goes_on_alone(world: World) -> None:
    world.put("Doom/1.0/doom")
    admin, game = doom(world)
    read_together, results = tasks.read_together, []

    def with_old_parts(context: TaskContext, *arguments: Any, **options: Any) -> bool:
        with context.transaction() as session:
            queries.add_parts(session, context.task.id, [(5, b"old")])
        results.append(read_together(context, *arguments, **options))
        assert number_of(world, ImportPart) == 0
        return results[-1]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("playdock.features.version_import.tasks.read_together", with_old_parts)
        assert world.import_version(admin, game, "1.0", launch="doom")["success"]
    assert results == [False]


def test_the_task_of_a_node_that_is_gone_is_cancelled(
    nodes: tuple[World, World], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, _ = nodes
    admin, game = doom(one)
    monkeypatch.setattr(tasks, "_other_nodes", lambda _: ["three"])
    call_others, called = tasks._call_others, []

    def then_it_is_gone(*arguments: Any, **options: Any) -> None:
        call_others(*arguments, **options)
        called.append(1)
        monkeypatch.setattr(tasks, "_other_nodes", lambda _: [])

    monkeypatch.setattr(tasks, "_call_others", then_it_is_gone)
    task = one.finish(admin, started(admin, game))

    assert task["success"], task
    assert called
    assert helper(one, admin)["cancelled"]


def test_an_import_that_was_interrupted_divides_what_is_left(
    nodes: tuple[World, World], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, _ = nodes
    admin, game = doom(one)
    read, count = parts.read_part, 0

    def interrupted(*arguments: Any, **options: Any) -> None:
        nonlocal count
        read(*arguments, **options)
        count += 1
        if count in (3, 6):
            raise Stopping

    monkeypatch.setattr(tasks, "read_part", interrupted)
    task = one.finish(admin, started(admin, game))

    assert task["success"], task
    assert (number_of(one, ImportPart), number_of(one, ImportCheckpoint)) == (0, 0)
    assert one.manifest(admin, game, "1.0")["files"] == read_alone(one, admin, game, monkeypatch)


def test_a_version_that_changes_is_divided_again(nodes: tuple[World, World], monkeypatch: pytest.MonkeyPatch) -> None:
    one, _ = nodes
    admin, game = doom(one)
    add_parts, content = queries.add_parts, Random(9).randbytes(31_000_000)
    changed: list[int] = []

    def change(*arguments: Any) -> None:
        add_parts(*arguments)
        if not changed:
            changed.append(1)
            one.put("Doom/1.0/data.pak", content)

    monkeypatch.setattr(queries, "add_parts", change)
    task = one.finish(admin, started(admin, game))

    assert task["success"], task
    assert "retrying" in codes(one, task)
    (version,) = admin.get(f"/api/v1/games/{game}/versions").json()
    assert admin.get(f"/api/v1/versions/{version['id']}/files/data.pak").content == content


def test_parts_of_a_cancelled_import_are_read_no_more_and_are_deleted(
    nodes: tuple[World, World], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, _ = nodes
    admin, game = doom(one)
    reading: list[int] = []
    read = parts.read_part

    def slow(*arguments: Any, **options: Any) -> None:
        reading.append(1)
        wait_until(lambda: admin.get(f"/api/v1/task/{task_id}").json()["ended"] or len(reading) > 1)
        read(*arguments, **options)

    monkeypatch.setattr(tasks, "read_part", slow)
    task_id = started(admin, game)
    wait_until(lambda: reading)
    assert admin.delete(f"/api/v1/admin/task/{task_id}").status_code == 204

    assert one.finish(admin, task_id)["cancelled"]
    assert helper(one, admin)["success"]
    assert number_of(one, ImportPart) > 0
    cleaned = admin.post("/api/v1/admin/task", {"taskGroup": "cleanup:objects"})
    assert one.finish(admin, cleaned.json()["id"])["success"]
    assert number_of(one, ImportPart) == 0


def test_a_part_is_claimed_by_one_reader_until_its_task_has_ended(world: World) -> None:
    db, clock = world.services.db, world.clock
    world.services.runner.stop()
    with db.write() as session:
        importing, one, two = (running_task(session, world, subject) for subject in ("import", "one", "two"))
        queries.add_parts(session, importing.id, [(5, b"first"), (7, b"second")])

    with db.write() as session:
        first = queries.claim_part(session, importing.id, one, at=clock())
        second = queries.claim_part(session, importing.id, two, at=clock())
        assert queries.claim_part(session, importing.id, two, at=clock()) is None
        assert first
        assert second
        assert (first.content, second.content) == (b"first", b"second")
        assert not queries.keep_part(session, first.id, two, at=clock())
        assert queries.keep_part(session, first.id, one, at=clock(), complete=True)
        assert queries.part_progress(session, importing.id) == queries.PartProgress(read=5, total=12, left=1)
    with db.write() as session:
        lease_queries.release(session, two, due=clock(), retries=0)
        again = queries.claim_part(session, importing.id, one, at=clock())
        assert again
        assert again.content == b"second"
        assert not queries.keep_part(session, again.id, two, at=clock())
    with db.write() as session:
        lease_queries.end(session, importing, at=clock(), values={"success": False})
        assert not queries.keep_part(session, again.id, one, at=clock())


def test_a_part_is_free_if_its_reader_stands_still(world: World) -> None:
    db, clock = world.services.db, world.clock
    world.services.runner.stop()
    with db.write() as session:
        importing, hung = (running_task(session, world, subject) for subject in ("import", "hung"))
        queries.add_parts(session, importing.id, [(5, b"first")])
        claimed = queries.claim_part(session, importing.id, hung, at=clock())
        assert claimed
        assert queries.claim_part(session, importing.id, importing, at=clock()) is None
        long_ago = shared_time(session, clock(), after=-queries.MAX_STANDSTILL - timedelta(seconds=9))
        session.execute(update(ImportPart).values(seen=long_ago))
        taken = queries.claim_part(session, importing.id, importing, at=clock())
        assert taken
        assert taken.id == claimed.id
        assert not queries.keep_part(session, claimed.id, hung, at=clock())


def test_claiming_a_part_is_no_progress_that_would_hide_crashes(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.services.runner.stop()
    with world.services.db.write() as session:
        importing = running_task(session, world, "import")
        queries.add_parts(session, importing.id, [(5, encode_part(VersionPart()))])
        session.execute(update(Task).where(Task.id == importing.id).values(crashes=3))
    context = TaskContext(importing, world.services.db, world.clock, threading.Event())

    def crash(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(tasks, "read_part", crash)
    with pytest.raises(KeyboardInterrupt):
        tasks.PartsToRead(context, importing.id, "", "").read_next(FolderTree(VersionLocation(world.folder, "")))
    with world.services.db.read() as session:
        assert session.scalar(select(Task.crashes).where(Task.id == importing.id)) == 3
