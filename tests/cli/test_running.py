"""``playdock worker``, ``serve`` and ``openapi``, and errors that prevent commands from running."""

import json
import signal
import socket
import sqlite3
import stat
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from subprocess import Popen

import httpx2
import pytest
from sqlalchemy.exc import OperationalError

from playdock.cli.listening import AddressInUse, listen_on_path, listening_on_path
from playdock.cli.server import prepare
from playdock.domain.libraries.queries import list_all
from playdock.features.invitations.service import Invitations
from playdock.features.tasks.maintenance import INVITATIONS, new_task_for
from playdock.kit.clock import utc_now
from playdock.tasks import queries
from playdock.tasks.enqueueing import enqueue
from playdock.web.services import Services
from waiting import wait_until

from .conftest import Prompt, free_port, is_sentence

_PATIENCE = 120.0
_UNREACHABLE = "postgresql://ada:hunter2@127.0.0.1:1/playdock"


@contextmanager
def _running(prompt: Prompt, *words: str, **settings: str) -> Iterator[Popen[str]]:
    started = prompt.start(*words, **settings)
    try:
        yield started
    finally:
        started.kill()
        started.communicate()


def _stop(running: Popen[str]) -> tuple[int, str]:
    """Stop a process, and return its exit status and its standard error."""
    running.send_signal(signal.SIGTERM)
    _, told = running.communicate(timeout=_PATIENCE)
    return running.returncode, told


def _ended(services: Services, task_id: str) -> bool:
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        with services.db.read() as session:
            task = queries.find(session, task_id)
        if task is not None and task.ended:
            return task.success
        time.sleep(0.05)
    return False


def _libraries(services: Services) -> list[str]:
    with services.db.read() as session:
        return [library.options["baseDir"] for library in list_all(session)]


def _first_answer(address: str) -> httpx2.Response:
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            return httpx2.get(address)
        except httpx2.TransportError:
            assert time.monotonic() < deadline, "The server did not respond."
            time.sleep(0.05)


def test_a_worker_runs_a_task_deletes_expired_files_and_stops_on_a_signal(prompt: Prompt) -> None:
    services = prompt.services()
    old = prompt.folder / "data" / "security-log" / "2020-01-01.jsonl"
    old.parent.mkdir()
    old.write_text("")
    with closing(services.db), _running(prompt, "worker") as worker:
        with services.db.write() as session:
            task_id = enqueue(session, new_task_for(INVITATIONS), at=utc_now())
        assert _ended(services, task_id)
        wait_until(lambda: not old.exists())
        assert _stop(worker) == (0, "")


def test_serve_prints_the_first_invitation_and_stops_on_a_signal(prompt: Prompt) -> None:
    port = free_port()
    with _running(prompt, "serve", "--port", str(port)) as server:
        assert _first_answer(f"http://127.0.0.1:{port}/api/v1/user").json() is None
        status, told = _stop(server)
    assert (status, told) == (0, "")


def test_the_first_invitation_creates_an_administrator_and_is_recorded_with_the_start(settled: Prompt) -> None:
    port = free_port()
    with _running(settled, "serve", "--port", str(port)) as server:
        assert server.stdout is not None
        assert server.stdout.readline().strip() == f"Playdock is running at http://localhost:{port}"
        invitation = next(line.strip() for line in server.stdout if "/auth/register" in line)
        shown = _first_answer(
            invitation.replace("localhost", "127.0.0.1").replace("/auth/register", "/api/v1/auth/signup/simple")
        )
        status, _ = _stop(server)
    (file,) = (settled.folder / "data" / "security-log").iterdir()
    invited, started = (json.loads(line) for line in file.read_text().splitlines())
    assert (status, shown.json()["isAdmin"]) == (0, True)
    assert (invited["event"], invited["admin"]) == ("invitation-created", True)
    assert (started["event"], started["network"]) == ("started", "")
    # EXTERNAL_URL is not set: it follows from the port.
    assert started["settings"] == ["DATA_DIR", "DATABASE_URL", "METADATA_PROVIDERS"]


def test_a_port_in_use_is_reported(settled: Prompt) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        refused = settled.run_program("serve", "--port", str(taken.getsockname()[1]))
    assert refused.status == 1
    assert is_sentence(refused.err)
    assert "--port" in refused.err


def test_openapi_prints_the_document(bare: Prompt) -> None:
    printed = bare.run_program("openapi")
    assert (printed.status, printed.err) == (0, "")
    assert json.loads(printed.out)["openapi"].startswith("3.1")
    assert list(bare.folder.iterdir()) == []


@pytest.mark.parametrize("command", ["serve", "doctor"])
def test_an_unsupported_database_is_reported(bare: Prompt, command: str) -> None:
    refused = bare.run_program(command, DATABASE_URL="mysql://ada@127.0.0.1/playdock")
    assert (refused.status, refused.out) == (1, "")
    assert is_sentence(refused.err)
    assert "DATABASE_URL: " in refused.err


@pytest.mark.both_databases
@pytest.mark.parametrize("command", ["serve", "worker", "invite"])
def test_an_unreachable_database_is_reported(bare: Prompt, command: str) -> None:
    options = ["--port", str(free_port())] if command == "serve" else []
    refused = bare.run_program(command, *options, DATABASE_URL=_UNREACHABLE, DATABASE_WAIT_SECONDS="0")
    assert (refused.status, refused.out) == (1, "")
    assert is_sentence(refused.err)
    assert "hunter2" not in refused.err


def test_a_worker_waits_for_a_database_that_starts_and_says_so(bare: Prompt) -> None:
    refused = bare.run_program("worker", DATABASE_URL=_UNREACHABLE, DATABASE_WAIT_SECONDS="1")
    waiting, sentence = refused.err.splitlines()
    assert json.loads(waiting)["event"] == "waiting for the database"
    assert (refused.status, is_sentence(f"{sentence}\n"), "hunter2" in refused.err) == (1, True, False)


@pytest.mark.parametrize(
    ("command", "place"), [("serve", "file"), ("worker", "file"), ("invite", "file"), ("invite", "/proc/nowhere")]
)
def test_a_data_folder_that_is_not_writable_is_reported(bare: Prompt, command: str, place: str) -> None:
    Path(bare.folder / "file").write_text("no folder")
    options = ["--port", str(free_port())] if command == "serve" else []
    refused = bare.run_program(command, *options, DATA_DIR=place)
    assert (refused.status, refused.out) == (1, "")
    assert is_sentence(refused.err)
    assert place in refused.err


def test_a_missing_first_library_is_reported_and_the_service_starts(settled: Prompt) -> None:
    port, place = free_port(), settled.folder / "share"
    with _running(settled, "serve", "--port", str(port), LIBRARY=str(place)) as server:
        assert _first_answer(f"http://127.0.0.1:{port}/api/v1/user").json() is None
        status, told = _stop(server)
    assert status == 0
    assert is_sentence(told)
    assert f"LIBRARY={place}" in told


def test_the_first_library_is_created_when_its_folder_exists(
    settled: Prompt, capsys: pytest.CaptureFixture[str]
) -> None:
    place = settled.folder / "share"
    services = settled.services(library=str(place))
    with closing(services.db):
        prepare(services)
        first = _libraries(services)
        place.mkdir()
        prepare(services)
        prepare(services)
        second = _libraries(services)
    assert (first, second) == ([], [str(place)])
    assert is_sentence(capsys.readouterr().err)


def test_a_configured_external_url_is_used(settled: Prompt) -> None:
    address = "http://localhost:3000"
    with _running(settled, "serve", "--port", str(free_port()), EXTERNAL_URL=address) as server:
        assert server.stdout is not None
        assert server.stdout.readline().strip() == f"Playdock is running at {address}"


def _is_listened_on(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(str(path)) == 0


def test_the_service_listens_on_a_unix_domain_socket(settled: Prompt) -> None:
    path = settled.folder / "playdock.sock"
    with closing(socket.socket(socket.AF_UNIX)) as left_behind:
        left_behind.bind(str(path))
    with _running(settled, "serve", "--unix-socket", str(path)) as server:
        wait_until(lambda: _is_listened_on(path))
        with httpx2.Client(transport=httpx2.HTTPTransport(uds=str(path))) as http:
            assert http.get("http://playdock/api/v1/user", timeout=_PATIENCE).json() is None
        assert stat.S_IMODE(path.stat().st_mode) == 0o660
        with pytest.raises(AddressInUse, match="another program listens there"):
            listen_on_path(path)
        _stop(server)
    assert not path.exists()


def test_a_unix_socket_is_in_use_as_soon_as_it_exists(tmp_path: Path) -> None:
    path = tmp_path / "playdock.sock"
    with listening_on_path(path), pytest.raises(AddressInUse, match="another program listens there"):
        listen_on_path(path)
    assert not path.exists()


def test_a_unix_socket_of_another_program_is_not_deleted(tmp_path: Path) -> None:
    path = tmp_path / "playdock.sock"
    with listening_on_path(path):
        path.unlink()
        other = listen_on_path(path)
    with other:
        assert path.is_socket()


def test_a_path_that_is_no_socket_is_not_replaced(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("precious")
    with pytest.raises(AddressInUse, match="--unix-socket"):
        listen_on_path(file)
    assert file.read_text() == "precious"


@pytest.mark.parametrize("options", [("--port", "0"), ("--port", "65536"), ("--workers", "0"), ("--nonsense",)])
def test_invalid_options_are_reported(bare: Prompt, options: tuple[str, ...]) -> None:
    refused = bare.run_program("serve", *options)
    assert refused.status == 2
    assert options[0] in refused.err
    assert "Traceback" not in refused.err


@pytest.mark.parametrize("words", [("nonsense",), ("token",), ("invite", "--expires", "soon"), ("doctor", "now")])
def test_wrong_words_are_reported(bare: Prompt, words: tuple[str, ...]) -> None:
    refused = bare.run(*words)
    assert refused.status == 2
    assert refused.err.startswith("Usage: ")
    assert "Error: " in refused.err


def test_a_host_that_cannot_be_one_is_reported(bare: Prompt) -> None:
    refused = bare.run("serve", "--host", "x" * 70)
    assert (refused.status, is_sentence(refused.err)) == (1, True)
    assert "--host" in refused.err


def test_an_env_file_that_is_not_text_is_reported(bare: Prompt) -> None:
    (bare.folder / ".env").write_bytes(b"EXTERNAL_URL=\xff\n")
    refused = bare.run("invite")
    assert (refused.status, is_sentence(refused.err)) == (1, True)
    assert ".env: The file is not UTF-8 text." in refused.err


@pytest.mark.parametrize("command", [("invite",), ("worker",), ("serve", "--port", "0"), ("doctor",)])
def test_a_file_that_is_no_database_is_reported(settled: Prompt, command: tuple[str, ...]) -> None:
    file = settled.folder / "data" / "notes.txt"
    file.write_text("not a database" * 100)
    port = [str(free_port()) if word == "0" else word for word in command]
    refused = settled.run(*port, DATABASE_URL=f"sqlite:///{file}")
    assert refused.status == 1
    # The report of `doctor` is its output.
    is_report = command[0] == "doctor"
    assert "file is not a database" in (refused.out if is_report else refused.err)
    assert is_sentence(refused.err) != is_report


def test_a_database_that_fails_during_a_command_is_reported(settled: Prompt, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **_more: object) -> None:
        raise OperationalError("INSERT", {}, _sqlite_error(sqlite3.SQLITE_READONLY))

    monkeypatch.setattr(Invitations, "issue", fail)
    refused = settled.run("invite")
    assert (refused.status, is_sentence(refused.err)) == (1, True)
    assert "playdock doctor" in refused.err


def _sqlite_error(code: int) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("attempt to write a readonly database")
    error.sqlite_errorcode = code
    return error


def test_settings_are_read_from_an_env_file(bare: Prompt) -> None:
    (bare.folder / ".env").write_text("EXTERNAL_URL=https://play.example.org\n")
    assert bare.run("invite").out.startswith("https://play.example.org/")
