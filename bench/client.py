"""The player's client: installations over loopback, and updates between releases of real software."""

import logging
import os
import re
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bench.bare import MIB, make_files, seconds
from bench.library import add_library, import_game, import_version
from bench.pairs import PAIRS, VersionPair, blocks_to_fetch, unpacked, whole
from bench.relay import relay_to
from bench.servers import Service, service
from bench.table import Row
from playdock_client import api

_OPTIONS = api.FetchOptions()
_PATIENCE = 300.0
_MEMORY = "/dev/shm"
_ROOM = 10 * 1024 * MIB
_MEGA = 1e6
_EXPECTED_EACH = 0.3
_EXPECTED_MEDIAN = 0.2
_SMALL_WANTED = 0.7


@dataclass(frozen=True, slots=True)
class Load:
    """A version to install: the number and size of its files, and the number of repetitions."""

    name: str
    count: int
    size: int
    rounds: int

    @property
    def megabytes(self) -> float:
        return self.count * self.size / _MEGA


_LARGE = Load("4 GiB in 2,000 files", 2000, 4096 * MIB // 2000, rounds=1)
_SMALL = Load("50,000 files of 4 KiB", 50_000, 4096, rounds=3)


@dataclass(frozen=True, slots=True)
class Speeds:
    """MB per second of an installation, of a bare loop that writes the same files, and of programs that copy them."""

    ours: float
    bare: float
    copies: str
    requests: int


def measure() -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="playdock-bench-", dir=_in_memory()) as name, service(Path(name)) as served:
        large, small = (_speeds(load, served, Path(name) / load.name) for load in (_LARGE, _SMALL))
    yield _row(_LARGE, large, large.bare, wanted="")
    yield _row(_SMALL, small, min(large.ours, small.bare), wanted=f"at least {_SMALL_WANTED} of the slower of the two")


def measure_updates() -> Iterator[Row]:
    """Update between releases with existing patches, and count every byte between client and service.

    Raises:
        PairsMissing: a release cannot be downloaded.
    """
    ratios = []
    with tempfile.TemporaryDirectory(prefix="playdock-bench-") as name, service(Path(name)) as served:
        for number, pair in enumerate(PAIRS):
            old, new = unpacked(pair.old), unpacked(pair.new)
            fetched = _updated(served, pair, Path(name) / str(number))
            by_blocks, by_rsync = blocks_to_fetch(old, new), _literal(old, new, Path(name) / "by rsync")
            ratios.append(fetched / by_blocks)
            output = f"rsync: {by_rsync / _MEGA:.1f} MB; whole: {whole(new) / _MEGA:.0f} MB"
            yield Row(
                f"update {pair.title} by the client, patches ready",
                f"{fetched / _MEGA:.1f} MB on the wire",
                f"1 MiB blocks: {by_blocks / _MEGA:.1f} MB; {output}",
                f"{ratios[-1]:.3f}",
                f"at most {_EXPECTED_EACH}",
            )
    middle = f"{statistics.median(ratios):.3f}"
    yield Row("update by the client, median of the pairs", "", "", middle, f"at most {_EXPECTED_MEDIAN}")


def _in_memory() -> str | None:
    """Return a folder in memory if there is space, so that the disk is not measured."""
    return _MEMORY if Path(_MEMORY).is_dir() and shutil.disk_usage(_MEMORY).free > _ROOM else None


def _row(load: Load, speeds: Speeds, baseline: float, *, wanted: str) -> Row:
    return Row(
        f"installing {load.name}",
        f"{speeds.ours:,.0f} MB/s, {speeds.requests} requests",
        f"writing them in a bare loop: {speeds.bare:,.0f} MB/s; {speeds.copies}",
        f"{speeds.ours / baseline:.2f}",
        wanted,
    )


def _speeds(load: Load, served: Service, folder: Path) -> Speeds:
    source, target = folder / "games" / load.name / "1.0", folder / "target"
    make_files(source, count=load.count, size=load.size)
    game = _imported(served, folder / "games", "1.0")
    copiers = _copiers(source, target)
    ways: dict[str, Callable[[], object]] = {
        "ours": partial(_install, served, game, target),
        "bare": partial(_write_bare, source, target),
        **copiers,
    }
    speeds: dict[str, list[float]] = {name: [] for name in ways}
    with _counted_requests() as counted:
        for _ in range(load.rounds):
            for name, way in ways.items():
                speeds[name].append(load.megabytes / seconds(way))
                shutil.rmtree(target)
    shutil.rmtree(source)
    medians = {name: statistics.median(found) for name, found in speeds.items()}
    copies = "; ".join(f"{name}: {medians[name]:,.0f} MB/s" for name in copiers)
    return Speeds(medians["ours"], medians["bare"], copies, counted.requests // load.rounds)


def _copiers(source: Path, target: Path) -> dict[str, Callable[[], object]]:
    """Return the installed programs that copy a folder."""
    commands = [["cp", "-r", str(source), str(target)], ["rsync", "-rc", f"{source}/", str(target)]]
    there = [command for command in commands if shutil.which(command[0])]
    return {" ".join(command[:2]): partial(_run, command) for command in there}


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True)


def _write_bare(source: Path, target: Path) -> None:
    """Copy files in a bare loop."""
    view = memoryview(bytearray(MIB))
    for folder in source.iterdir():
        there = target / folder.name
        there.mkdir(parents=True)
        for entry in os.scandir(folder):
            with Path(entry.path).open("rb", buffering=0) as read, (there / entry.name).open("wb", buffering=0) as file:
                while count := read.readinto(view):
                    file.write(view[:count])


@dataclass(frozen=True, slots=True)
class ImportedVersion:
    """A game and its versions by name."""

    id: str
    versions: dict[str, api.VersionInfo]


def _imported(served: Service, games: Path, *names: str) -> ImportedVersion:
    """Import these versions of the only game in a folder."""
    path = next(games.iterdir())
    with served.client() as caller, api.Server(served.running.address, served.token) as server:
        game = import_game(caller, add_library(caller, games), path.name)
        for name in names:
            import_version(caller, game, name, launch=_some_file(path / name))
        return ImportedVersion(game, {version.name: version for version in server.versions(game)})


def _some_file(folder: Path) -> str:
    return min(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def _install(served: Service, game: ImportedVersion, folder: Path, *, version: str = "1.0") -> None:
    info = api.GameInfo(game.id, "Game")
    with api.Server(served.running.address, served.token) as server:
        api.install(server, info, game.versions[version], folder, options=_OPTIONS, progress=api.NoProgress())


def _updated(served: Service, pair: VersionPair, folder: Path) -> int:
    """Install a release, wait for the patches to the next one, update, and return the bytes on the wire."""
    for release in (pair.old, pair.new):
        source = unpacked(release)
        shutil.copytree(source, folder / "games" / pair.title / release.version, copy_function=os.link, symlinks=True)
    game = _imported(served, folder / "games", pair.old.version, pair.new.version)
    old, new = (game.versions[release.version] for release in (pair.old, pair.new))
    _install(served, game, folder / "target", version=old.name)
    with api.Server(served.running.address, served.token) as server:
        assert server.patches(new.id, base=old.id, wait_seconds=_PATIENCE), "There are no patches."
    with relay_to(served.running.address) as relay, api.Server(relay.address, served.token) as server:
        api.update(server, folder / "target", new, options=_OPTIONS, progress=api.NoProgress())
    assert api.verify(folder / "target", progress=api.NoProgress()).intact
    return relay.carried


def _literal(old: Path, new: Path, scratch: Path) -> int:
    """Return the number of literal bytes that rsync sends to update a folder."""
    shutil.copytree(old, scratch, symlinks=True)
    command = ["rsync", "-a", "--checksum", "--delete", "--no-whole-file", "--stats", f"{new}/", str(scratch)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    shutil.rmtree(scratch)
    found = re.search(r"Literal data: ([\d,.]+)", output)
    assert found is not None, output
    return int(re.sub(r"\D", "", found.group(1)))


class _Counter(logging.Handler):
    """Counts the requests in the log of the client's transport."""

    requests = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.requests += "HTTP/" in record.getMessage()


@contextmanager
def _counted_requests() -> Iterator[_Counter]:
    log, counter = logging.getLogger("urllib3.connectionpool"), _Counter()
    log.addHandler(counter)
    log.setLevel(logging.DEBUG)
    try:
        yield counter
    finally:
        log.removeHandler(counter)
        log.setLevel(logging.NOTSET)
