"""Two nodes behind nginx, restarted one after the other while clients download: nobody notices."""

import filecmp
import os
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from databases import Databases
from nginx import find_nginx, running_cluster
from playdock_client import api
from processes.service import PATIENCE, Service, free_port, until

KEY = "0123456789abcdef0123456789abcdef"
FILES = 6


@pytest.fixture
def nodes(postgresql_databases: Databases, tmp_path: Path) -> Iterator[list[Service]]:
    """Two nodes with one database and one folder of objects, as in `deploy/cluster`."""
    address = postgresql_databases.blank(tmp_path)
    nodes = [Service(tmp_path / name, address) for name in ("node1", "node2")]
    for node in nodes:
        (node.folder / "data").mkdir(parents=True)
        node.more |= {"SECRET_KEY": KEY, "OBJECTS_URL": str(tmp_path / "objects"), "DRAIN_SECONDS": "60"}
        node.more |= {"TRUSTED_PROXIES": "127.0.0.1", "DOWNLOADS_AT_ONCE_PER_USER": "0", "REQUESTS_PER_MINUTE": "0"}
    yield nodes
    for node in nodes:
        node.end()


class Players:
    """Clients that install a game again and again."""

    def __init__(self, address: str, token: str, game: str, folder: Path, originals: list[Path]) -> None:
        self.installed = 0
        self.failures: list[Exception] = []
        self._address, self._token, self._game = address, token, game
        self._folder, self._originals = folder, originals
        self._enough = threading.Event()

    @contextmanager
    def playing(self, count: int) -> Iterator[None]:
        with ThreadPoolExecutor(count) as pool:
            for number in range(count):
                pool.submit(self._play, number)
            try:
                yield
            finally:
                self._enough.set()

    def _play(self, number: int) -> None:
        attempt = 0
        while not self._enough.is_set():
            attempt += 1
            try:
                self._install(self._folder / f"{number}-{attempt}")
                self.installed += 1
            except Exception as error:  # noqa: BLE001 - whatever it is, the player has noticed the restart
                self.failures.append(error)

    def _install(self, folder: Path) -> None:
        with api.Server(self._address, token=self._token) as server:
            game = server.game(self._game)
            options = api.FetchOptions()
            api.install(server, game, game.versions[0], folder, options=options, progress=api.NoProgress())
        # The client's own check could find the folder locked: a node that is being started inherits the lock.
        assert all(filecmp.cmp(original, folder / original.name, shallow=False) for original in self._originals)
        shutil.rmtree(folder)


def _restart(node: Service) -> float:
    """Restart a node, and return how long it took to drain."""
    began = time.monotonic()
    node.signal(signal.SIGTERM)
    assert node.wait() == 0
    drained = time.monotonic() - began
    node.start()
    until(lambda: httpx2.get(f"{node.address}/health/ready").is_success, what="a node that is ready")
    return drained


@pytest.mark.parametrize(
    ("players", "megabytes", "rounds"), [(3, 2, 1), pytest.param(50, 20, 3, marks=pytest.mark.heavy)]
)
def test_players_do_not_notice_a_rolling_restart(
    nodes: list[Service], tmp_path: Path, players: int, megabytes: int, rounds: int
) -> None:
    program = find_nginx()
    if program is None:
        assert "CI" not in os.environ, "nginx is missing: install Debian's nginx-light."
        pytest.skip("ROLLING RESTARTS ARE NOT TESTED: nginx is missing. Install Debian's nginx-light.")
    game = tmp_path / "games/Doom/1.0"
    game.mkdir(parents=True)
    for number in range(FILES):
        (game / f"{number}.wad").write_bytes(os.urandom(megabytes * 1_000_000 // FILES))
    first, second = nodes
    first.start()
    first.sign_up(first.invitations[0])
    doom = first.import_game(tmp_path / "games", "Doom")
    assert first.finish(first.start_import(doom, "1.0", launch="0.wad"))["success"]
    second.start()
    port = free_port()
    with running_cluster(program, tmp_path / "nginx", port=port, nodes=[each.port for each in nodes]) as log:
        address = f"http://127.0.0.1:{port}"
        clients = Players(address, first.token, doom, tmp_path / "players", list(game.iterdir()))
        with clients.playing(players):
            until(lambda: clients.installed >= players, what="the first installations")
            drained = [_restart(node) for _ in range(rounds) for node in nodes]
            before = clients.installed
            until(lambda: clients.installed >= before + players, what="installations after the restarts")
        statuses = [int(line.partition(" ")[0]) for line in log.read_text().splitlines()]
    print(  # noqa: T201 - figures of docs/benchmarks.md
        f"{players} players, {clients.installed} installations, {len(statuses)} requests, {len(drained)} restarts, "
        f"drained in at most {max(drained):.1f} s"
    )
    assert (clients.failures, [status for status in statuses if status >= 500]) == ([], [])
    assert max(drained) < PATIENCE
