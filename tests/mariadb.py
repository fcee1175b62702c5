"""A temporary MariaDB server on loopback, if MariaDB is installed."""

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import create_engine
from sqlalchemy.exc import OperationalError

from postgresql import free_port

MISSING = "MariaDB is missing: install Debian's mariadb-server-core to run this test."
_START_SECONDS = 120


def find_program() -> str | None:
    """Return the path of the server's program, or None."""
    return shutil.which("mariadbd", path=f"{Path('/usr/sbin')}:{Path('/usr/bin')}") or shutil.which("mariadbd")


@contextmanager
def running_server(program: str) -> Iterator[str]:
    """Run a server without accounts, and yield the URL of an empty database."""
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="playdock-mariadb-") as folder:
        options = ["--no-defaults", "--user=root", "--skip-grant-tables", f"--datadir={folder}", f"--port={port}"]
        command = [program, *options, "--bind-address=127.0.0.1", f"--socket={folder}/socket"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            _wait(port)
            yield f"mariadb+pymysql://root@127.0.0.1:{port}/other"
        finally:
            process.terminate()
            process.wait(_START_SECONDS)


def _wait(port: int) -> None:
    engine = create_engine(f"mariadb+pymysql://root@127.0.0.1:{port}", isolation_level="AUTOCOMMIT")
    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            with engine.connect() as connection:
                connection.exec_driver_sql("CREATE DATABASE other CHARACTER SET utf8mb4")
        except OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            engine.dispose()
            return
