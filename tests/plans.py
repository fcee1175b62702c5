"""Computing and applying import plans in tests."""

from typing import Any

from playdock.metadata.game_metadata import GameMetadata
from world import Caller, World

PLAN = "/api/v1/admin/import/plan"
RUN = "/api/v1/admin/import/run"
PROGRAM = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00>\x00\x01\x00\x00\x00" + b"\x01" * 8 + bytes(64)

DOOM, HADES, QUAKE = GameMetadata("DOOM"), GameMetadata("Hades"), GameMetadata("Quake")
GAMES = {"70": GameMetadata("Half-Life"), "379720": DOOM, "1145360": HADES, "2310": QUAKE}


def computed(world: World, admin: Caller, **wanted: Any) -> dict[str, Any]:
    """Compute the plan and return it."""
    task_id = admin.post(f"{PLAN}/task", wanted).json()["taskId"]
    if task_id:
        task = world.finish(admin, task_id)
        assert task["success"], task
    plan: dict[str, Any] = admin.get(PLAN).json()
    # What has just been put into a library is planned without a request.
    while plan["taskId"]:
        assert world.finish(admin, plan["taskId"])["success"]
        plan = admin.get(PLAN).json()
    return plan


def row_of(plan: dict[str, Any], game: str) -> dict[str, Any]:
    found: dict[str, Any] = next(row for row in plan["rows"] if row["game"] == game)
    return found


def apply(world: World, admin: Caller, **choice: Any) -> dict[str, Any]:
    """Apply rows, wait for the run and for the versions that it starts, and return the run."""
    started = admin.post(PLAN, choice)
    assert started.status_code == 202, started.text
    assert world.finish(admin, started.json()["taskId"])["success"]
    for task in admin.get("/api/v1/admin/task").json()["runningTasks"]:
        world.finish(admin, task["id"])
    run: dict[str, Any] = admin.get(f"{RUN}/{started.json()['runId']}").json()
    return run


def imported(admin: Caller) -> dict[str, Any]:
    return {each["game"]["libraryPath"]: each["game"] for each in admin.get("/api/v1/admin/library").json()["games"]}
