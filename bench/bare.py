"""The baseline of imports: reading, cutting and hashing files with the same libraries, and nothing else."""

import os
import time
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from blake3 import blake3
from pyfastcdc import FastCDC

from playdock.content.chunks import AVERAGE_CHUNK, MAX_CHUNK, MIN_CHUNK

MIB = 1024 * 1024
BUFFER = 2 * MIB
CORES = os.cpu_count() or 1


def bare_loop(paths: list[Path], *, threads: int = CORES) -> None:
    """Read and hash files with a number of threads."""
    names = [str(path) for path in paths]
    _on(threads, _small if paths[0].stat().st_size <= MIN_CHUNK else _large, names)


def make_files(folder: Path, *, count: int, size: int) -> list[Path]:
    """Write files without repeated content."""
    paths = [folder / f"{number // 500:03}" / f"{number:06}.dat" for number in range(count)]
    for number, path in enumerate(paths):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(noise(number, size=size))
    return paths


def noise(number: int, *, size: int) -> bytes:
    """Return bytes that share nothing with those of another number."""
    return blake3(number.to_bytes(8, "little")).digest(size)


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


def seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start
