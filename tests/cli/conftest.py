"""The program's commands, with only the location of its data configured."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from databases import Databases, PostgresqlDatabases, SqliteDatabases
from playdock.cli import main
from playdock.domain.libraries.schemas import BackendKind
from playdock.features.accounts.queries import NewUser, add_user
from playdock.features.libraries.schemas import FolderOptions, LibraryCreate
from playdock.kit import log_config
from playdock.kit.clock import utc_now
from playdock.kit.identifiers import new_id
from playdock.settings import Settings
from playdock.web.services import Services
from playdock.web.wiring import wire
from world import World, running_world

PROGRAM = Path(sys.executable).parent / "playdock"
_PATIENCE = 120.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """The exit status and output of a command."""

    status: int
    out: str
    err: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """A shell prompt in an empty folder."""

    folder: Path
    environment: dict[str, str]

    def run(self, *words: str, **settings: str) -> Outcome:
        """Run a command as the program does, but in this process: starting one takes a second."""
        out, err = StringIO(), StringIO()
        with pytest.MonkeyPatch.context() as patch, capture_logs(), redirect_stdout(out), redirect_stderr(err):
            patch.chdir(self.folder)
            for name in os.environ:
                patch.delenv(name)
            for name, value in self._environment(settings).items():
                patch.setenv(name, value)
            patch.setattr(sys, "argv", ["playdock", *words])
            patch.setattr(log_config, "configure", lambda *_: None)
            status = _status(main.run)
        return Outcome(status, out.getvalue(), err.getvalue())

    def run_program(self, *words: str, **settings: str) -> Outcome:
        """Run a command in a process of its own."""
        ended = subprocess.run(
            [PROGRAM, *words],
            cwd=self.folder,
            env=self._environment(settings),
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=False,
        )
        return Outcome(ended.returncode, ended.stdout, ended.stderr)

    def start(self, *words: str, **settings: str) -> subprocess.Popen[str]:
        """Start a command that runs until it is stopped."""
        return subprocess.Popen(
            [PROGRAM, *words],
            cwd=self.folder,
            env=self._environment(settings),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def _environment(self, settings: dict[str, str]) -> dict[str, str]:
        return {"METADATA_PROVIDERS": "none", **self.environment, **settings}

    def services(self, **wanted: Any) -> Services:
        """Return services with the same data; ``wanted`` are additional settings."""
        folder, address = Path(self.environment["DATA_DIR"]), self.environment["DATABASE_URL"]
        return wire(Settings(data_dir=folder, database_url=address, **wanted))


def _status(command: Callable[[], None]) -> int:
    try:
        command()
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


def add_ada(prompt: Prompt, *, admin: bool) -> None:
    ada = NewUser(new_id(), "Ada", "Ada", "ada@example.org", new_id(), admin)
    services = prompt.services()
    with closing(services.db), services.db.write() as session:
        add_user(session, ada, at=utc_now())


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def is_sentence(told: str) -> bool:
    """Return whether an error message is one line without a traceback."""
    return told.startswith("playdock: ") and told.endswith(".\n") and told.count("\n") == 1


@pytest.fixture
def prompt(databases: Databases, tmp_path: Path) -> Prompt:
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    return Prompt(tmp_path, {"DATA_DIR": str(data), "DATABASE_URL": databases.fresh(data)})


@pytest.fixture
def settled(sqlite_databases: SqliteDatabases, tmp_path: Path) -> Prompt:
    """A prompt with a SQLite database, for tests that do not depend on the kind of database."""
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    return Prompt(tmp_path, {"DATA_DIR": str(data), "DATABASE_URL": sqlite_databases.fresh(data)})


@pytest.fixture
def bare(tmp_path: Path) -> Prompt:
    """A prompt without settings and data."""
    return Prompt(tmp_path, {"DATA_DIR": str(tmp_path / "data"), "DATABASE_URL": ""})


@pytest.fixture
def address(postgresql_databases: PostgresqlDatabases, tmp_path: Path) -> str:
    """A blank database for a Drop server."""
    return postgresql_databases.blank(tmp_path)


@pytest.fixture
def empty_world(postgresql_databases: PostgresqlDatabases, tmp_path: Path) -> Iterator[World]:
    """An empty server with the other kind of database, in front of the same folders of games."""
    folder = tmp_path / "other"
    folder.mkdir()
    address = postgresql_databases.fresh(folder)
    with running_world(folder, database_url=address) as world:
        yield world
    postgresql_databases.release(address)


def add_library(prompt: Prompt) -> Path:
    """Add a library without games, and return its folder."""
    games = prompt.folder / "games"
    games.mkdir()
    services = prompt.services()
    with closing(services.db):
        options = FolderOptions(base_dir=str(games))
        services.libraries.establish(LibraryCreate(name="Attic", backend=BackendKind.FILESYSTEM, options=options))
    return games
