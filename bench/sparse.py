"""A version of 10 TB: how much memory the service needs to import it.

Reading 10 TB takes hours, so the files are sparse, and the service invents their chunks instead of reading them.

python -m bench.sparse [FILES]
"""

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench.databases import databases
from bench.library import add_library, import_game, import_version
from bench.servers import service
from bench.table import Row

_FILES = 1_000_000
_FILE_BYTES = 10_000_000
_CHUNKS = 40
_FILES_PER_FOLDER = 1000
_LAUNCH = "0000/0000000.pak"
_INVENTING = f"""
import os, struct, sys
from playdock.cli.main import run
from playdock.content.chunks import Digest
from playdock.storage import ingest

length = struct.pack("<I", {_FILE_BYTES // _CHUNKS})

def invent(self, entry, **_):
    chunks = b"".join(length + os.urandom(32) for _ in range({_CHUNKS}))
    self.records.append(ingest.record_of(entry, Digest(0, os.urandom(32), chunks)))

ingest._Reading._read_large = invent
sys.argv[0] = "playdock"
run()
"""


def measure(files: int = _FILES) -> Iterator[Row]:
    with databases((files,)) as urls, tempfile.TemporaryDirectory(prefix="playdock-bench-") as name:
        games = Path(name) / "games"
        _make_sparse(games / "Game" / "1.0", count=files)
        for database, of_sizes in urls.items():
            yield _on(Path(name) / database, games, database, of_sizes[files], files)


def _make_sparse(folder: Path, *, count: int) -> None:
    for start in range(0, count, _FILES_PER_FOLDER):
        part = folder / f"{start // _FILES_PER_FOLDER:04}"
        part.mkdir(parents=True)
        for number in range(start, min(start + _FILES_PER_FOLDER, count)):
            with (part / f"{number:07}.pak").open("wb") as file:
                file.truncate(_FILE_BYTES)


def _on(folder: Path, games: Path, database: str, url: str, files: int) -> Row:
    folder.mkdir()
    with service(folder, database_url=url, program=(sys.executable, "-c", _INVENTING)) as served:
        with served.client() as client:
            game = import_game(client, add_library(client, games), "Game")
            before = served.running.memory()
            served.running.forget_peak()
            started = time.perf_counter()
            import_version(client, game, "1.0", launch=_LAUNCH)
            seconds = time.perf_counter() - started
        return Row(
            f"memory of the service for importing {files * _FILE_BYTES / 1e12:g} TB in {files:,} files, {database}",
            f"{served.running.peak_memory() - before:.0f} MiB more",
            f"{seconds:.0f} s without reading",
            "",
            "below 256 MB",
        )


if __name__ == "__main__":
    for row in measure(*map(int, sys.argv[1:])):
        print(row)
