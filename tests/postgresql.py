"""A temporary PostgreSQL server on loopback, if PostgreSQL is installed."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

_DEBIAN = Path("/usr/lib/postgresql")
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "max_connections": "300",
    "shared_buffers": "32MB",
}
# Rows that a migration wrote.
_KEPT = ("alembic_version", "cache_revisions", "schema_upgrades")
# A connection that a test left open would keep rows from being deleted.
_OTHERS = (
    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid != pg_backend_pid()"
)


def find_programs() -> Path | None:
    """Return the folder with initdb and postgres, or None."""
    newest = sorted(_DEBIAN.glob("*/bin/initdb"), key=lambda found: int(found.parts[-3]), reverse=True)
    found = shutil.which("initdb") or (newest[0] if newest else None)
    return Path(found).resolve().parent if found else None


@contextmanager
def running_server(programs: Path) -> Iterator[str]:
    """Run a server and yield its URL without a database: ``postgresql://…:port``."""
    user = "nobody" if os.geteuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="playdock-postgresql-", ignore_cleanup_errors=True) as folder:
        if user is not None:
            shutil.chown(folder, user)
        data = f"{folder}/data"
        initdb = [str(programs / "initdb"), "-D", data, "-U", "postgres", "--auth=trust", "--no-sync", "-E", "UTF8"]
        subprocess.run([*initdb, "--locale=C"], check=True, user=user, stdout=subprocess.DEVNULL, cwd=folder)
        port = _free_port()
        options = [part for name, value in _SETTINGS.items() for part in ("-c", f"{name}={value}")]
        server = subprocess.Popen(
            [programs / "postgres", "-D", data, "-p", str(port), *options],
            user=user,
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        address = f"postgresql://postgres@127.0.0.1:{port}"
        try:
            _wait(f"{address}/postgres")
            yield address
        finally:
            server.send_signal(signal.SIGINT)  # a fast shutdown; SIGTERM would wait for open connections
            server.wait(120)


def execute(address: str, statement: str) -> None:
    """Run one statement outside of a transaction, in the server's default database."""
    with psycopg.connect(f"{address}/postgres", autocommit=True) as connection:
        connection.execute(statement.encode())


def empty(address: str, *, like: str) -> bool:
    """Delete all rows and restart all sequences; return whether the tables are those of another database."""
    try:
        with psycopg.connect(like) as template, psycopg.connect(address) as connection:
            tables = _tables(connection)
            if tables != _tables(template):
                return False
            connection.execute(_OTHERS)
            connection.execute("SET session_replication_role = replica")
            for table in tables:
                if table not in _KEPT:
                    connection.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(table)))
            connection.execute("SELECT setval(oid, 1, false) FROM pg_class WHERE relkind = 'S'")
    except psycopg.OperationalError:
        return False
    return True


def _tables(connection: psycopg.Connection[Any]) -> list[str]:
    found = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1").fetchall()
    return [name for (name,) in found]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait(address: str) -> None:
    deadline = time.monotonic() + 120
    while True:
        try:
            psycopg.connect(address).close()
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return
