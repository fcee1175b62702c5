"""Dumps: copies of a whole database in one file, made while it is in use.

SQLite writes a database file (VACUUM INTO), which blocks no writer. PostgreSQL's own programs write and read its dumps.
"""

import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import text

from playdock.db.copies import write_copy
from playdock.db.database import Database
from playdock.db.errors import DumpDamaged, DumpFailed, DumpProgramUnsuitable

# Where Debian installs the programs of each version.
_DEBIAN = Path("/usr/lib/postgresql")
_VERSION = re.compile(r"\(PostgreSQL\) (\d+)")
# PostgreSQL's version numbers are 160004 for 16.4.
_MAJOR = 10_000
# How soon a program is ended when its caller must stop.
_POLL_SECONDS = 0.3
# Of the program's messages, the first lines say what is wrong.
_MAX_MESSAGE = 500


def dump(db: Database, target: Path, *, check: Callable[[], None]) -> None:
    """Write a dump that shows the database at one moment. ``check`` is called often and may raise to end it.

    Raises:
        DumpProgramUnsuitable: pg_dump is missing or older than the server.
        DumpFailed: it ended with an error.
        OSError, sqlite3.Error: the file cannot be written.
    """
    if db.embedded:
        write_copy(Path(db.url.database or ""), target)
        return
    program = _program("pg_dump", at_least=_server_version(db))
    with _new_file(target) as file:
        _run([program, "--format=custom", *_connection(db)], check=check, environment=_password(db), output=file)


def load(file: Path, db: Database, *, check: Callable[[], None]) -> None:
    """Restore a dump into an empty database, completely or not at all.

    Raises:
        DumpProgramUnsuitable: pg_restore is missing or too old.
        DumpFailed: it ended with an error.
        OSError: the file of a SQLite database cannot be written.
    """
    if db.embedded:
        _replace(Path(db.url.database or ""), file)
        return
    program = _program("pg_restore", at_least=_server_version(db))
    options = ["--no-owner", "--no-privileges", "--single-transaction", "--exit-on-error"]
    _run([program, *options, *_connection(db), str(file)], check=check, environment=_password(db))


def require_readable(file: Path, *, embedded: bool) -> None:
    """Read a whole dump without restoring it.

    Raises:
        DumpDamaged: it cannot be read.
        DumpProgramUnsuitable: pg_restore is missing.
    """
    if embedded:
        _require_intact(file)
        return
    program = _program("pg_restore", at_least=0)
    try:
        _run([program, "--file=/dev/null", str(file)], check=lambda: None)
    except DumpFailed as error:
        raise DumpDamaged(error.reason) from None


def _require_intact(file: Path) -> None:
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            [found] = connection.execute("PRAGMA integrity_check(1)").fetchone()
    except sqlite3.Error as error:
        raise DumpDamaged(str(error)) from None
    if found != "ok":
        raise DumpDamaged(" ".join(found.split()))


def _replace(target: Path, file: Path) -> None:
    """Copy a file so that the target is complete or does not exist."""
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}-")
    try:
        with file.open("rb") as source, os.fdopen(handle, "wb") as copy:
            shutil.copyfileobj(source, copy, 1024**2)
            copy.flush()
            os.fsync(copy.fileno())
        for suffix in ("-wal", "-shm"):
            target.with_name(f"{target.name}{suffix}").unlink(missing_ok=True)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _server_version(db: Database) -> int:
    with db.engine.connect() as connection:
        return int(connection.execute(text("SHOW server_version_num")).scalar_one()) // _MAJOR


def _program(name: str, *, at_least: int) -> str:
    """Return the oldest suitable program, whose dumps the most servers understand."""
    places = [found for found in (shutil.which(name), *map(str, _DEBIAN.glob(f"*/bin/{name}"))) if found]
    versions = {place: _version_of(place) for place in places}
    suitable = [(version, place) for place, version in versions.items() if version >= at_least and version]
    if not suitable:
        raise DumpProgramUnsuitable(name, needed=at_least, found=max(versions.values(), default=0))
    return min(suitable)[1]


def _version_of(program: str) -> int:
    """Return the major version of a program, 0 if it does not say."""
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout  # noqa: S603 - found above
    found = _VERSION.search(said)
    return int(found.group(1)) if found else 0


def _connection(db: Database) -> list[str]:
    """Return the option with the address, without the password, which other users of the machine could read."""
    _, options = db.engine.dialect.create_connect_args(db.url)
    shown = {name: value for name, value in options.items() if name not in ("password", "context")}
    return [f"--dbname={' '.join(f'{name}={_quoted(value)}' for name, value in shown.items())}"]


def _quoted(value: Any) -> str:
    escaped = str(value).replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _password(db: Database) -> Mapping[str, str]:
    return {"PGPASSWORD": str(db.url.password)} if db.url.password else {}


def _new_file(target: Path) -> Any:
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    return os.fdopen(descriptor, "wb")


def _run(
    command: Sequence[str],
    *,
    check: Callable[[], None],
    environment: Mapping[str, str] | None = None,
    output: Any = subprocess.DEVNULL,
) -> None:
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(  # noqa: S603 - the programs of PostgreSQL
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, env={**os.environ, **(environment or {})}
        )
        try:
            while _is_running(process):
                check()
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        if process.returncode:
            errors.seek(0)
            raise DumpFailed(errors.read(_MAX_MESSAGE).decode(errors="replace").strip())


def _is_running(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(_POLL_SECONDS)
    except subprocess.TimeoutExpired:
        return True
    return False
