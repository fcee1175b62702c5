"""Reading small files in a child process has the same result as in this one; failed batches are read here again."""

import os
import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from audit import told_of
from playdock.content.errors import VersionChanged
from playdock.content.records import Checkpoint
from playdock.storage.entries import TreeEntry
from playdock.storage.folder_tree import FolderTree
from playdock.storage.ingest import ingest
from playdock.storage.small_files import ReadingProcess, read_small_files, reading_process
from playdock.storage.trees import open_tree
from waiting import wait_until

from .versions import at

# Enough files that a process is started.
MANY = 8200


def ignore(_: Checkpoint) -> None: ...


def children() -> list[int]:
    """Return the child processes for reading that have not been waited for."""
    pids = list[str]()
    for task in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError):  # the thread has ended
            pids += (task / "children").read_text().split()
    return [int(pid) for pid in pids if "small_files" in Path(f"/proc/{pid}/cmdline").read_text()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A version with many small files of different sizes, and a folder and a file whose names are not ASCII."""
    random, root = Random(5), tmp_path_factory.mktemp("many")
    for number in range(MANY):
        path = root / f"{number // 1000}" / f"{number:05}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(random.randbytes(number % 40))
    (root / "größe").mkdir()
    (root / "größe/ドア").write_bytes(random.randbytes(64 * 1024))
    return root


@pytest.fixture
def process(folder: Path) -> Iterator[ReadingProcess]:
    with ReadingProcess(FolderTree(at(folder))) as process:
        yield process


def test_the_process_returns_the_same_records(folder: Path, process: ReadingProcess) -> None:
    tree = FolderTree(at(folder))
    entries = list(tree.entries())
    batches = [entries[:100], entries[4000:4300], entries[-1:]]

    with tree.reader() as reader:
        assert [process.read(batch) for batch in batches] == [
            list(read_small_files(batch, reader)) for batch in batches
        ]


def test_a_batch_with_a_changed_file_fails_and_the_next_batch_succeeds(tmp_path: Path) -> None:
    (tmp_path / "changed").write_bytes(b"before")
    (tmp_path / "same").write_bytes(b"same")
    changed, same = FolderTree(at(tmp_path)).entries()
    (tmp_path / "changed").write_bytes(b"after!!")

    with ReadingProcess(FolderTree(at(tmp_path))) as process:
        assert process.read([same, changed]) is None
        assert [record.path for record in process.read([same]) or ()] == ["same"]


def test_a_killed_process_returns_none(folder: Path, process: ReadingProcess) -> None:
    entries = list(FolderTree(at(folder)).entries())
    assert process.read(entries[:10])

    process._process.send_signal(signal.SIGKILL)
    process._process.wait(60)

    assert (process.read(entries[:10]), process.read(entries[:10])) == (None, None)


def test_the_process_ends_with_its_context(folder: Path) -> None:
    with ReadingProcess(FolderTree(at(folder))) as process:
        wait_until(lambda: process._process.pid in children())
    assert process._process.pid not in children()


def test_no_process_is_started_for_an_archive(tmp_path: Path) -> None:
    (tmp_path / "version").mkdir()
    (tmp_path / "version/file").write_bytes(b"content")
    archive = open_tree(at(Path(shutil.make_archive(str(tmp_path / "version"), "zip", tmp_path / "version"))))

    with reading_process(archive) as process:
        assert process is None


def test_a_process_that_cannot_be_started_is_none(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    with reading_process(FolderTree(at(folder))) as process:
        assert process is None


@pytest.mark.parametrize("interpreter", [sys.executable, "/bin/false", "/nonexistent/python"])
def test_the_layer_does_not_depend_on_the_process(
    folder: Path, interpreter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = ingest(FolderTree(at(folder)), workers=1, checkpoint=ignore)
    started: list[str] = []
    monkeypatch.setattr(sys, "executable", interpreter)

    with told_of("subprocess.Popen", started.append):
        together = ingest(FolderTree(at(folder)), workers=3, checkpoint=ignore)

    assert together == alone
    assert (started, children()) == ([interpreter], [])


def test_a_changed_file_is_detected_by_thread_and_process(folder: Path) -> None:
    class Late(FolderTree, frozen=True):
        """The real tree, whose files all change after the listing but keep their size."""

        def entries(self) -> list[TreeEntry]:
            found = list(super().entries())
            for entry in found:
                os.utime(folder / entry.path, ns=(0, entry.mtime_ns + 1))
            return found

    with pytest.raises(VersionChanged):
        ingest(Late(at(folder)), workers=2, checkpoint=ignore)
    assert children() == []


def test_a_stopped_import_leaves_no_process(folder: Path) -> None:
    def stop(_: Checkpoint) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ingest(FolderTree(at(folder)), workers=2, checkpoint=stop)
    assert children() == []
