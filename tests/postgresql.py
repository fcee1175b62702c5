"""A temporary PostgreSQL server on loopback, if PostgreSQL is installed."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

_DEBIAN = Path("/usr/lib/postgresql")
LOCAL_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "300",
    "shared_buffers": "32MB",
}
_SETTINGS = {**LOCAL_SETTINGS, "fsync": "off", "full_page_writes": "off", "synchronous_commit": "off"}
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


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass
class Server:
    """The data of a server on loopback, and its process, which can be started repeatedly."""

    programs: Path
    folder: Path
    settings: Mapping[str, str]
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        """The server's URL without a database: ``postgresql://…:port``."""
        return f"postgresql://postgres@127.0.0.1:{self.port}"

    def initialize(self) -> None:
        """Create the data, which root leaves to another user, because PostgreSQL does not run as root."""
        self.folder.mkdir(exist_ok=True)
        if self._user is not None:
            shutil.chown(self.folder, self._user)
        options = ["-D", f"{self.folder}/data", "-U", "postgres", "--auth=trust", "--no-sync", "-E", "UTF8"]
        command = [str(self.programs / "initdb"), *options, "--locale=C"]
        subprocess.run(command, check=True, user=self._user, stdout=subprocess.DEVNULL, cwd=self.folder)

    def start(self) -> None:
        """Start the server and wait until it accepts connections."""
        options = [part for name, value in self.settings.items() for part in ("-c", f"{name}={value}")]
        self.process = subprocess.Popen(
            [self.programs / "postgres", "-D", f"{self.folder}/data", "-p", str(self.port), *options],
            user=self._user,
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _wait(f"{self.address}/postgres")

    def stop(self, number: int = signal.SIGINT) -> None:
        """Stop the server: fast with SIGINT, at once with SIGQUIT; with SIGTERM it would wait for open connections."""
        assert self.process is not None
        self.process.send_signal(number)
        self.process.wait(120)

    @property
    def _user(self) -> str | None:
        return "nobody" if os.geteuid() == 0 else None


@contextmanager
def running_server(programs: Path) -> Iterator[str]:
    """Run a server and yield its URL without a database: ``postgresql://…:port``."""
    with tempfile.TemporaryDirectory(prefix="playdock-postgresql-", ignore_cleanup_errors=True) as folder:
        server = Server(programs, Path(folder), _SETTINGS)
        server.initialize()
        server.start()
        try:
            yield server.address
        finally:
            server.stop()


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


def end_connections_with_locks(address: str) -> None:
    """End the connections to a database that have an advisory lock, as a server does that restarts."""
    with closing(psycopg.connect(address.replace("+psycopg", ""), autocommit=True)) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(a.pid, 60000) FROM pg_stat_activity a JOIN pg_locks l ON l.pid = a.pid"
            " WHERE l.locktype = 'advisory' AND a.datname = current_database()"
        )
