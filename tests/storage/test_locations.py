"""Opening versions: what leaves the library is not opened, not even if it is exchanged at the last moment."""

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from audit import told_of
from open_files import open_below
from playdock.storage.backends import Filesystem, GameUnreadable
from playdock.storage.entries import Tree
from playdock.storage.folder_tree import FolderTree
from playdock.storage.locations import VersionLocation
from playdock.storage.small_files import ReadingProcess
from playdock.storage.trees import open_tree

INSIDE, OUTSIDE = b"a game", b"secret"


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A library with the version of a game, as a folder and as an archive, next to a folder with other bytes."""
    for place, content in (("games", INSIDE), ("private", OUTSIDE)):
        version = tmp_path / place / "Doom/1.0"
        (version / "data").mkdir(parents=True)
        (version / "data/doom").write_bytes(content)
        shutil.make_archive(str(version), "zip", version)
    return tmp_path / "games"


def bytes_of(tree: Tree) -> set[bytes]:
    with tree.reader() as reader:
        return {reader.read(entry) for entry in tree.entries()}


def exchange(path: Path, target: str | Path) -> None:
    """Replace what is at a path with a link."""
    path.rename(path.with_name("before"))
    path.symlink_to(target)


@contextmanager
def exchanged_at(moment: str, change: Callable[[], None]) -> Iterator[None]:
    """Make a change just before the first file or folder of this name is opened."""
    changed = False

    def receive_request(opened: object) -> None:
        nonlocal changed
        if not changed and str(opened).rpartition("/")[2] == moment:
            changed = True
            change()

    with told_of("open", receive_request):
        yield
    assert changed


def outside_of(base: Path, name: str, *, absolute: bool) -> str | Path:
    outside = base.parent / "private" / name
    return outside if absolute else os.path.relpath(outside, (base / name).parent)


@pytest.mark.parametrize("absolute", [True, False])
@pytest.mark.parametrize("version", ["1.0", "1.0.zip"])
@pytest.mark.parametrize(
    ("replaced", "moment", "is_opened"),
    [
        ("Doom", "games", False),
        ("Doom", "Doom", False),
        ("Doom", "{version}", True),
        ("Doom/{version}", "games", False),
        ("Doom/{version}", "Doom", False),
        ("Doom/{version}", "{version}", False),
    ],
)
def test_a_folder_that_becomes_a_link_while_it_is_opened_is_not_followed(
    base: Path, version: str, replaced: str, moment: str, *, is_opened: bool, absolute: bool
) -> None:
    replaced = replaced.format(version=version)
    location, target = VersionLocation(base, f"Doom/{version}"), outside_of(base, replaced, absolute=absolute)
    before = location.path.stat()

    with exchanged_at(moment.format(version=version), lambda: exchange(base / replaced, target)):
        if is_opened:
            descriptor = location.open()
            assert os.path.samestat(os.fstat(descriptor), before)
            os.close(descriptor)
        else:
            with pytest.raises(FileNotFoundError):
                location.open()


@pytest.mark.parametrize("version", ["1.0", "1.0.zip"])
@pytest.mark.parametrize("replaced", ["Doom", "Doom/{version}"])
def test_a_tree_reads_nothing_else_once_it_is_open(base: Path, version: str, replaced: str) -> None:
    tree = open_tree(VersionLocation(base, f"Doom/{version}"))
    replaced = replaced.format(version=version)
    exchange(base / replaced, outside_of(base, replaced, absolute=True))

    with pytest.raises(FileNotFoundError):
        bytes_of(tree)


def test_a_process_for_small_files_reads_the_folder_that_was_opened(base: Path) -> None:
    tree = FolderTree(VersionLocation(base, "Doom/1.0"))
    entries = list(tree.entries())
    with (
        exchanged_at("games", lambda: exchange(base / "Doom/1.0", base.parent / "private/Doom/1.0")),
        pytest.raises(FileNotFoundError),
    ):
        ReadingProcess(tree)
    (base / "Doom/1.0").unlink()
    (base / "Doom/before").rename(base / "Doom/1.0")

    with ReadingProcess(tree) as process:
        exchange(base / "Doom/1.0", base.parent / "private/Doom/1.0")
        records = process.read(entries)

    assert records is not None
    assert [record.size for record in records] == [len(INSIDE)]


def test_a_listing_names_nothing_outside_of_the_library(base: Path) -> None:
    with (
        exchanged_at("Doom", lambda: exchange(base / "Doom", base.parent / "private/Doom")),
        pytest.raises(GameUnreadable, match="no such folder"),
    ):
        Filesystem(base).versions_of_listed("Doom")


LINKS: dict[str, Callable[[Path], Path]] = {
    "relative": lambda base: Path("../store/1.0"),
    "absolute": lambda base: base / "store/1.0",
    "of links": lambda base: Path("../other"),
    "around": lambda base: Path("../../games/store/1.0"),
}


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("suffix", ["", ".zip"])
def test_a_version_may_be_a_link_inside_its_library(base: Path, link: str, suffix: str) -> None:
    (base / "Doom").rename(base / "store")
    (base / "Doom").mkdir()
    (base / f"other{suffix}").symlink_to(f"store/1.0{suffix}")
    target = LINKS[link](base)
    (base / f"Doom/linked{suffix}").symlink_to(target.with_name(target.name + suffix))
    (base / "Ultimate Doom").symlink_to("Doom")

    assert bytes_of(open_tree(VersionLocation(base, f"Doom/linked{suffix}"))) == {INSIDE}
    assert bytes_of(Filesystem(base).open("Ultimate Doom", f"linked{suffix}")) == {INSIDE}
    assert VersionLocation(base, f"Ultimate Doom/linked{suffix}").resolved_name() == f"store/1.0{suffix}"


def test_a_library_may_be_reached_by_a_link(base: Path) -> None:
    (base.parent / "link").symlink_to("games")

    assert bytes_of(Filesystem(base.parent / "link").open("Doom", "1.0")) == {INSIDE}


@pytest.mark.parametrize("target", ["../../private/Doom/1.0", "/etc", "linked", "nowhere", "../../games-too"])
def test_a_link_that_leaves_the_library_is_missing(base: Path, target: str) -> None:
    (base.parent / "games-too").mkdir()
    (base / "Doom/linked").symlink_to(target)

    with pytest.raises(FileNotFoundError):
        open_tree(VersionLocation(base, "Doom/linked"))


def test_a_link_that_is_exchanged_after_it_was_resolved_is_not_followed(base: Path) -> None:
    (base / "Doom").rename(base / "store")
    (base / "Doom").mkdir()
    (base / "Doom/linked").symlink_to("../store/1.0")

    with (
        exchanged_at("store", lambda: exchange(base / "store", base.parent / "private/Doom")),
        pytest.raises(FileNotFoundError),
    ):
        open_tree(VersionLocation(base, "Doom/linked"))


def test_a_link_that_becomes_a_folder_before_it_is_read_is_missing(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (base / "Doom/linked").symlink_to("1.0")

    def read(*_: object, **_options: object) -> str:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    monkeypatch.setattr(os, "readlink", read)
    with pytest.raises(FileNotFoundError):
        VersionLocation(base, "Doom/linked").open()


def test_nothing_is_left_open(base: Path) -> None:
    (base / "Doom/out").symlink_to("/etc")

    for name in ("Doom/1.0", "Doom/1.0.zip"):
        bytes_of(open_tree(VersionLocation(base, name)))
    for name in ("Doom/out", "Doom/missing", "missing/1.0", "Doom/1.0.zip/inside"):
        with pytest.raises((FileNotFoundError, NotADirectoryError)):
            open_tree(VersionLocation(base, name))

    assert open_below(base) == []
