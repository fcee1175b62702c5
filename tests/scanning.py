"""Scanning libraries in tests."""

import time
from typing import Any

from sqlalchemy import select

from playdock.domain.events.rules import EventType
from playdock.features.library_scans.service import SCAN
from playdock.models import Event, Task
from world import Caller, World

PLAN = "/api/v1/admin/import/plan"
SOURCES = "/api/v1/admin/library/sources"
_PATIENCE = 60
# After so long, scans look again at what is imported.
HALF_AN_HOUR = 1801


def looks(world: World) -> tuple[int, bool]:
    """Return how often scans have run, and whether one runs now."""
    with world.services.db.read() as session:
        tasks = session.scalars(select(Task).where(Task.task_type == SCAN)).all()
        return sum(task.attempt for task in tasks), any(task.worker_id for task in tasks)


def look(world: World, admin: Caller, *, later: int = 0) -> None:
    """Scan all libraries, and wait for that and for everything that it has started."""
    world.clock.advance(seconds=later)
    before, deadline = looks(world)[0], time.monotonic() + _PATIENCE
    while not world.services.library_scans.request():
        assert time.monotonic() < deadline
    while (state := looks(world))[0] == before or state[1]:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    for task in admin.get("/api/v1/admin/task").json()["runningTasks"]:
        if task["taskGroup"] != SCAN:
            world.finish(admin, task["id"])


def planned(admin: Caller) -> list[str]:
    return sorted(row["game"] for row in admin.get(PLAN).json()["rows"])


def versions(admin: Caller, game: str) -> list[str]:
    return [each["name"] for each in admin.get(f"/api/v1/admin/game/{game}").json()["versions"]]


def announced(world: World, event_type: EventType, name: str = "versionName") -> list[str]:
    with world.services.db.read() as session:
        events = session.scalars(select(Event).where(Event.event_type == event_type).order_by(Event.id))
        return [str(event.data[name]) for event in events]


def set_rules(admin: Caller, library: dict[str, Any], **rules: Any) -> None:
    changed = admin.patch(SOURCES, {"id": library["id"], "rules": rules})
    assert changed.status_code == 200, changed.text
    assert changed.json()["rules"] == {"importGames": False, "importVersions": False, "ignore": [], **rules}


def left_out(admin: Caller) -> dict[str, str]:
    """Return why new versions are not imported together with others, by name."""
    games = admin.get("/api/v1/admin/games/folders").json()
    return {each["name"]: each["reasonCode"] for game in games for each in game["leftOut"]}
