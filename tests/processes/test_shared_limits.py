"""A download limit holds across three processes, and follows their demand."""

import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from .service import PATIENCE, Service, until

pytestmark = pytest.mark.heavy

RATE = 50_000_000
SIZE = 1024**3
PROCESSES = 3
SECONDS_TOGETHER = 10
SECONDS_UNTIL_ALONE = 3


class Reader(threading.Thread):
    """Downloads from one process as fast as it can, and notes the bytes by tenths of a second."""

    def __init__(self, service: Service, path: str) -> None:
        super().__init__(daemon=True)
        self.connection = socket.create_connection(("127.0.0.1", service.port), timeout=PATIENCE)
        lines = [f"GET {path} HTTP/1.1", "Host: localhost", f"Authorization: Bearer {service.token}", "", ""]
        self.request = "\r\n".join(lines).encode()
        self.stopping = False
        self.tenths: Counter[int] = Counter()

    def run(self) -> None:
        buffer = bytearray(1024 * 1024)
        with self.connection, suppress(OSError):
            self.connection.sendall(self.request)
            while not self.stopping:
                received = self.connection.recv_into(buffer)
                self.tenths[int(time.monotonic() * 10)] += received
                if not received:
                    return


def sums(readers: list[Reader], *, begin: float, end: float) -> list[int]:
    """Return the bytes of all readers in each second that begins at a tenth of a second."""
    total = Counter[int]()
    for reader in readers:
        total.update(reader.tenths)
    first, last = int(begin * 10), int(end * 10)
    return [sum(total[tenth] for tenth in range(start, start + 10)) for start in range(first, last - 9)]


@pytest.fixture
def services(service: Service, tmp_path: Path) -> Iterator[list[Service]]:
    """Three nodes with one database."""
    found = [service]
    service.more |= {"DOWNLOAD_RATE": str(RATE), "NODE": "node-0", "OBJECTS_URL": str(tmp_path / "data/objects")}
    for number in range(1, PROCESSES):
        (tmp_path / str(number)).mkdir()
        found.append(Service(tmp_path / str(number), service.database_url))
        found[-1].more = {**service.more, "NODE": f"node-{number}"}
    with ExitStack() as ending:
        for each in found:
            ending.callback(each.end)
        yield found


@pytest.mark.both_databases
def test_three_processes_keep_to_a_limit_together_and_one_download_gets_all_of_it(services: list[Service]) -> None:
    first = services[0]
    place = first.folder / "games/Doom/1.0"
    place.mkdir(parents=True)
    with (place / "game").open("wb") as game_file:
        game_file.truncate(SIZE)
    for service in services:
        service.start()
    first.sign_up(first.invitations[0])
    game = first.import_game(first.folder / "games", "Doom")
    assert first.finish(first.start_import(game, "1.0"))["success"]
    [version] = first.get(f"/api/v1/games/{game}/versions")
    nodes = until(lambda: first.get("/api/v1/admin/node"), what="the nodes")
    assert [node["name"] for node in nodes] == [f"node-{number}" for number in range(PROCESSES)]

    readers = []
    for service in services:
        service.token = first.token
        readers.append(Reader(service, f"/api/v1/versions/{version['id']}/content"))
    began = time.monotonic()
    for reader in readers:
        reader.start()
    time.sleep(SECONDS_TOGETHER)
    alone = time.monotonic()
    for reader in readers[1:]:
        reader.stopping = True
    time.sleep(SECONDS_UNTIL_ALONE + 3)
    ended = time.monotonic()
    readers[0].stopping = True
    for reader in readers:
        reader.join(PATIENCE)

    all_seconds = sums(readers, begin=began, end=ended)
    steady = sums(readers, begin=began + SECONDS_UNTIL_ALONE, end=alone)
    of_one = sums(readers[:1], begin=alone + SECONDS_UNTIL_ALONE, end=ended)
    parts = [sum(reader.tenths[tenth] for tenth in range(int(began * 10) + 30, int(alone * 10))) for reader in readers]
    print(  # noqa: T201 - for docs/benchmarks.md
        f"most in a second {max(all_seconds) / RATE:.3f}; together {min(steady) / RATE:.3f} to "
        f"{max(steady) / RATE:.3f}; one alone at least {min(of_one) / RATE:.3f}; parts "
        f"{[f'{part / sum(parts):.2f}' for part in parts]}"
    )
    assert max(all_seconds) <= 1.05 * RATE
    assert max(of_one) >= 0.9 * RATE
    # Other work on the machine keeps the processes from sending.
    assert max(steady) >= 0.8 * RATE
    assert min(parts) > 0.2 * sum(parts)
