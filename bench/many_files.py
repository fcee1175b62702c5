"""A version of 1,000,000 files next to one of 100,000: what the memory of service and client depends on.

python -m bench.many_files
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.bare import make_files, noise
from bench.databases import databases
from bench.library import add_library, import_game, import_version
from bench.servers import Service, service
from bench.table import Row

_FILES = 1_000_000
_BASELINE_FILES = 100_000
# The inodes of a file system are limited, and so is the time for this; the blocks of larger files would only be read.
_BYTES = 32
_LAUNCH = "000/000000.dat"
# Of 1,000 files, this many are other ones in the next version.
_CHANGED = 10
_OPERATION = """
import sys
from pathlib import Path
from playdock_client import api

operation, address, token, game, version, folder = sys.argv[1:]

def memory(name):
    return int(next(line for line in open("/proc/self/status") if line.startswith(name)).split()[1]) / 1024

with api.Server(address, token) as server:
    version, folder = next(each for each in server.versions(game) if each.id == version), Path(folder)
    before = memory("VmRSS")
    options, progress = api.FetchOptions(), api.NoProgress()
    if operation == "installing":
        api.install(server, api.GameInfo(game, "Game"), version, folder, options=options, progress=progress)
    elif operation == "updating":
        api.update(server, folder, version, options=options, progress=progress)
    elif operation == "verifying":
        assert api.verify(folder, progress=progress).intact
    elif operation == "repairing":
        assert api.repair(server, folder, options=options, progress=progress).fetched
    print(memory("VmHWM") - before)
"""
_OPERATIONS = ("installing", "updating", "verifying", "repairing")


@dataclass(frozen=True, slots=True)
class Memory:
    """How many MiB the service, and the client for each operation, needed more than before."""

    importing: float
    manifest: float
    serving: float
    client: Mapping[str, float]


def measure() -> Iterator[Row]:
    with databases((_BASELINE_FILES, _FILES)) as urls:
        for database, of_sizes in urls.items():
            yield from _on(database, of_sizes)


def _on(database: str, urls: Mapping[int, str]) -> Iterator[Row]:
    small, large = (_measured(count, url) for count, url in urls.items())
    for what, ours, baseline, wanted in (
        ("memory of the service for importing", large.importing, small.importing, "below 256 MB"),
        ("the same for sending its manifest", large.manifest, small.manifest, ""),
        ("the same while it is installed", large.serving, small.serving, "below 256 MB"),
        *(
            (f"memory of the client for {each} it", large.client[each], small.client[each], "below 300 MB")
            for each in _OPERATIONS
        ),
    ):
        yield Row(
            f"{what}, {_FILES:,} files, {database}",
            f"{ours:.0f} MiB more",
            f"{_BASELINE_FILES:,} files: {baseline:.0f} MiB more",
            f"{ours / baseline:.1f}" if baseline else "",
            wanted,
        )


def _measured(count: int, url: str) -> Memory:
    with tempfile.TemporaryDirectory(prefix="playdock-bench-") as name, service(Path(name), database_url=url) as served:
        games, installed = Path(name) / "games", Path(name) / "installed"
        files = make_files(games / "Game" / "1.0", count=count, size=_BYTES)
        with served.client() as client:
            game = import_game(client, add_library(client, games), "Game")
            importing = _growth(served, lambda: import_version(client, game, "1.0", launch=_LAUNCH))
            first = client.get(f"/api/v1/games/{game}/versions").json()[0]["id"]
            manifest = _growth(served, lambda: _read_manifest(served, first))

            def run(operation: str, version: str) -> float:
                arguments = [served.running.address, served.token, game, version, str(installed)]
                command = [sys.executable, "-c", _OPERATION, operation, *arguments]
                done = subprocess.run(command, check=True, capture_output=True, text=True)
                return float(done.stdout)

            used: dict[str, float] = {}
            serving = _growth(served, lambda: used.update(installing=run("installing", first)))
            _make_next(files, games / "Game")
            second = import_version(client, game, "1.1", launch=_LAUNCH)
        used["updating"] = run("updating", second)
        used["verifying"] = run("verifying", second)
        for file in installed.glob("*/*77.dat"):
            file.write_bytes(bytes(_BYTES))
        used["repairing"] = run("repairing", second)
        return Memory(importing, manifest, serving, used)


def _make_next(files: list[Path], game: Path) -> None:
    """Make version 1.1, in which some files are other ones."""
    for number, file in enumerate(files):
        copy = game / "1.1" / file.relative_to(game / "1.0")
        copy.parent.mkdir(parents=True, exist_ok=True)
        if number % 1000 < _CHANGED:
            copy.write_bytes(noise(number + len(files), size=_BYTES))
        else:
            copy.hardlink_to(file)


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
