"""Draining: responses that have begun are completed, while nothing else begins and tasks go on in other processes."""

import signal
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from playdock.db.database import Database
from playdock.settings import Settings
from playdock.tasks import queries

from .service import MAX_STOP_SECONDS, PATIENCE, Service, is_refused, until
from .test_interruption import known, write_many_files

# More than the system's buffers between two sockets.
SIZE = 64 * 1024**2
MANY = 40


class Download:
    """A download of which only the header has been read."""

    def __init__(self, service: Service, connection: socket.socket, version: str) -> None:
        self._connection = connection
        lines = [
            f"GET /api/v1/versions/{version}/content HTTP/1.1",
            "Host: h",
            f"Authorization: Bearer {service.token}",
        ]
        connection.sendall("\r\n".join([*lines, "", ""]).encode())
        self.header = b""
        while not self.header.endswith(b"\r\n\r\n"):
            self.header += connection.recv(1)

    def read(self) -> int:
        """Read until the end, and return the number of bytes of the body."""
        length = 0
        try:
            while data := self._connection.recv(1 << 20):
                length += len(data)
        except ConnectionResetError:
            pass
        return length


@contextmanager
def connected(service: Service) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", service.port), timeout=PATIENCE) as connection:
        yield connection


@contextmanager
def downloading(service: Service) -> Iterator[Download]:
    """Import a large version and begin to download it."""
    game = service.folder / "games/Quake/1.0"
    game.mkdir(parents=True)
    with (game / "game").open("wb") as file:
        file.truncate(SIZE)
    imported = service.import_game(service.folder / "games", "Quake")
    assert service.finish(service.start_import(imported, "1.0"))["success"]
    version = service.get(f"/api/v1/games/{imported}/versions")[0]["id"]
    with connected(service) as connection:
        yield Download(service, connection, version)


def set_up(service: Service, *options: str, seconds: int) -> None:
    service.more["DRAIN_SECONDS"] = str(seconds)
    service.start(*options)
    service.sign_up(service.invitations[0])


def test_downloads_are_completed_and_idle_connections_closed(service: Service) -> None:
    set_up(service, seconds=600)
    with downloading(service) as download, connected(service) as idle:
        idle.sendall(b"GET /health/live HTTP/1.1\r\nHost: h\r\n\r\n")
        response = b""
        while not response.endswith(b"}"):
            response += idle.recv(1 << 16)
        assert response.startswith(b"HTTP/1.1 200")

        service.signal(signal.SIGTERM)

        assert idle.recv(1) == b""
        until(lambda: is_refused(service.port), what="the end of listening")
        assert download.read() == SIZE
        assert service.wait() == 0


@pytest.mark.parametrize(
    ("options", "seconds", "signals"),
    [
        ((), 1, [signal.SIGTERM]),
        ((), 600, [signal.SIGTERM, signal.SIGINT]),
        (("--workers", "2"), 600, [signal.SIGINT, signal.SIGTERM]),
    ],
)
def test_downloads_end_after_a_time_or_a_second_signal(
    service: Service, options: tuple[str, ...], seconds: int, signals: list[int]
) -> None:
    set_up(service, *options, seconds=seconds)
    with downloading(service) as download:
        for number in signals:
            service.signal(number)
            until(lambda: is_refused(service.port), what="the end of listening")

        assert service.wait(timeout=MAX_STOP_SECONDS) == 0
        assert download.read() < SIZE


@pytest.fixture
def other(service: Service, tmp_path: Path) -> Iterator[Service]:
    """A second node, with the same database and objects."""
    (tmp_path / "other").mkdir()
    other = Service(tmp_path / "other", service.database_url)
    yield other
    other.end()


@pytest.mark.both_databases
def test_a_task_goes_on_in_another_process_while_responses_are_completed(service: Service, other: Service) -> None:
    files = write_many_files(service.folder / "games/Doom/1.0")
    service.more["OBJECTS_URL"] = str(service.folder / "objects")
    service.hold_reading(after=MANY // 2)
    set_up(service, seconds=600)
    with downloading(service) as download:
        task = start_second_import(service, "Doom")
        until(lambda: service.get(f"/api/v1/task/{task}")["progress"] > 15, what="progress")

        service.signal(signal.SIGTERM)
        until(lambda: is_refused(service.port), what="the end of listening")
        service.read_slowly(after=MANY // 2, until=lambda: is_handed_back(service, task))
        before = service.release_reading()
        other.more, other.token = service.more, service.token
        other.start()
        ended = other.finish(task)

        assert download.read() == SIZE
        assert service.wait() == 0
    count, _ = known(ended["log"])
    after = service.release_reading()
    assert (ended["success"], set(before) | set(after)) == (True, set(files)), ended
    assert len(after) == len(files) - count < len(files)


def is_handed_back(service: Service, task: str) -> bool:
    """Return whether no process has the task, which is neither ended nor to be repeated."""
    database = Database(Settings(database_url=service.database_url).database)
    with closing(database), database.read() as session:
        found = queries.find(session, task)
    assert found is not None
    return (found.worker_id, found.ended, found.retries) == (None, None, 0)


def start_second_import(service: Service, game: str) -> str:
    """Import a game of the first library, start the import of its version, and return the task."""
    library = service.get("/api/v1/admin/library/sources")[0]["id"]
    imported = service.post("/api/v1/admin/import/game", {"library": library, "path": game})["taskId"]
    assert service.finish(imported)["success"]
    games = service.get("/api/v1/admin/library")["games"]
    [found] = [each["game"]["id"] for each in games if each["game"]["libraryPath"] == game]
    return service.start_import(found, "1.0")
