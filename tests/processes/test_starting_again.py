"""A start during which PostgreSQL ends the connection is repeated, and the process runs."""

import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from databases import PostgresqlDatabases

from .service import PATIENCE

# Ends its own connection once, while it opens the parts of the service.
_PROGRAM = """
import sys
from playdock.cli import main, server

def interrupted(settings, *, server_settings, **options):
    server.wire = wire
    with server_settings.db.engine.connect() as connection:
        connection.exec_driver_sql("SELECT pg_terminate_backend(pg_backend_pid())")

wire, server.wire = server.wire, interrupted
main.run()
"""


@pytest.mark.parametrize("command", ["serve", "worker"])
def test_a_start_is_repeated(postgresql_databases: PostgresqlDatabases, tmp_path: Path, command: str) -> None:
    address = postgresql_databases.fresh(tmp_path)
    options = ["--unix-socket", str(tmp_path / "playdock.sock")] if command == "serve" else []
    started = subprocess.Popen(
        [sys.executable, "-P", "-c", _PROGRAM, command, *options],
        env={"DATA_DIR": str(tmp_path / "data"), "DATABASE_URL": address, "METADATA_PROVIDERS": "none"},
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        with closing(psycopg.connect(address, autocommit=True)) as connection:
            _wait_until_registered(connection, started)
    finally:
        started.terminate()
        _, log = started.communicate(timeout=PATIENCE)
    assert started.returncode == 0, log
    assert log.count("the database was lost at the start, which is repeated") == 1


def _wait_until_registered(connection: "psycopg.Connection[tuple[int]]", started: "subprocess.Popen[str]") -> None:
    deadline = time.monotonic() + PATIENCE
    while connection.execute("SELECT count(*) FROM nodes").fetchone() == (0,):
        assert started.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.1)


# Is told to stop as soon as the second thread that runs tasks has started.
_STOPPED = """
import os, signal, threading
from playdock.cli import main
from playdock.tasks import runner

def start(self):
    started = threading.Thread.start

    def then_stopped(thread):
        started(thread)
        count.append(thread)
        if len(count) == 2:
            os.kill(os.getpid(), signal.SIGTERM)

    count = []
    threading.Thread.start = then_stopped
    try:
        begin(self)
    finally:
        threading.Thread.start = started

begin, runner.Runner.start = runner.Runner.start, start
main.run()
"""


def test_a_worker_that_is_stopped_while_it_starts_ends_in_order(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-c", _STOPPED, "worker"],
        env={"DATA_DIR": str(tmp_path / "data"), "METADATA_PROVIDERS": "none"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
