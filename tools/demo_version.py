"""One version of a demo game: Debian packages merged into one tree that Playdock would import.

Names that it would refuse are dropped. A link that leaves the version is replaced by its target, or dropped if the
target is in none of the packages.
"""

import os
import shutil
import stat
import subprocess
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from playdock.content.names import normalized_name, unsafe_reason

MAX_LINK_CHAIN = 40
COMPRESSED_ALREADY = frozenset({".flac", ".gz", ".jpg", ".mp3", ".ogg", ".opus", ".png", ".webp", ".xz", ".zip"})


class BuildError(Exception):
    """A failure; the message says what is wrong and what to do."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A dropped path, and the reason."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class LinkEnd:
    """The target of a link, and whether it was reached without leaving the version."""

    path: str
    stayed: bool


def run(*command: str | Path, folder: Path | None = None) -> str:
    """Return the output of a program. Raises BuildError with its error output if it fails."""
    environment = os.environ | {"LC_ALL": "C"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, errors="replace", check=False
    )
    if done.returncode:
        message = done.stderr.strip().splitlines() or [f"it ended with status {done.returncode}"]
        raise BuildError(f"{' '.join(map(str, command))} failed: {message[-1]}")
    return done.stdout


def refused_names(names: Iterable[str]) -> dict[str, str]:
    """Return the names to drop, each with the reason. Of two that differ only by case, the first is kept."""
    refused: dict[str, str] = {}
    taken: dict[str, str] = {}
    for name in sorted(names):
        # Within a path: a letter with a colon is a drive only at the beginning.
        if reason := unsafe_reason(f"folder/{name}"):
            refused[name] = reason
        elif (first := taken.setdefault(normalized_name(name), name)) != name:
            refused[name] = f"differs only by case from {first!r}"
    return refused


def link_end(path: str, *, links: Mapping[str, str]) -> LinkEnd | None:
    """Resolve a link with the version's folder as the root directory. Return None if it is circular."""
    ahead, here, followed, stayed = path.split("/")[::-1], list[str](), 0, True
    while ahead:
        step = ahead.pop()
        target = links.get("/".join((*here, step)))
        if step == "..":
            stayed, here = stayed and bool(here), here[:-1]
        elif target is not None:
            followed += 1
            if followed > MAX_LINK_CHAIN:
                return None
            if target.startswith("/"):
                stayed, here = False, []
            ahead.extend(target.split("/")[::-1])
        elif step not in ("", "."):
            here.append(step)
    return LinkEnd("/".join(here), stayed)


def settled_end(path: str, *, links: Mapping[str, str], members: Collection[str]) -> LinkEnd | None:
    """Return a link's target in the version, or None to drop it. Members are the paths of all files and folders."""
    end = link_end(path, links=links)
    return end if end and end.path in members else None


def drop_names(tree: Path) -> list[Dropped]:
    """Remove names that Playdock would refuse, with everything below them."""
    dropped: list[Dropped] = []
    for place, folders, files in os.walk(tree):
        for name, reason in refused_names([*folders, *files]).items():
            unwanted = Path(place, name)
            dropped.append(Dropped(str(unwanted.relative_to(tree)), reason))
            if unwanted.is_dir() and not unwanted.is_symlink():
                shutil.rmtree(unwanted)
            else:
                unwanted.unlink()
    return dropped


def settle_links(tree: Path) -> list[Dropped]:
    """Replace links that leave the version by the file, or by a relative link to the folder, that they point to."""
    paths = {str(path.relative_to(tree)): path for path in tree.rglob("*")}
    links = {name: str(path.readlink()) for name, path in paths.items() if path.is_symlink()}
    dropped: list[Dropped] = []
    for name in sorted(links):
        end = settled_end(name, links=links, members=paths.keys() - links.keys())
        if end is None:
            paths[name].unlink()
            dropped.append(Dropped(name, "a link to what these packages do not hold"))
        elif not end.stayed:
            replace_link(paths[name], by=tree / end.path)
    return dropped


def replace_link(link: Path, *, by: Path) -> None:
    link.unlink()
    if by.is_dir():
        link.symlink_to(os.path.relpath(by, link.parent))
    else:
        shutil.copy2(by, link)


def zip_tree(tree: Path, *, archive: Path) -> None:
    """Write all files, folders and links with their Unix modes. Compressed files are stored."""
    with ZipFile(archive, "w", strict_timestamps=False) as whole:
        for path in sorted(tree.rglob("*")):
            add_to_zip(whole, path, name=str(path.relative_to(tree)))


def add_to_zip(archive: ZipFile, path: Path, *, name: str) -> None:
    status = path.lstat()
    if not stat.S_ISLNK(status.st_mode):
        method = ZIP_STORED if path.suffix.lower() in COMPRESSED_ALREADY else ZIP_DEFLATED
        archive.write(path, name, compress_type=method)
        return
    # zipfile would follow a link. Info-ZIP stores the mode in the upper half of the attributes, the target as content.
    link = ZipInfo(name, date_time=time.localtime(status.st_mtime)[:6])
    link.create_system = 3
    link.external_attr = status.st_mode << 16
    archive.writestr(link, os.fsencode(path.readlink()))


def build_version(debs: Sequence[Path], *, place: Path, workshop: Path) -> list[Dropped]:
    """Merge packages into one version at `place`, as an archive if that ends with `.zip`. Return what was dropped.

    `workshop` is an empty folder on the same file system. Raises BuildError if a package cannot be unpacked; then
    nothing is created at `place`.
    """
    built = workshop / "version"
    built.mkdir()
    for deb in debs:
        run("dpkg-deb", "--extract", deb, built)
    dropped = drop_names(built) + settle_links(built)
    if place.suffix == ".zip":
        archive = workshop / "version.zip"
        zip_tree(built, archive=archive)
        built = archive
    place.parent.mkdir(exist_ok=True)
    built.rename(place)
    return dropped


def weigh(place: Path) -> str:
    """Return the size of a version on disk and the number of its files as text."""
    if place.suffix == ".zip":
        with ZipFile(place) as archive:
            count, size = sum(not member.is_dir() for member in archive.infolist()), place.stat().st_size
    else:
        sizes = [Path(folder, name).lstat().st_size for folder, _, names in os.walk(place) for name in names]
        count, size = len(sizes), sum(sizes)
    return f"{size / 1e6:,.1f} MB, {count:,} files"
