"""The sizes of patches, of the quick set and of those that replace it, next to those of other tools.

The tools compare file by file, each changed file with the one that the service compares it with: `bsdiff`, and `zstd`
at level 19 with `--patch-from`.
"""

import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time

import zstandard

from bench.pairs import COMPARED, installation, patched, unpacked
from bench.table import Row
from playdock.content.counterparts import Counterparts
from playdock.content.patches import Effort, compress, compress_difference
from playdock_client.differences import apply_difference

_MEGA = 1e6
_ROUNDS = 10
_NOTHING = Path("/dev/null")
_STAGES = (
    ("quick", Effort.QUICK, False),
    ("right after that, with differences", Effort.QUICK, True),
    ("on an idle machine", Effort.HIGH, True),
)


def measure() -> Iterator[Row]:
    """Compare the sizes of patches with those of other tools.

    Raises:
        PairsMissing: a release cannot be downloaded.
    """
    for pair in COMPARED:
        old, new = unpacked(pair.old), unpacked(pair.new)
        by_bsdiff, by_zstd = _by_other_tools(old, new)
        for what, effort, differences in _STAGES:
            made = patched(old, new, effort, differences=differences)
            yield Row(
                f"patches {pair.title}, {what}",
                f"{made.segments / _MEGA:.1f} MB, made at {made.plain / _MEGA / made.seconds:.1f} MB/s of one core",
                f"bsdiff: {by_bsdiff / _MEGA:.1f} MB; zstd -19 --patch-from: {by_zstd / _MEGA:.1f} MB",
                f"{made.segments / by_bsdiff:.2f}",
                "at most 1.0",
            )
    yield from _speeds_of_applying()


def _by_other_tools(old: Path, new: Path) -> tuple[int, int]:
    """Return the sizes of the differences of all changed files by bsdiff and by zstd."""
    older, newer = installation(old), installation(new)
    counterparts, unchanged = Counterparts(older, newer), {file.record.hash for file in older.files}
    by_bsdiff = by_zstd = 0
    for file in newer.files:
        if file.record.hash in unchanged or not file.record.size:
            continue
        found = counterparts.find(file)
        before, after = old / found.record.path if found else _NOTHING, new / file.record.path
        with tempfile.TemporaryDirectory(prefix="playdock-bench-") as folder:
            made = Path(folder, "difference")
            by_bsdiff += _size_of(["bsdiff", before, after, made], made)
            by_zstd += _size_of(
                ["zstd", "-q", "-f", "-19", "--long=27", f"--patch-from={before}", after, "-o", made], made
            )
    return by_bsdiff, by_zstd


def _size_of(command: list[str | Path], made: Path) -> int:
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    return made.stat().st_size


def _speeds_of_applying() -> Iterator[Row]:
    """Measure both ways to apply the first segment of a program, as the client does it."""
    pair = COMPARED[0]
    before, after = (
        b"".join(path.read_bytes() for path in sorted(unpacked(each).glob("kivy/graphics/*.so")))[: 8 * 1024 * 1024]
        for each in (pair.old, pair.new)
    )
    frame = compress(after, before, Effort.HIGH)
    yield _speed("decompressing a segment of programs", after, lambda: _decompressed(frame, before))
    difference = compress_difference(after, before, Effort.HIGH)
    yield _speed(
        "decompressing and applying a difference of programs",
        after,
        lambda: apply_difference(_decompressed(difference), before, size=len(after)),
    )


def _speed(what: str, expected: bytes, apply: Callable[[], bytes]) -> Row:
    started = process_time()
    for _ in range(_ROUNDS):
        if apply() != expected:
            raise AssertionError(what)
    speed = _ROUNDS * len(expected) / _MEGA / (process_time() - started)
    return Row(what, f"{speed:.0f} MB/s of one core", "", "", "at least 150 MB/s")


def _decompressed(frame: bytes, dictionary: bytes = b"") -> bytes:
    prefix = zstandard.ZstdCompressionDict(dictionary, dict_type=zstandard.DICT_TYPE_RAWCONTENT) if dictionary else None
    return zstandard.ZstdDecompressor(dict_data=prefix, max_window_size=2**28).decompress(frame)
