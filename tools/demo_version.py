"""One version of a demo game: Debian packages merged into one tree that Playdock would import.

Names that it would refuse are dropped. Links stay in the version: one that leaves it is replaced by what it leads to,
or dropped where that is in none of the packages.
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

from playdock.content.names import folded, refusal

LONGEST_LINK_CHAIN = 40
COMPRESSED_ALREADY = frozenset({".flac", ".gz", ".jpg", ".mp3", ".ogg", ".opus", ".png", ".webp", ".xz", ".zip"})


class BuildError(Exception):
    """A sentence for the person at the terminal: what is wrong and what to do."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A path that the version lost, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class LinkEnd:
    """The path where a link ends, and whether it never left the version on its way there."""

    path: str
    stayed: bool


def run(*command: str | Path, folder: Path | None = None) -> str:
    """What a program prints. Raises BuildError with its complaint where it fails."""
    environment = os.environ | {"LC_ALL": "C"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, errors="replace", check=False
    )
    if done.returncode:
        complaint = done.stderr.strip().splitlines() or [f"it ended with status {done.returncode}"]
        raise BuildError(f"{' '.join(map(str, command))} failed: {complaint[-1]}")
    return done.stdout


def refused_names(names: Iterable[str]) -> dict[str, str]:
    """The names of one folder that have to go, each with the reason. Of two that differ by case the first stays."""
    refused: dict[str, str] = {}
    taken: dict[str, str] = {}
    for name in sorted(names):
        # As a part of a path: a letter with a colon is a drive only in front of one.
        if reason := refusal(f"folder/{name}"):
            refused[name] = reason
        elif (first := taken.setdefault(folded(name), name)) != name:
            refused[name] = f"differs only by case from {first!r}"
    return refused


def link_end(path: str, *, links: Mapping[str, str]) -> LinkEnd | None:
    """Follow a link with the version's folder as the root of everything; None where it goes round in circles."""
    ahead, here, followed, stayed = path.split("/")[::-1], list[str](), 0, True
    while ahead:
        step = ahead.pop()
        target = links.get("/".join((*here, step)))
        if step == "..":
            stayed, here = stayed and bool(here), here[:-1]
        elif target is not None:
            followed += 1
            if followed > LONGEST_LINK_CHAIN:
                return None
            if target.startswith("/"):
                stayed, here = False, []
            ahead.extend(target.split("/")[::-1])
        elif step not in ("", "."):
            here.append(step)
    return LinkEnd("/".join(here), stayed)


def settled_end(path: str, *, links: Mapping[str, str], members: Collection[str]) -> LinkEnd | None:
    """Where a link ends in the version, None where it has to go. Members are the paths of all files and folders."""
    end = link_end(path, links=links)
    return end if end and end.path in members else None


def drop_names(tree: Path) -> list[Dropped]:
    """Remove what Playdock would refuse for its name, with all that is below it."""
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
    """Make every link stay: one that leaves becomes the file, or a relative link to the folder, that it leads to."""
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
    """Every file, folder and link with its Unix mode; what is compressed already is stored."""
    with ZipFile(archive, "w", strict_timestamps=False) as whole:
        for path in sorted(tree.rglob("*")):
            add_to_zip(whole, path, name=str(path.relative_to(tree)))


def add_to_zip(archive: ZipFile, path: Path, *, name: str) -> None:
    status = path.lstat()
    if not stat.S_ISLNK(status.st_mode):
        method = ZIP_STORED if path.suffix.lower() in COMPRESSED_ALREADY else ZIP_DEFLATED
        archive.write(path, name, compress_type=method)
        return
    # zipfile would follow a link. Info-ZIP keeps it: the mode in the attributes' upper half, the target as contents.
    link = ZipInfo(name, date_time=time.localtime(status.st_mtime)[:6])
    link.create_system = 3
    link.external_attr = status.st_mode << 16
    archive.writestr(link, os.fsencode(path.readlink()))


def build_version(debs: Sequence[Path], *, place: Path, workshop: Path) -> list[Dropped]:
    """Merge packages into one version at `place`, as an archive if that ends with `.zip`; answers what was dropped.

    `workshop` is an empty folder on the same file system. Raises BuildError where a package cannot be unpacked; nothing
    is at `place` then.
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
    """The size of a version on disk and the number of its files, for a person to read."""
    if place.suffix == ".zip":
        with ZipFile(place) as archive:
            count, size = sum(not member.is_dir() for member in archive.infolist()), place.stat().st_size
    else:
        sizes = [Path(folder, name).lstat().st_size for folder, _, names in os.walk(place) for name in names]
        count, size = len(sizes), sum(sizes)
    return f"{size / 1e6:,.1f} MB, {count:,} files"
