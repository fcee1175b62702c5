"""Archives of many members: listing next to `bsdtar -t`, importing next to `bsdtar -x` and the bare loop."""

import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from bench.bare import CORES, MIB, bare_loop, make_files, seconds
from bench.library import add_library, import_game, start_import, wait_for
from bench.servers import service
from bench.table import Row
from playdock.kit.clock import utc_now
from playdock.storage.locations import VersionLocation
from playdock.storage.trees import open_tree

_ROUNDS = 5
_MEMBERS, _MEMBER_BYTES = 50_000, 4096
# As large as the machine has time for: the time that an import takes besides reading counts for small games only.
_GAME_FILES, _GAME_BYTES = 256, 2048 * MIB
_PACKERS = {
    "zip": ("7z", "a", "-bd", "-y", "-tzip", "-mx=1"),
    "7z": ("7z", "a", "-bd", "-y", "-mx=1"),
    "tar.zst": ("tar", "--auto-compress", "-cf"),
    "iso": ("xorriso", "-as", "mkisofs", "-quiet", "-R", "-J", "-o"),
}


def measure() -> Iterator[Row]:
    if missing := [name for name in ("bsdtar", "7z", "xorriso") if shutil.which(name) is None]:
        print(f"Archives are not measured, for want of {' and '.join(missing)}.")
        return
    with tempfile.TemporaryDirectory(prefix="playdock-bench-") as folder:
        yield from _listing(Path(folder))
    with tempfile.TemporaryDirectory(prefix="playdock-bench-") as folder:
        yield from _importing(Path(folder))


def _listing(folder: Path) -> Iterator[Row]:
    make_files(folder / "game", count=_MEMBERS, size=_MEMBER_BYTES)
    for suffix in _PACKERS:
        archive = _packed(folder / "game", folder / f"1.0.{suffix}")
        # Alternating, so that both have the same load beside them. The location has no cache of lists.
        pairs = [
            (seconds(partial(_run, "bsdtar", "-tf", str(archive))), seconds(partial(_list, archive)))
            for _ in range(_ROUNDS)
        ]
        theirs, ours = (statistics.median(times) for times in zip(*pairs, strict=True))
        size = archive.stat().st_size / 1e6
        yield Row(
            f"listing {_MEMBERS:,} members of a .{suffix} of {size:,.0f} MB",
            f"{ours:.2f} s",
            f"`bsdtar -tf`: {theirs:.2f} s",
            f"{ours / theirs:.2f}",
            "at most 2",
        )


def _importing(folder: Path) -> Iterator[Row]:
    paths = make_files(folder / "game", count=_GAME_FILES, size=_GAME_BYTES // _GAME_FILES)
    with service(folder) as served, served.client() as client:
        archive = _packed(folder / "game", folder / "games" / "round 0" / "1.0.7z")
        library = add_library(client, folder / "games")
        bare, ours = [], []
        for number in range(_ROUNDS):
            unpacked = folder / f"unpacked {number}"
            bare.append(seconds(partial(_unpack_and_read, archive, unpacked, len(paths))))
            shutil.rmtree(unpacked)
            # Another folder is another game, and an archive that is not in the cache.
            archive.parent.rename(folder / "games" / f"round {number + 1}")
            archive = folder / "games" / f"round {number + 1}" / archive.name
            game = import_game(client, library, archive.parent.name)
            called = utc_now()
            task = start_import(client, game, archive.name, launch="000/000000.dat")
            ours.append((wait_for(client, task) - called).total_seconds())
    theirs, taken = statistics.median(bare), statistics.median(ours)
    yield Row(
        f"importing a .7z of {_GAME_BYTES // MIB} MiB in {_GAME_FILES} files",
        f"{taken:.2f} s",
        f"`bsdtar -x` and the bare loop: {theirs:.2f} s",
        f"{taken / theirs:.2f}",
        "at most 1.3",
    )


def _packed(folder: Path, archive: Path) -> Path:
    archive.parent.mkdir(parents=True, exist_ok=True)
    suffix = next(suffix for suffix in _PACKERS if archive.name.endswith(f".{suffix}"))
    _run(*_PACKERS[suffix], str(archive), ".", folder=folder)
    return archive


def _list(archive: Path) -> None:
    assert len(list(open_tree(VersionLocation(archive.parent, archive.name)).names())) == _MEMBERS


def _unpack_and_read(archive: Path, target: Path, count: int) -> None:
    target.mkdir()
    _run("bsdtar", "-xf", str(archive), folder=target)
    paths = sorted(path for path in target.rglob("*") if path.is_file())
    assert len(paths) == count
    bare_loop(paths, threads=CORES)


def _run(*command: str, folder: Path | None = None) -> None:
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
