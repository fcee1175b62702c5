"""Consecutive releases of real software, and the size of an update from one to the next.

The releases are downloaded once from their public registries with pip and npm into `.cache/pairs`. The baseline is a
comparison by blocks: the blocks of 1 MiB of the newer files that do not occur in the older ones, uncompressed. `whole`
is the newer release. `patches` is what a client with the older release downloads: the segments, and their list and the
manifest, both compressed.
"""

import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from statistics import median
from time import process_time

import msgspec
import zstandard

from bench.table import Row
from playdock.content.bodies import Span
from playdock.content.layers import Installation, merge
from playdock.content.manifest import manifest
from playdock.content.patches import Effort, Segment, compress, compress_difference, is_worthwhile, plan_patches
from playdock.content.programs import HEAD_SIZE, is_machine_code
from playdock.storage.folder_tree import FolderTree
from playdock.storage.ingest import ingest
from playdock.storage.locations import VersionLocation

CACHE = Path(__file__).parents[1] / ".cache" / "pairs"
_BLOCK = 1024 * 1024
_MEGA = 1e6
_EXPECTED_EACH = 0.3
_EXPECTED_MEDIAN = 0.2
_ID = "3f1f0c52-8b0e-4c39-9b54-6a2f6e0c1d77"
_PLATFORMS = ("manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64", "manylinux1_x86_64")


class PairsMissing(Exception):
    """A release cannot be downloaded; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Release:
    """A release of a package, on npm's registry or PyPI."""

    package: str
    version: str
    npm: bool = False

    @property
    def title(self) -> str:
        return f"{self.package}-{self.version}"

    def archive(self, folder: Path) -> Path | None:
        """Return the archive of a release, if it exists. pip and npm use different names and suffixes."""
        start, end = (f"{self.title}.tgz", ".tgz") if self.npm else (f"{self.title}-", ".whl")
        names = (path for path in folder.glob("*") if path.name.lower().startswith(start.lower()))
        return next((path for path in names if path.suffix == end), None)

    def command(self, folder: Path) -> list[str]:
        if self.npm:
            return ["npm", "pack", f"{self.package}@{self.version}", "--pack-destination", str(folder)]
        platforms = [f"--platform={platform}" for platform in _PLATFORMS]
        pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--python-version=3.11"]
        return [*pip, *platforms, "--dest", str(folder), f"{self.package}=={self.version}"]


@dataclass(frozen=True, slots=True)
class VersionPair:
    """A release and its successor."""

    old: Release
    new: Release

    @property
    def title(self) -> str:
        return f"{self.new.package} {self.old.version} → {self.new.version}"


def _pair(package: str, old: str, new: str, *, npm: bool = False) -> VersionPair:
    return VersionPair(Release(package, old, npm), Release(package, new, npm))


PAIRS = (
    _pair("PySide6_Essentials", "6.8.1", "6.8.2"),
    _pair("PySide6_Essentials", "6.8.2", "6.9.0"),
    _pair("pygame_ce", "2.5.2", "2.5.3"),
    _pair("panda3d", "1.10.14", "1.10.15"),
    _pair("playwright", "1.48.0", "1.49.0"),
    _pair("phaser", "3.85.2", "3.86.0", npm=True),
    _pair("pokemon-showdown", "0.11.9", "0.11.10", npm=True),
)


# Pairs that patches are compared on with other tools.
COMPARED = (
    _pair("kivy", "2.3.0", "2.3.1"),
    _pair("opencv_python_headless", "4.10.0.84", "4.11.0.86"),
    _pair("babylonjs", "7.30.0", "7.31.0", npm=True),
)


def unpacked(release: Release, *, cache: Path = CACHE) -> Path:
    """Return the folder of a release, downloaded and unpacked if necessary.

    Raises:
        PairsMissing: it cannot be downloaded.
    """
    folder = cache / "unpacked" / release.title
    if not folder.is_dir():
        part = folder.with_name(f"{folder.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        _unpack(release.archive(cache) or _fetched(release, cache), part)
        part.rename(folder)
    return folder


def blocks_to_fetch(old: Path, new: Path) -> int:
    """Return the size of the blocks of a newer folder that are not in the older one."""
    there = {digest for digest, _ in _blocks(old)}
    return sum({digest: length for digest, length in _blocks(new) if digest not in there}.values())


def whole(folder: Path) -> int:
    """Return the size of all files of a folder."""
    return sum(file.stat().st_size for file in _files(folder))


@dataclass(frozen=True, slots=True)
class Patched:
    """The bytes downloaded by an update with patches, and the processor time and input size for creating them."""

    segments: int
    listing: int
    manifest: int
    left: int
    plain: int
    seconds: float

    @property
    def fetched(self) -> int:
        return self.segments + self.listing + self.manifest + self.left


def patched(old: Path, new: Path, effort: Effort = Effort.QUICK, *, differences: bool = False) -> Patched:
    """Create the patches between two folders like the service does. Omitted chunks count uncompressed.

    Without ``differences``, as right after an import.
    """
    older, newer = installation(old), installation(new)
    started = process_time()
    packed = left = plain = 0
    listed: list[tuple[int, int, list[_Listed], list[_Listed]]] = []
    for planned in plan_patches(older, newer):
        segment, length = _smaller(planned, old, new, effort, differences=differences)
        plain += segment.plain
        if is_worthwhile(length, segment.plain):
            listed.append((packed, length, *_listed(segment)))
            packed += length
        else:
            left += segment.plain
    seconds = process_time() - started
    told = b"".join(manifest(newer, game=_ID, version=_ID, images=[_ID]))
    return Patched(packed, _compressed(msgspec.json.encode(listed)), _compressed(told), left, plain, seconds)


def _smaller(segment: Segment, old: Path, new: Path, effort: Effort, *, differences: bool) -> tuple[Segment, int]:
    """Return the segment or its difference, as the service would make it, and the size of its frame."""
    plain = _joined(new, segment.new)
    length = len(compress(plain, _joined(old, segment.old), effort))
    largest = max(segment.new, key=lambda span: span.length)
    head = _read(new / largest.file.path, largest._replace(offset=0, length=HEAD_SIZE))
    if not differences or not segment.old or not is_machine_code(head):
        return segment, length
    difference = segment.as_difference()
    other = len(compress_difference(plain, _joined(old, difference.old), effort))
    return (difference, other) if other < length else (segment, length)


def measure() -> Iterator[Row]:
    """Compare the download sizes with patches and with blocks.

    Raises:
        PairsMissing: a release cannot be downloaded.
    """
    ratios = []
    for pair in PAIRS:
        old, new = unpacked(pair.old), unpacked(pair.new)
        by_blocks, by_patches = blocks_to_fetch(old, new), patched(old, new)
        ratios.append(by_patches.fetched / by_blocks)
        speed = f"made at {by_patches.plain / _MEGA / by_patches.seconds:.0f} MB a second of one core"
        yield Row(
            f"update {pair.title} ({whole(new) / _MEGA:.0f} MB), patches ready",
            f"{by_patches.fetched / _MEGA:.1f} MB, {speed}",
            f"1 MiB blocks: {by_blocks / _MEGA:.1f} MB",
            f"{ratios[-1]:.3f}",
            f"≤ {_EXPECTED_EACH}",
        )
    yield Row("update, patches ready, median of the pairs", "", "", f"{median(ratios):.3f}", f"≤ {_EXPECTED_MEDIAN}")


_Listed = tuple[str, int, int]


def _fetched(release: Release, cache: Path) -> Path:
    cache.mkdir(parents=True, exist_ok=True)
    try:
        run = subprocess.run(release.command(cache), capture_output=True, text=True, check=False)
        told = run.stderr.strip().rpartition("\n")[2]
    except FileNotFoundError as absent:
        told = f"There is no {absent.filename}."
    found = release.archive(cache)
    if found is None:
        advice = f"Put its archive into {cache.name} below .cache, or run this where its registry can be reached."
        raise PairsMissing(f"{release.title} could not be fetched: {told} {advice}")
    return found


def _unpack(archive: Path, folder: Path) -> None:
    folder.mkdir(parents=True)
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            wheel.extractall(folder)
        return
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")


def _files(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()]


def _blocks(folder: Path) -> Iterator[tuple[bytes, int]]:
    for path in _files(folder):
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                yield blake2b(block, digest_size=32).digest(), len(block)


def installation(folder: Path) -> Installation:
    """Return the files and chunks of a folder."""
    return merge([ingest(FolderTree(VersionLocation(folder, "")), workers=2, checkpoint=lambda _: None)])


def _joined(folder: Path, spans: tuple[Span, ...]) -> bytes:
    return b"".join(_read(folder / span.file.path, span) for span in spans)


def _read(path: Path, span: Span) -> bytes:
    with path.open("rb") as file:
        file.seek(span.offset)
        return file.read(span.length)


def _listed(segment: Segment) -> tuple[list[_Listed], list[_Listed]]:
    old, new = ([(span.file.path, span.offset, span.length) for span in side] for side in (segment.old, segment.new))
    return old, new


def _compressed(data: bytes) -> int:
    return len(zstandard.compress(data, 1))
