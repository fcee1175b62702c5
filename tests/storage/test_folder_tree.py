"""Versions that are folders: listing, rejected content, and detection of changes."""

import os
import socket
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path

import pytest

from open_files import open_below
from playdock.content.errors import UnusableVersion, VersionChanged
from playdock.storage.entries import TreeEntry
from playdock.storage.folder_tree import FolderTree
from playdock.storage.trees import open_tree

from .versions import FILES, at, without_permissions

BIG = "game.exe"
SMALL = "read me.txt"


def entry(root: Path, path: str) -> TreeEntry:
    return next(entry for entry in FolderTree(at(root)).entries() if entry.path == path)


def read(root: Path, listed: TreeEntry, *, offset: int = 0) -> bytes:
    """Read in pieces, like large files."""
    data, buffer = bytearray(), memoryview(bytearray(100_000))
    with FolderTree(at(root)).reader() as reader, reader.open(listed, offset=offset) as source:
        while count := source.readinto(buffer):
            data += buffer[:count]
    return bytes(data)


def read_whole(root: Path, listed: TreeEntry) -> bytes:
    with FolderTree(at(root)).reader() as reader:
        return reader.read(listed)


def test_entries_are_in_the_order_of_their_paths_at_any_depth(tmp_path: Path) -> None:
    paths = [
        "a",
        "a!",
        "a-b/c",
        "a-b/c-/d",
        "a-b/c.txt",
        "b/a",
        "b0",
        "b-",
        "b/-/x",
        "\u00fc",
        "z/\U0001f600",
        "z/\uffee",
    ]
    for path in paths:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(b"")

    assert [entry.path for entry in FolderTree(at(tmp_path)).entries()] == sorted(paths)


def test_files_and_links_are_listed_by_path(version: Path) -> None:
    entries = open_tree(at(version)).entries()

    assert [entry.path for entry in entries] == sorted([*FILES, "data/link"], key=str.encode)
    assert {entry.path: entry.size for entry in entries if entry.target is None} == {
        path: len(data) for path, data in FILES.items()
    }
    assert {entry.path: entry.target for entry in entries if entry.target} == {"data/link": "../game.exe"}
    assert {entry.path for entry in entries if entry.mode == 0o755} == {"game.exe"}
    assert entry(version, SMALL).mtime_ns == (version / SMALL).stat().st_mtime_ns


def test_special_mode_bits_are_removed(version: Path) -> None:
    (version / BIG).chmod(0o6755)

    assert entry(version, BIG).mode == 0o755


@pytest.mark.parametrize("path", FILES)
def test_every_file_can_be_read_whole_and_in_pieces(version: Path, path: str) -> None:
    listed = entry(version, path)

    assert read(version, listed) == read_whole(version, listed) == FILES[path]
    assert read(version, listed, offset=listed.size // 2) == FILES[path][listed.size // 2 :]


def test_one_reader_reads_from_several_folders(version: Path) -> None:
    listed = [entry for entry in FolderTree(at(version)).entries() if entry.target is None]

    with FolderTree(at(version)).reader() as reader:
        assert [reader.read(entry) for entry in listed + listed[::-1]] == [
            FILES[entry.path] for entry in listed + listed[::-1]
        ]


def test_a_link_to_a_version_is_followed(version: Path, tmp_path: Path) -> None:
    (tmp_path / "latest").symlink_to(version)

    assert open_tree(at(tmp_path / "latest")).entries() == open_tree(at(version)).entries()


def test_all_files_are_closed(version: Path) -> None:
    tree = FolderTree(at(version))
    listed = tree.entries()
    read(version, listed[0])
    list(tree.names())
    tree.head(BIG, length=4)

    assert open_below(version) == []


def fifo(path: Path) -> None:
    os.mkfifo(path)


def listening(path: Path) -> None:
    # The path of a socket has at most about a hundred bytes.
    parent = os.open(path.parent, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(f"/proc/self/fd/{parent}/{path.name}")
    os.close(parent)


def outward(path: Path) -> None:
    path.symlink_to("../../etc")


def absolute(path: Path) -> None:
    path.symlink_to("/etc/passwd")


def undecodable(path: Path) -> None:
    Path(os.fsdecode(os.fsencode(path) + b"\xff")).touch()


def control(path: Path) -> None:
    path.with_name("odd\nname").touch()


def by_case(path: Path) -> None:
    path.with_name("GAME.exe").touch()


@pytest.mark.parametrize(
    ("corrupt", "reason"),
    [
        (fifo, "“odd” is a device, pipe or socket"),
        (listening, "“odd” is a device, pipe or socket"),
        (outward, "“odd” points outside the version"),
        (absolute, "“odd” cannot be used: its target is an absolute path"),
        (undecodable, "is not UTF-8"),
        (control, "control character"),
        (by_case, "differ only by case"),
    ],
)
def test_unsupported_content_is_reported(version: Path, corrupt: Callable[[Path], None], reason: str) -> None:
    corrupt(version / "odd")

    with pytest.raises(UnusableVersion, match=reason) as caught:
        FolderTree(at(version)).entries()

    assert str(version) not in str(caught.value)
    assert {BIG, SMALL} <= {listed.path for listed in FolderTree(at(version)).names()}


def test_an_unreadable_file_is_named(readable: Path) -> None:
    (readable / "secret").write_bytes(b"x")
    (readable / "secret").chmod(0)
    listed = entry(readable, "secret")

    with without_permissions(), pytest.raises(UnusableVersion, match="“secret” cannot be read") as caught:
        read_whole(readable, listed)

    assert str(readable) not in str(caught.value)


@pytest.mark.parametrize("mode", [0, 0o444])
def test_an_unreadable_folder_is_named(readable: Path, mode: int) -> None:
    (readable / "inner").mkdir()
    (readable / "inner/file").touch()
    (readable / "inner").chmod(mode)

    with without_permissions(), pytest.raises(UnusableVersion, match="“inner” cannot be read"):
        FolderTree(at(readable)).entries()
    with without_permissions():
        assert list(FolderTree(at(readable)).names()) == []
    (readable / "inner").chmod(0o755)


def test_an_unreadable_version_is_reported(readable: Path) -> None:
    (readable / "1.0").mkdir(mode=0)

    with without_permissions(), pytest.raises(UnusableVersion, match="The version's folder cannot be read"):
        FolderTree(at(readable / "1.0")).entries()


def grow(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"more")


def grow_in_secret(path: Path) -> None:
    time = path.stat().st_mtime_ns
    grow(path)
    os.utime(path, ns=(time, time))


def shrink(path: Path) -> None:
    os.truncate(path, 3)


def touch(path: Path) -> None:
    os.utime(path, ns=(1, 1))


def vanish(path: Path) -> None:
    path.unlink()


def become_a_link(path: Path) -> None:
    path.rename(path.with_name("moved"))
    path.symlink_to("moved")


def become_a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def become_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    "change", [grow, grow_in_secret, shrink, touch, vanish, become_a_link, become_a_pipe, become_a_folder]
)
@pytest.mark.parametrize("reading", [read, read_whole])
def test_a_changed_file_is_detected(
    version: Path, change: Callable[[Path], None], reading: Callable[[Path, TreeEntry], bytes]
) -> None:
    listed = entry(version, SMALL)
    change(version / SMALL)

    with pytest.raises(VersionChanged, match=r"“read me\.txt” changed"):
        reading(version, listed)


def test_a_file_that_grows_while_it_is_read_is_detected(version: Path) -> None:
    listed = entry(version, BIG)
    buffer = memoryview(bytearray(1_000_000))

    with FolderTree(at(version)).reader() as reader, reader.open(listed) as source:
        source.readinto(buffer)
        grow(version / BIG)
        with pytest.raises(VersionChanged):
            deque(iter(lambda: source.readinto(buffer), 0))


def test_a_folder_replaced_by_a_link_is_not_followed(version: Path, tmp_path: Path) -> None:
    listed = entry(version, "data/levels/1.pak")
    (version / "data").rename(tmp_path / "elsewhere")
    (version / "data").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(VersionChanged):
        read_whole(version, listed)
    with pytest.raises(VersionChanged):
        FolderTree(at(version)).head("data/levels/1.pak", length=4)


def test_a_reader_can_be_used_after_a_failure(version: Path) -> None:
    listed = {entry.path: entry for entry in FolderTree(at(version)).entries()}
    (version / "data/levels/1.pak").unlink()
    (version / "data/levels").rmdir()

    with FolderTree(at(version)).reader() as reader:
        reader.read(listed["data/empty"])
        with pytest.raises(VersionChanged):
            reader.read(listed["data/levels/1.pak"])
        assert reader.read(listed[SMALL]) == FILES[SMALL]
        assert reader.read(listed["data/empty"]) == b""


def test_a_missing_library_is_a_disk_error(version: Path) -> None:
    listed = entry(version, SMALL)
    with FolderTree(at(version)).reader() as reader:
        version.rename(version.with_name("unplugged"))
        (version.with_name("unplugged") / SMALL).unlink()
        with pytest.raises(FileNotFoundError):
            reader.read(listed)
    with pytest.raises(FileNotFoundError):
        open_tree(at(version))


def test_the_names_are_listed_with_their_modes(version: Path) -> None:
    assert {listed.path: listed.mode for listed in FolderTree(at(version)).names()} == {
        path: 0o755 if path == BIG else 0o644 for path in FILES
    }


def test_heads_are_read(version: Path) -> None:
    tree = FolderTree(at(version))

    assert tree.head(BIG, length=4) == FILES[BIG][:4]
    assert tree.head("data/empty", length=4) == b""


@pytest.mark.parametrize("path", ["nothing", "data/nothing", "../1.0/game.exe", "/etc/passwd", "data/link", "a\x00b"])
def test_heads_of_other_files_are_not_read(version: Path, path: str) -> None:
    with pytest.raises(VersionChanged):
        FolderTree(at(version)).head(path, length=4)


def test_a_pipe_has_no_head(version: Path) -> None:
    os.mkfifo(version / "pipe")

    with pytest.raises(UnusableVersion, match="“pipe” is a device, pipe or socket"):
        FolderTree(at(version)).head("pipe", length=4)


def test_deeply_nested_folders_are_listed(tmp_path: Path) -> None:
    deep = "/".join(["a"] * 200)
    (tmp_path / deep).mkdir(parents=True)
    (tmp_path / deep / "file").write_bytes(b"x")

    assert read_whole(tmp_path, entry(tmp_path, deep + "/file")) == b"x"


def test_several_threads_can_read_at_the_same_time(version: Path) -> None:
    listed, found = entry(version, BIG), []
    threads = [threading.Thread(target=lambda: found.append(read(version, listed))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert found == [FILES[BIG]] * 4


def test_a_path_that_is_not_a_version_is_reported(tmp_path: Path) -> None:
    (tmp_path / "game.txt").touch()

    with pytest.raises(UnusableVersion, match=r"neither a folder nor an archive"):
        open_tree(at(tmp_path / "game.txt"))
