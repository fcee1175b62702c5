"""The health endpoints: whether the process lives, and whether it should receive requests."""

import errno
import threading
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from playdock.db.database import Database
from playdock.server.readiness import Readiness
from playdock.storage.blobs import LocalBlobs
from playdock.storage.probes import ProbePool
from playdock.web import health
from playdock.web.health import HealthChecks
from waiting import wait_until
from world import World


class _FailingBlobs(LocalBlobs, frozen=True):
    def descriptor(self, key: str) -> int:
        raise OSError(errno.EIO, "Input/output error", key)


def test_a_draining_process_lives_and_is_not_ready(world: World) -> None:
    platform = world.any_user()
    wait_until(lambda: platform.get("/health/ready").status_code == 200)
    assert platform.get("/health/ready").json() == {"status": "ready", "failed": []}

    world.services.readiness.start_draining()

    drained, live = platform.get("/health/ready"), platform.get("/health/live")
    assert (drained.status_code, drained.json()) == (503, {"status": "not ready", "failed": ["draining"]})
    assert (live.status_code, live.json()["status"]) == (200, "live")
    assert live.headers["cache-control"] == "no-store"
    assert platform.request("HEAD", "/health/ready").status_code == 503


def test_other_methods_and_paths_are_not_answered(site: World) -> None:
    assert site.any_user().post("/health/live").status_code in {404, 405}
    assert site.any_user().get("/health/live/").status_code == 404


def test_the_parts_that_failed_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    readiness = Readiness()
    empty = Database(f"sqlite:///{tmp_path / 'empty.sqlite3'}")
    missing = Database(f"sqlite:///{tmp_path / 'missing' / 'x.sqlite3'}")
    healthy, failing = LocalBlobs(tmp_path), _FailingBlobs(tmp_path)
    cases = [(empty, healthy, ("schema",)), (missing, failing, ("database", "objects"))]
    assert readiness.failed == ("start",)
    for db, blobs, failed in cases:
        HealthChecks(db, blobs, readiness, ProbePool()).check()
        db.close()
        assert readiness.failed == failed

    released = threading.Event()

    class _HangingBlobs(LocalBlobs, frozen=True):
        def descriptor(self, key: str) -> int:
            released.wait()
            return super().descriptor(key)

    monkeypatch.setattr(health, "_MAX_CHECK_SECONDS", 0.1)
    HealthChecks(empty, _HangingBlobs(tmp_path), readiness, ProbePool()).check()
    released.set()
    empty.close()
    assert "objects" in readiness.failed


def test_only_changes_are_logged() -> None:
    readiness = Readiness()
    with capture_logs() as logs:
        for unavailable in ((), (), ("database",), ("database",), ("database", "objects"), (), ("objects",)):
            readiness.record(unavailable)
    assert logs == [
        {"event": "not ready", "failed": ["database"], "log_level": "error"},
        {"event": "not ready", "failed": ["database", "objects"], "log_level": "error"},
        {"event": "ready again", "log_level": "info"},
        {"event": "not ready", "failed": ["objects"], "log_level": "error"},
    ]
