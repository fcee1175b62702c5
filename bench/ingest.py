"""Importing, against the slowest necessary step: reading, cutting and hashing by the same libraries and nothing else.

Run it with `python bench/ingest.py [FOLDER]`; the data are made in a temporary folder inside FOLDER and removed again.
"""

import os
import resource
import statistics
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from blake3 import blake3
from pyfastcdc import FastCDC

from playdock.content.chunks import AVERAGE_CHUNK, MAX_CHUNK, MIN_CHUNK
from playdock.storage.ingest import ingest
from playdock.storage.trees import open_tree

MIB = 1024 * 1024
CORES = os.cpu_count() or 1
ROUNDS = 7
BUFFER = 2 * MIB


@dataclass(frozen=True, slots=True)
class Row:
    """Medians in seconds of one set of files, `ratio` is of throughputs, `memory` the growth of the peak in MiB.

    The bare loop is that on one core or on all, whichever is quicker.
    """

    name: str
    size: int
    bare: float
    ours: float
    memory: float

    @property
    def ratio(self) -> float:
        return self.bare / self.ours

    def __str__(self) -> str:
        speed = f"bare {self.size / self.bare / 1e6:6.0f} MB/s, ingest {self.size / self.ours / 1e6:6.0f} MB/s"
        return f"{self.name:24} {speed}, ratio {self.ratio:.2f}, peak memory +{self.memory:.0f} MiB"


def measure(folder: Path) -> Iterator[Row]:
    """Give a row for 4 GiB in 2,000 files and one for 50,000 files of 4 KiB, made below the folder."""
    yield _measured("4 GiB in 2,000 files", folder, count=2000, size=4096 * MIB // 2000)
    yield _measured("50,000 files of 4 KiB", folder, count=50_000, size=4096)


def _measured(name: str, folder: Path, *, count: int, size: int) -> Row:
    with tempfile.TemporaryDirectory(dir=folder) as made:
        names = [str(path) for path in _make(Path(made), count=count, size=size)]
        loop = _small if size <= MIN_CHUNK else _large
        runs = [lambda: _on(1, loop, names), lambda: _on(CORES, loop, names), lambda: _ours(Path(made))]
        runs[0]()
        before = _peak()
        rounds = [[_seconds(run) for run in runs] for _ in range(ROUNDS)]
        one, all_cores, ours = map(statistics.median, zip(*rounds, strict=True))
        return Row(name, count * size, min(one, all_cores), ours, _peak() - before)


def _make(folder: Path, *, count: int, size: int) -> list[Path]:
    """Fill files with bytes of which no two MiB are the same."""
    noise = bytearray(os.urandom(max(size, MIB)))
    paths = [folder / f"{number // 500:03}" / f"{number:06}.dat" for number in range(count)]
    for number, path in enumerate(paths):
        path.parent.mkdir(exist_ok=True)
        noise[:8] = number.to_bytes(8, "little")
        shift = number * 7919 % MIB
        path.write_bytes((noise[shift:] + noise[:shift])[:size])
    return paths


def _ours(folder: Path) -> None:
    ingest(open_tree(folder), workers=CORES, checkpoint=lambda _: None)


def _on(threads: int, loop: Callable[[list[str]], None], names: list[str]) -> None:
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(loop, (names[start::threads] for start in range(threads))))


def _small(names: list[str]) -> None:
    for name in names:
        descriptor = os.open(name, os.O_RDONLY)
        data = os.read(descriptor, MIN_CHUNK)
        os.close(descriptor)
        zlib.crc32(data)
        blake3(data).digest()


def _large(names: list[str]) -> None:
    view = memoryview(bytearray(BUFFER))
    for name in names:
        descriptor = os.open(name, os.O_RDONLY)
        held = 0
        while count := os.readv(descriptor, [view[held:]]):
            zlib.crc32(view[held : held + count])
            held = _cut(view, held + count, last=False)
        _cut(view, held, last=True)
        os.close(descriptor)


def _cut(view: memoryview, held: int, *, last: bool) -> int:
    done = 0
    for chunk in FastCDC(AVERAGE_CHUNK, min_size=MIN_CHUNK, max_size=MAX_CHUNK).cut_buf(view[:held]):
        if not last and done + chunk.length == held and chunk.length < MAX_CHUNK:
            break
        blake3(chunk.data).digest()
        done += chunk.length
    view[: held - done] = view[done:held]
    return held - done


def _seconds(run: Callable[[], None]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    for row in measure(Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.gettempdir())):
        print(row, flush=True)
