"""One import by one, two and four nodes, each with a disk that is slowed down, so that one machine stands for four."""

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path

import httpx2

from bench.bare import MIB, make_files, noise
from bench.library import add_library, import_game, start_import, wait_for
from bench.servers import Running, Service, free_port, running, service
from bench.table import Row
from postgresql import execute, find_programs, running_server

_RATE = 50 * MIB
# Smaller than in reality, so that there are enough of them for a short measurement. Ranges read 4 MiB more.
_PART_BYTES = 256 * MIB
_FILES = 16
_NODES = (1, 2, 4)
# Longer than a node needs to write its first heartbeat.
_START_SECONDS = 3.0
_SLOW = f"""
import sys, threading, time
from playdock.cli.main import run
from playdock.features.import_parts import tasks
from playdock.storage.folder_tree import FolderSource
from playdock.storage.parts import PartLimits

tasks.LIMITS = PartLimits(size={_PART_BYTES}, undivided={_PART_BYTES})
lock, free, read = threading.Lock(), time.monotonic(), FolderSource.readinto

def slowly(self, buffer):
    global free
    count = read(self, buffer)
    with lock:
        free = max(free, time.monotonic() - 0.05) + count / {_RATE}
        wait = free - time.monotonic()
    if wait > 0:
        time.sleep(wait)
    return count

FolderSource.readinto = slowly
sys.argv[0] = "playdock"
run()
"""


def measure() -> Iterator[Row]:
    programs = find_programs()
    assert programs is not None, "Install Debian's package postgresql."
    with tempfile.TemporaryDirectory(prefix="playdock-bench-") as folder, running_server(programs) as address:
        execute(address, "CREATE DATABASE bench TEMPLATE template0")
        games = Path(folder) / "games"
        make_files(games / "Doom" / "1", count=_FILES, size=_PART_BYTES)
        _write_large(games / "Doom" / "1" / "large.pak", parts=_FILES)
        with service(Path(folder), database_url=f"{address}/bench") as served, served.client() as client:
            library = add_library(client, games)
            game = import_game(client, library, "Doom")
        seconds, etags = [], set()
        for count in _NODES:
            name = str(count)
            if count > 1:
                (games / "Doom" / "1").rename(games / "Doom" / name)
            with _nodes(served, count) as nodes, _client(nodes[0], served) as client:
                seconds.append(_import(client, game, name))
                etags.add(_etag(client, game, name))
            (games / "Doom" / name).rename(games / "Doom" / "1")
        assert len(etags) == 1, "The manifests differ."
    for count, taken in zip(_NODES[1:], seconds[1:], strict=True):
        yield Row(
            f"importing a version of {2 * _FILES * _PART_BYTES // MIB:,} MiB by {count} nodes, each of which reads "
            f"{_RATE // MIB} MiB/s",
            f"{taken:.1f} s",
            f"by one: {seconds[0]:.1f} s",
            f"{seconds[0] / taken:.2f}",
            f"at least {0.9 * count:.1f}",
        )


def _write_large(path: Path, *, parts: int) -> None:
    with path.open("wb") as file:
        for number in range(parts):
            file.write(noise(1000 + number, size=_PART_BYTES))


@contextmanager
def _nodes(served: Service, count: int) -> Iterator[list[Running]]:
    with ExitStack() as ending:
        nodes = []
        for number in range(count):
            port = free_port()
            environment = {
                "DATA_DIR": str(served.settings.data_dir),
                "DATABASE_URL": served.settings.database_url,
                "METADATA_PROVIDERS": "none",
                "REQUESTS_PER_MINUTE": "0",
                "NODE": f"node-{number}",
            }
            command = [sys.executable, "-c", _SLOW, "serve", "--port", str(port)]
            one = running(command, port=port, path="/api/v1/user", environment={**os.environ, **environment})
            nodes.append(ending.enter_context(one))
        time.sleep(_START_SECONDS)
        yield nodes


def _client(node: Running, served: Service) -> httpx2.Client:
    headers = {"Authorization": f"Bearer {served.token}"}
    return httpx2.Client(base_url=node.address, headers=headers, timeout=600.0)


def _import(client: httpx2.Client, game: str, name: str) -> float:
    """Import a version, and return the seconds that its task took."""
    task_id = start_import(client, game, name, launch="large.pak")
    ended = wait_for(client, task_id)
    started = client.get(f"/api/v1/task/{task_id}").json()["started"]
    return (ended - datetime.fromisoformat(started)).total_seconds()


def _etag(client: httpx2.Client, game: str, name: str) -> str:
    listed = client.get(f"/api/v1/games/{game}/versions").raise_for_status().json()
    version_id = next(each["id"] for each in listed if each["name"] == name)
    files = client.get(f"/api/v1/versions/{version_id}/manifest").raise_for_status().json()["files"]
    return repr(files)
