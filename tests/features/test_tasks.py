"""Tasks as people see them: their record, who may see it, cancelling, and the maintenance that runs by itself."""

import json
import os
import threading
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from audit import told_of
from playdock.features.tasks.maintenance import DAILY, STARTABLE, WEEKLY
from playdock.metadata.provider_store import ProviderStore
from playdock.models import Task
from playdock.tasks import queries
from playdock.tasks.new_task import Queue
from world import Caller, World

pytestmark = pytest.mark.both_databases

TASKS = "/api/v1/admin/task"


def stalled(world: World, admin: Caller) -> tuple[str, str]:
    """A game's id, and the task of a version's import from whose hands the library was taken: it waits to try again."""
    version = world.put("Doom/1.0/doom").parent
    game = world.import_game(admin, world.library(admin), "Doom")

    def unmount(opened: object) -> None:
        if str(opened) == str(world.games) and threading.current_thread().name == "tasks-cpu" and version.exists():
            world.games.rename(world.folder / "away")

    with told_of("open", unmount):
        task: str = admin.post("/api/v1/admin/import/version", order(game)).json()["taskId"]
        wait_for_retry(world, task)
    return game, task


def order(game: str) -> dict[str, Any]:
    return {"id": game, "version": "1.0", "platform": "Linux", "delta": False, "launch": "doom"}


def later(world: World, **duration: float) -> Caller:
    """The admin, signed in again after a while."""
    world.clock.advance(**duration)
    return world.with_token(world.sign_in("ada").json()["accessToken"])


def wait_for_retry(world: World, task_id: str, *, retries: int = 1) -> Task:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        with world.services.db.read() as session:
            task = queries.find(session, task_id)
        assert task is not None
        if task.retries == retries and task.worker_id is None:
            return task
        time.sleep(0.01)
    raise AssertionError("The task is not tried again.")


def run_maintenance(world: World, admin: Caller, task_type: str) -> dict[str, Any]:
    started = admin.post(TASKS, {"taskGroup": task_type})
    assert started.status_code == 202, started.text
    return world.finish(admin, started.json()["id"])


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


# --- The record ---


def test_the_task_of_an_import_has_all_fields(world: World) -> None:
    world.put("Doom/1.0/doom")
    admin = world.admin()
    game = world.import_game(admin, world.library(admin), "Doom")

    task = world.import_version(admin, game, "1.0", launch="doom")

    assert {name: task[name] for name in ("taskGroup", "success", "cancelled", "progress", "error")} == {
        "taskGroup": "import:version",
        "success": True,
        "cancelled": False,
        "progress": 100,
        "error": None,
    }
    assert task["name"] == "Import Doom 1.0"
    assert moment(task["started"]) <= moment(task["ended"])
    told = {
        "id",
        "taskGroup",
        "name",
        "nameCode",
        "nameParameters",
        "success",
        "cancelled",
        "progress",
        "error",
        "log",
        "started",
        "ended",
    }
    assert set(task) == told


def test_log_lines_are_strings_of_json(world: World) -> None:
    world.put("Doom/1.0/doom")
    admin = world.admin()
    game = world.import_game(admin, world.library(admin), "Doom")

    lines = [json.loads(line) for line in world.import_version(admin, game, "1.0", launch="doom")["log"]]

    assert [set(line) for line in lines] == [{"level", "timestamp", "message", "code", "parameters"}] * len(lines)
    assert "Files read: 1 (7 bytes)" in lines[-1]["message"]
    assert moment(lines[-1]["timestamp"]).tzinfo is not None


@pytest.mark.parametrize("task", ["nothing", "00000000-0000-0000-0000-000000000000", "..%2F..", "%00"])
def test_an_unknown_task_is_not_found(world: World, task: str) -> None:
    admin = world.admin()
    assert admin.get(f"/api/v1/task/{task}").status_code == 404
    assert admin.delete(f"{TASKS}/{task}").status_code == 404


@pytest.mark.parametrize(
    ("acl", "statuses"),
    [
        ("system:import:version:read", (404, 200)),
        ("system:import:game:read", (200, 404)),
        ("system:task:read", (404, 404)),
        ("user:read", (404, 404)),
    ],
)
def test_a_task_is_visible_only_with_one_of_its_permissions(world: World, acl: str, statuses: tuple[int, int]) -> None:
    world.put("Doom/1.0/doom")
    admin = world.admin()
    library = world.library(admin)
    of_game = admin.post("/api/v1/admin/import/game", {"library": library["id"], "path": "Doom"}).json()["taskId"]
    world.finish(admin, of_game)
    game = admin.get("/api/v1/admin/library").json()["games"][0]["game"]["id"]
    of_version = world.import_version(admin, game, "1.0", launch="doom")["id"]

    program = world.token_of(admin, acl)

    assert tuple(program.get(f"/api/v1/task/{task}").status_code for task in (of_game, of_version)) == statuses


def test_reading_a_task_requires_a_credential(world: World) -> None:
    admin = world.admin()
    task = run_maintenance(world, admin, DAILY[0])["id"]
    assert world.any_user().get(f"/api/v1/task/{task}").status_code == 401
    assert world.person("bob").get(f"/api/v1/task/{task}").status_code == 404


def test_running_and_ended_tasks_are_listed_separately(world: World) -> None:
    admin = world.admin()
    _, active = stalled(world, admin)
    ended = run_maintenance(world, admin, DAILY[0])["id"]

    lists = admin.get(TASKS).json()

    assert [task["id"] for task in lists["runningTasks"]] == [active]
    assert lists["historicalTasks"][0]["id"] == ended
    assert (lists["dailyTasks"], lists["weeklyTasks"]) == (list(DAILY), list(WEEKLY))


@pytest.mark.parametrize(
    ("method", "path", "acl"), [("GET", "", "read"), ("POST", "", "start"), ("DELETE", "/x", "cancel")]
)
def test_every_call_requires_its_own_permission(world: World, method: str, path: str, acl: str) -> None:
    admin = world.admin()
    others = {"read", "start", "cancel"} - {acl}
    program = world.token_of(admin, *(f"system:task:{other}" for other in sorted(others)))
    assert program.request(method, TASKS + path, json={}).status_code == 403
    assert world.any_user().request(method, TASKS + path, json={}).status_code == 401


# --- Faults that pass, and cancelling ---


def test_an_import_waits_until_its_library_is_available_again(world: World) -> None:
    admin = world.admin()
    game, task = stalled(world, admin)

    (world.folder / "away").rename(world.games)
    world.clock.advance(seconds=3)

    assert world.finish(admin, task)["success"]
    assert world.manifest(admin, game, "1.0")["size"] == 7


def test_an_import_fails_with_a_reason_if_its_version_stays_missing(world: World) -> None:
    admin = world.admin()
    game, task = stalled(world, admin)
    world.games.mkdir()
    for retries, seconds in enumerate((2, 8, 32, 128, 512), start=1):
        wait_for_retry(world, task, retries=retries)
        world.clock.advance(seconds=seconds)

    ended = world.finish(admin, task)

    assert (ended["success"], ended["error"]["title"]) == (False, "Version missing")
    assert "is missing" in ended["error"]["description"]
    assert admin.get(f"/api/v1/games/{game}/versions").json() == []
    assert str(world.folder) not in json.dumps(ended)


def test_a_waiting_import_prevents_a_second_one(world: World) -> None:
    admin = world.admin()
    game, task = stalled(world, admin)
    (world.folder / "away").rename(world.games)

    again = admin.post("/api/v1/admin/import/version", order(game))

    assert (again.status_code, again.json()["type"], again.json()["taskId"]) == (409, "task-already-running", task)


def test_a_cancelled_import_leaves_nothing_behind_and_can_be_restarted(world: World) -> None:
    admin = world.admin()
    game, task = stalled(world, admin)

    cancelled = admin.delete(f"{TASKS}/{task}")

    (world.folder / "away").rename(world.games)
    assert (cancelled.status_code, cancelled.content) == (204, b"")
    ended = world.finish(admin, task)
    assert (ended["cancelled"], ended["error"]["title"]) == (True, "Cancelled")
    assert admin.get(f"/api/v1/games/{game}/versions").json() == []
    assert world.import_version(admin, game, "1.0", launch="doom")["success"]


def test_an_ended_task_cannot_be_cancelled(world: World) -> None:
    admin = world.admin()
    task = run_maintenance(world, admin, DAILY[0])["id"]
    refused = admin.delete(f"{TASKS}/{task}")
    assert (refused.status_code, refused.json()["type"]) == (409, "task-ended")


# --- Maintenance ---


@pytest.mark.parametrize("task_type", STARTABLE)
def test_every_maintenance_task_can_be_started(world: World, task_type: str) -> None:
    admin = world.admin()
    task = run_maintenance(world, admin, task_type)
    assert (task["success"], task["taskGroup"]) == (True, task_type)


@pytest.mark.parametrize("task_type", ["import:game", "import:version", "cleanup", "", "nothing"])
def test_other_tasks_cannot_be_started(world: World, task_type: str) -> None:
    assert world.admin().post(TASKS, {"taskGroup": task_type}).status_code == 400


def test_a_running_maintenance_task_is_not_started_twice(world: World) -> None:
    admin = world.admin()
    release = threading.Event()

    def lock(_folder: object) -> None:
        if threading.current_thread().name == "tasks-default":
            assert release.wait(120)

    with told_of("os.scandir", lock):
        first = admin.post(TASKS, {"taskGroup": "cleanup:objects"})
        second = admin.post(TASKS, {"taskGroup": "cleanup:objects"})
        release.set()

    assert (first.status_code, second.status_code) == (202, 409)
    assert second.json()["taskId"] == first.json()["id"]
    assert world.finish(admin, first.json()["id"])["success"]


def test_expired_invitations_are_deleted_and_others_are_kept(world: World) -> None:
    admin = world.admin()
    expired, lasting = world.invitation(), world.invitation()
    world.clock.advance(hours=23)
    kept = world.invitation()
    run_maintenance(world, admin, "cleanup:invitations")
    assert len(admin.get("/api/v1/admin/auth/invitation").json()) == 3

    again = later(world, hours=2)
    run_maintenance(world, again, "cleanup:invitations")

    left = {invitation["id"] for invitation in again.get("/api/v1/admin/auth/invitation").json()}
    assert kept in left
    assert not left & {expired, lasting}


def test_expired_sessions_are_deleted_and_active_ones_are_kept(world: World) -> None:
    world.admin()
    admin = later(world, days=400)

    run_maintenance(world, admin, "cleanup:sessions")

    assert len(admin.get("/api/v1/user/session").json()) == 1
    assert admin.get("/api/v1/user").json()["username"] == "ada"


def test_expired_provider_responses_are_deleted_and_others_are_kept(world: World) -> None:
    provider_store = ProviderStore(world.services.db, world.clock)
    provider_store.cache_response("Steam", "old", b"body", lifetime=timedelta(days=1))
    provider_store.cache_response("Steam", "young", b"body", lifetime=timedelta(days=14))
    world.admin()

    run_maintenance(world, later(world, days=2), "cleanup:objects")

    world.clock.advance(days=-2)
    assert [provider_store.cached_response("old"), provider_store.cached_response("young")] == [None, b"body"]


def blob(world: World, key: str, *, days: float) -> Path:
    """Store bytes that belong to nothing, written so many days ago by the world's clock."""
    world.services.blobs.put(key, [b"orphan"])
    found: Path = next((world.folder / "data/objects").rglob(key.rpartition("/")[2]))
    written = (world.clock() - timedelta(days=days)).timestamp()
    os.utime(found, (written, written))
    return found


@pytest.mark.folder_objects
def test_old_orphaned_blobs_are_deleted_and_recent_ones_are_kept(world: World) -> None:
    world.put("Doom/1.0/doom")
    admin = world.admin()
    game = world.import_game(admin, world.library(admin), "Doom")
    world.import_version(admin, game, "1.0", launch="doom")
    old = [blob(world, f"{kind}/0123456789abcdef", days=1.1) for kind in ("layers", "manifests")]
    young = blob(world, "layers/fedcba9876543210", days=0.9)

    run_maintenance(world, admin, "cleanup:objects")

    assert ([place.exists() for place in old], young.exists()) == ([False, False], True)


def test_blobs_in_use_are_kept_regardless_of_age(world: World) -> None:
    world.put("Doom/1.0/doom")
    world.put("Doom/1.1/doom")
    admin = world.admin()
    game = world.import_game(admin, world.library(admin), "Doom")
    world.import_version(admin, game, "1.0", launch="doom")
    admin = later(world, days=60)

    run_maintenance(world, admin, "cleanup:objects")

    picture = admin.get("/api/v1/user").json()["profilePictureObjectId"]
    assert world.manifest(admin, game, "1.0")["size"] == 7
    assert admin.get(f"/api/v1/object/{picture}").status_code == 200
    assert world.import_version(admin, game, "1.1", delta=True)["success"]


def test_ended_tasks_are_deleted_after_a_month(world: World) -> None:
    admin = world.admin()
    first = run_maintenance(world, admin, DAILY[0])["id"]
    admin = later(world, days=29)
    run_maintenance(world, admin, "cleanup:tasks")
    assert admin.get(f"/api/v1/task/{first}").status_code == 200

    admin = later(world, days=2)
    run_maintenance(world, admin, "cleanup:tasks")

    assert admin.get(f"/api/v1/task/{first}").status_code == 404


def test_unfinished_tasks_are_never_deleted(world: World) -> None:
    admin = world.admin()
    _, active = stalled(world, admin)
    with world.services.db.write() as session:
        task = queries.find(session, active)
        assert task is not None
        task.due += timedelta(days=365)
    admin = later(world, days=60)

    run_maintenance(world, admin, "cleanup:tasks")

    assert admin.get(f"/api/v1/task/{active}").json()["ended"] is None


def test_version_imports_run_in_the_cpu_queue_and_others_in_the_default_queue(world: World) -> None:
    admin = world.admin()
    _, task = stalled(world, admin)
    light = run_maintenance(world, admin, DAILY[0])["id"]
    with world.services.db.read() as session:
        queues = [found.queue for found in (queries.find(session, task), queries.find(session, light)) if found]
    assert queues == [Queue.CPU.value, Queue.DEFAULT.value]
