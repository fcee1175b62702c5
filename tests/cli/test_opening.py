"""Opening the database: waiting for a server that starts, and databases of newer releases."""

import gc
from contextlib import closing

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError, ProgrammingError
from structlog.testing import capture_logs

from playdock.cli import opening
from playdock.cli.opening import repeated_while_lost, unusable, wait_for_database
from playdock.db.database import Database
from playdock.db.errors import DatabaseUnusable
from playdock.settings import Settings

from .conftest import Prompt, free_port, is_sentence

_STARTING = "connection failed: FATAL:  the database system is starting up"
# Stands for a port that is free.
_PORT = "port"
_ADDRESS = "postgresql+psycopg://ada:hunter2@127.0.0.1:1/playdock"


class _Server:
    """A server that refuses connections with messages, one after the other, and accepts one when none is left."""

    embedded = False

    def __init__(self, *messages: str) -> None:
        self.engine = self
        self._messages = [*messages]

    def connect(self) -> closing["_Server"]:
        if self._messages:
            raise OperationalError("", {}, Exception(self._messages.pop(0)))
        return closing(self)

    def close(self) -> None:
        """Do nothing: this is the connection, too."""


def test_a_server_that_is_starting_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "_RETRY_SECONDS", 0)
    with capture_logs() as logs:
        wait_for_database(_Server(*[_STARTING] * 3), seconds=60)  # type: ignore[arg-type]
    assert [line["event"] for line in logs] == ["waiting for the database"]
    assert "starting up" in logs[0]["reason"]


@pytest.mark.parametrize(
    "message",
    [
        'FATAL:  password authentication failed for user "ada"',
        'FATAL:  database "playdock" does not exist',
        'FATAL:  no pg_hba.conf entry for host "10.0.0.1"',
    ],
)
def test_a_server_that_refuses_this_user_is_not_waited_for(message: str) -> None:
    with capture_logs() as logs, pytest.raises(DatabaseUnusable, match=r"FATAL"):
        wait_for_database(_Server(message), seconds=60)  # type: ignore[arg-type]
    assert logs == []


def test_a_server_is_waited_for_no_longer_than_it_may_take() -> None:
    with closing(Database(_ADDRESS)) as database, pytest.raises(DatabaseUnusable) as refused:
        wait_for_database(database, seconds=0)
    assert "hunter2" not in refused.value.detail


class _Start:
    """A start that fails with errors, one after the other, and succeeds when none is left."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = [*errors]

    def __call__(self) -> str:
        if self.errors:
            error = self.errors.pop(0)
            if isinstance(error, OperationalError) and "starting" not in str(error):
                # As a command reports it.
                try:
                    raise error
                except OperationalError:
                    raise unusable("it is away") from None
            raise error
        return "started"


def _lost(message: str) -> OperationalError:
    return OperationalError("", {}, Exception(message))


def test_a_start_is_repeated_if_the_server_is_lost_in_between(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "_RETRY_SECONDS", 0)
    settings = Settings(database_url=_ADDRESS)
    with capture_logs() as logs:
        started = repeated_while_lost(_Start(_lost("the server closed the connection"), _lost(_STARTING)), settings)
    assert (started, len(logs)) == ("started", 2)


@pytest.mark.parametrize(
    ("url", "seconds", "error"),
    [
        ("", 60, _lost(_STARTING)),
        (_ADDRESS, 0, _lost(_STARTING)),
        (_ADDRESS, 60, ProgrammingError("", {}, Exception("no such table"))),
        (_ADDRESS, 60, RuntimeError("a mistake")),
    ],
)
def test_a_start_that_fails_in_another_way_is_not_repeated(url: str, seconds: int, error: Exception) -> None:
    start = _Start(error)
    with pytest.raises(type(error)):
        repeated_while_lost(start, Settings(database_url=url, database_wait_seconds=seconds))
    assert start.errors == []


@pytest.mark.both_databases
@pytest.mark.parametrize("release", ["9.8.7", None])
@pytest.mark.parametrize(
    "command",
    [
        ("serve", "--port", _PORT),
        ("serve", "--port", _PORT, "--workers", "2"),
        ("worker",),
        ("invite",),
        ("token", "--user", "ada", "--name", "a", "--acl", "user:read"),
        ("doctor",),
    ],
)
def test_every_command_refuses_the_database_of_a_newer_release(
    prompt: Prompt, command: tuple[str, ...], release: str | None
) -> None:
    services = prompt.services()
    with closing(services.db), services.db.engine.execution_options(writes=True).begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        connection.execute(text("DELETE FROM schema_upgrades"))
        if release:
            row = {"release": release}
            connection.execute(text("INSERT INTO schema_upgrades VALUES ('9999', :release, '2030-01-01')"), row)

    refused = prompt.run(*(str(free_port()) if word == _PORT else word for word in command))
    # Warns of connections that were not closed.
    gc.collect()

    # The report of `doctor` is its output.
    is_report = command[0] == "doctor"
    told = next(line for line in (refused.out if is_report else refused.err).splitlines() if "schema" in line)
    assert refused.status == 1
    assert "schema 9999" in told
    assert (f"Playdock {release} has upgraded" if release else "A newer Playdock has upgraded") in told
    assert "restore the database" in told
    assert is_sentence(refused.err) != is_report
