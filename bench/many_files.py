"""A version of 1,000,000 files next to one of 100,000: what the memory of service and client depends on.

python -m bench.many_files
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.bare import make_files
from bench.library import add_library, import_game, import_version
from bench.servers import Service, service
from bench.table import Row

_FILES = 1_000_000
_BASELINE_FILES = 100_000
# The inodes of a file system are limited, and so is the time for this; the blocks of larger files would only be read.
_BYTES = 32
_LAUNCH = "000/000000.dat"
_INSTALL = """
import sys
from pathlib import Path
from playdock_client import api

address, token, game, folder = sys.argv[1:]

def memory(name):
    return int(next(line for line in open("/proc/self/status") if line.startswith(name)).split()[1]) / 1024

with api.Server(address, token) as server:
    version, before = server.versions(game)[-1], memory("VmRSS")
    options, progress = api.FetchOptions(), api.NoProgress()
    api.install(server, api.GameInfo(game, "Game"), version, Path(folder), options=options, progress=progress)
    print(memory("VmHWM") - before)
"""


@dataclass(frozen=True, slots=True)
class Memory:
    """How many MiB the service and the client needed more than before."""

    importing: float
    manifest: float
    serving: float
    installing: float


def measure() -> Iterator[Row]:
    large, small = _measured(_FILES), _measured(_BASELINE_FILES)
    for what, ours, baseline, wanted in (
        ("memory of the service for importing", large.importing, small.importing, "below 256 MB"),
        ("the same for sending its manifest", large.manifest, small.manifest, ""),
        ("the same while it is installed", large.serving, small.serving, "below 256 MB"),
        ("memory of the client for installing it", large.installing, small.installing, "below 300 MB"),
    ):
        yield Row(
            f"{what}, {_FILES:,} files",
            f"{ours:.0f} MiB more",
            f"{_BASELINE_FILES:,} files: {baseline:.0f} MiB more",
            f"{ours / baseline:.1f}" if baseline else "",
            wanted,
        )


def _measured(count: int) -> Memory:
    with tempfile.TemporaryDirectory(prefix="playdock-bench-") as name, service(Path(name)) as served:
        games = Path(name) / "games"
        make_files(games / "Game" / "1.0", count=count, size=_BYTES)
        with served.client() as client:
            game = import_game(client, add_library(client, games), "Game")
            importing = _growth(served, lambda: import_version(client, game, "1.0", launch=_LAUNCH))
            version = client.get(f"/api/v1/games/{game}/versions").json()[0]["id"]
        manifest = _growth(served, lambda: _read_manifest(served, version))
        command = [sys.executable, "-c", _INSTALL, served.running.address, served.token, game, f"{name}/installed"]
        printed: list[str] = []
        serving = _growth(
            served, lambda: printed.append(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        )
        return Memory(importing, manifest, serving, float(printed[0]))


def _read_manifest(served: Service, version: str) -> None:
    with served.client() as client, client.stream("GET", f"/api/v1/versions/{version}/manifest") as response:
        for _ in response.iter_raw():
            pass


def _growth(served: Service, run: Callable[[], object]) -> float:
    """Return by how many MiB the peak of the service's memory exceeds its memory before."""
    served.running.forget_peak()
    before = served.running.memory()

    run()
    return served.running.peak_memory() - before


if __name__ == "__main__":
    for row in measure():
        print(row, flush=True)
