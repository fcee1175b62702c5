"""The table of nodes: what runs, and which release."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import timedelta

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from playdock import __version__
from playdock.db import upgrade as module
from playdock.db.database import Database
from playdock.db.errors import OlderReleaseRunning
from playdock.db.heartbeats import max_silence
from playdock.db.migrate import migrate, revisions
from playdock.db.running_releases import RunningRelease, is_older, older_releases
from playdock.kit.workers import new_worker_id
from playdock.models import Node
from playdock.nodes import queries
from playdock.nodes.registry import NodeRegistry
from waiting import wait_until
from world import FakeClock

pytestmark = pytest.mark.both_databases


@contextmanager
def running(db: Database, node: str, *, worker_id: str = "") -> Iterator[NodeRegistry]:
    with closing(NodeRegistry(db, FakeClock(), worker_id or new_worker_id(node))) as registry:
        registry.start(serves=True)
        yield registry


def alive(db: Database) -> list[Node]:
    with db.read() as session:
        return list(queries.list_alive(session, at=FakeClock()()))


def silence(db: Database, **of: str) -> None:
    """Let the last heartbeat of a node be too long ago."""
    with db.write() as session:
        for node in session.query(Node).filter_by(**of):
            node.heartbeat -= max_silence(embedded=db.embedded) + timedelta(seconds=1)


def test_each_process_has_a_row_until_it_ends(db: Database) -> None:
    with running(db, "alpha") as first, running(db, "beta"):
        nodes = alive(db)
        assert [(node.name, node.release, node.demand) for node in nodes] == [
            ("alpha", __version__, {}),
            ("beta", __version__, {}),
        ]
        assert nodes[0].id == first.worker_id
    assert alive(db) == []


def test_a_process_that_is_silent_or_has_ended_is_removed_by_the_next(db: Database) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    _, machine, _, chance = new_worker_id("dead").split(":")
    with running(db, "dead", worker_id=f"dead:{machine}:{gone.pid}:{chance}"), running(db, "silent"):
        assert [node.name for node in alive(db)] == ["silent"]
        silence(db, name="silent")
        with running(db, "alpha"), db.read() as session:
            assert [node.name for node in session.query(Node)] == ["alpha"]


def test_heartbeats_are_written_again_and_a_removed_row_too(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playdock.nodes.registry.heartbeat_period", lambda *, embedded: timedelta(milliseconds=10))
    with running(db, "alpha") as registry:
        first = alive(db)[0].heartbeat
        wait_until(lambda: alive(db)[0].heartbeat > first)
        with db.write() as session:
            queries.remove(session, [registry.worker_id])
        wait_until(lambda: alive(db))


def test_heartbeats_neither_empty_caches_nor_notify(db: Database) -> None:
    read = text("SELECT credentials, content FROM cache_revisions")
    with running(db, "alpha") as registry:
        with db.engine.connect() as connection:
            before = connection.execute(read).one()
        with db.write() as session:
            queries.renew(
                session, registry.worker_id, name="", release="", serves=True, started=FakeClock()(), at=FakeClock()()
            )
        with db.engine.connect() as connection:
            assert connection.execute(read).one() == before
            if not db.embedded:
                assert connection.scalar(text("SELECT pg_notification_queue_usage()")) == 0


# --- Releases ---


def set_release(db: Database, node: str, release: str) -> None:
    with db.write() as session:
        for each in session.query(Node).filter_by(name=node):
            each.release = release


def older(db: Database, release: str) -> list[RunningRelease]:
    with db.engine.connect() as connection:
        return list(older_releases(connection, release))


def test_older_releases_are_known_while_they_run(db: Database) -> None:
    with running(db, "alpha"), running(db, "beta"), running(db, "gamma"):
        set_release(db, "alpha", "0.9.10")
        set_release(db, "beta", "1.2.0")
        set_release(db, "gamma", "1.2.0rc1")
        assert older(db, "1.2.0") == [RunningRelease("alpha", "0.9.10")]
        silence(db, name="alpha")
        assert older(db, "1.2.0") == []
        assert len(older(db, "1.10.0")) == 2


@pytest.mark.parametrize(
    ("release", "other", "expected"),
    [("0.9.0", "0.10.0", True), ("1.0.0", "1.0.0", False), ("1.1.0", "1.0.9", False), ("1.0", "1.0.1", True)],
)
def test_releases_are_compared_by_their_numbers(release: str, other: str, expected: bool) -> None:  # noqa: FBT001
    assert is_older(release, other) is expected


def test_a_contracting_migration_waits_until_no_older_release_runs(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    newest = revisions()[-1]
    with db.engine.execution_options(writes=True).begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = :number"), {"number": revisions()[-2]})
    done: list[str] = []
    monkeypatch.setattr(module, "contracts", lambda _connection, revision: revision == newest)

    def step_by_step(connection: Connection, pending: list[str]) -> None:
        connection.execute(text("DELETE FROM schema_upgrades"))
        connection.execute(text("UPDATE alembic_version SET version_num = :number"), {"number": pending[-1]})
        done.extend(pending)

    monkeypatch.setattr(module, "_upgrade_step_by_step", step_by_step)
    with running(db, "alpha"):
        set_release(db, "alpha", "0.0.9")
        with pytest.raises(OlderReleaseRunning, match=r"alpha \(0\.0\.9\)"):
            migrate(db)
        assert done == []
    migrate(db)
    assert done == [newest]


def test_a_migration_contracts_if_it_says_so(db: Database) -> None:
    with db.engine.connect() as connection:
        scripts = ScriptDirectory.from_config(module.config(connection))
        assert {revision for revision in revisions() if module.contracts(scripts, revision)} == set()
