"""What differs between a folder and two versions: the same plan comes of it as of comparing everything."""

import os
import tempfile
from dataclasses import replace
from io import BytesIO
from itertools import combinations
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from client.lying_server import HostileVersion, LinedVersion
from playdock_client import comparing
from playdock_client.comparing import CheckedVersion, FolderComparison
from playdock_client.deciding import FolderState, UpdatePlan, plan_update
from playdock_client.disk import Disk
from playdock_client.installation import OWN_FOLDER
from playdock_client.manifest_file import ManifestFile
from playdock_client.names import casefold_path
from playdock_client.progress import NoProgress

PATHS = ("a", "a.b", "a/b", "a/c", "B/c", "b", "b.yours", "b.yours-2", "c/d/e", "C/d/f", "link")
# The bytes of two of them are as many.
CONTENTS = (b"one", b"two", b"longer", b"")
_TREES = st.dictionaries(st.sampled_from(PATHS), st.sampled_from(CONTENTS))


def _fits(tree: dict[str, bytes], *, caseless: bool) -> bool:
    """Return whether a folder can have these files."""
    parts = {"/".join(path.split("/")[:count]) for path in tree for count in range(1, path.count("/") + 2)}
    folders = {path.rpartition("/")[0] for path in tree}
    clashes = caseless and any(casefold_path(one) == casefold_path(two) for one, two in combinations(parts, 2))
    return not clashes and not any(f"{folder}/".startswith(f"{path}/") for folder in folders for path in tree)


def _manifest(version: HostileVersion) -> ManifestFile:
    return ManifestFile(BytesIO(version.manifest), encoding="", etag=version.etag)


class _Everything(FolderComparison):
    """A comparison that settles nothing."""

    def _settle(self, row: object) -> bool:
        return False


@given(
    old=st.none() | _TREES,
    new=_TREES,
    disk=_TREES,
    touched=st.sets(st.sampled_from(PATHS)),
    executable=st.sets(st.sampled_from(PATHS)),
    trust=st.booleans(),
    restore=st.booleans(),
    lined=st.booleans(),
    caseless=st.booleans(),
    most_unread=st.integers(0, 3),
)
def test_what_is_settled_changes_no_plan(
    old: dict[str, bytes] | None,
    new: dict[str, bytes],
    disk: dict[str, bytes],
    touched: set[str],
    executable: set[str],
    *,
    trust: bool,
    restore: bool,
    lined: bool,
    caseless: bool,
    most_unread: int,
) -> None:
    assume(_fits(new, caseless=True) and _fits(old or {}, caseless=True) and _fits(disk, caseless=caseless))
    kind = LinedVersion if lined else HostileVersion
    modes = dict.fromkeys(executable, 0o755)
    with tempfile.TemporaryDirectory() as name, mock.patch.object(comparing, "_MAX_UNREAD", most_unread):
        folder = _folder(Path(name), disk, caseless=caseless)

        def compared(made: type[FolderComparison]) -> tuple[FolderState, list[int]]:
            before = None
            if old is not None:
                stamps = [_stamp(folder, path, old, touched) for path in sorted(old)] if trust else []
                before = CheckedVersion(_manifest(kind("v1", old)), stamps)
            target = CheckedVersion(_manifest(kind("v2", new, modes=modes)))
            comparison = made(folder, new=target, old=before, progress=NoProgress())
            first = comparison.state(restore=restore)
            read = comparison.read
            assert _planned(comparison.state(restore=restore)) == _planned(first)
            assert comparison.read == read
            return first, comparison.stamps(Disk(iter(()), caseless=caseless))

        with mock.patch.object(comparing, "is_caseless", return_value=caseless):
            (found, stamps), (whole, expected_stamps) = compared(FolderComparison), compared(_Everything)

    assert _planned(found) == _planned(whole)
    assert stamps == expected_stamps
    assert not {file.path for file in found.settled} & found.new.by_path.keys()
    assert [*whole.settled] == []


def _planned(state: FolderState) -> tuple[UpdatePlan, list[str]]:
    """Return what is to be done, and what stays as it is."""
    plan = plan_update(state)
    keep = sorted(file.path for file in (*plan.keep, *state.settled))
    return replace(plan, keep=[]), keep


def _folder(place: Path, tree: dict[str, bytes], *, caseless: bool) -> Path:
    # The client's own folder is not part of the game, however large.
    (place / OWN_FOLDER).mkdir()
    (place / OWN_FOLDER / "lock").touch()
    for path, content in tree.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_bytes(content)
    if not os.path.lexists(place / "link") and not caseless:
        (place / "link").symlink_to("a")
    return place


def _stamp(folder: Path, path: str, old: dict[str, bytes], touched: set[str]) -> int:
    """Return when the client wrote a file: it is the time of the file unless the player has changed it since."""
    file = folder / path
    if not file.is_file() or file.is_symlink() or file.read_bytes() != old[path] or path in touched:
        return 1
    return file.stat().st_mtime_ns


@pytest.mark.parametrize("kind", [HostileVersion, LinedVersion])
def test_only_what_differs_is_kept(tmp_path: Path, kind: type[HostileVersion]) -> None:
    files = {f"{number:03}/file": str(number).encode() for number in range(100)}
    folder = _folder(tmp_path, files, caseless=False)
    (folder / "007/file").write_bytes(b"changed")
    new = CheckedVersion(_manifest(kind("v2", {**files, "050/file": b"new", "x": b"added"})))
    old = CheckedVersion(_manifest(kind("v1", files)), [_stamp(folder, path, files, set()) for path in files])

    comparison = FolderComparison(folder, new=new, old=old, progress=NoProgress())
    state = comparison.state()

    assert comparison.read == 0
    assert [file.path for file in state.new.files] == ["007/file", "050/file", "x"]
    assert state.old is not None
    assert [file.path for file in state.old.files] == ["007/file", "050/file"]
    assert len(list(state.settled)) == 98


def test_chunks_of_a_part_have_the_numbers_that_they_have_in_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {path: os.urandom(size) for path, size in {"a": 500, "b": 0, "c": 250, "d": 100, "e": 301}.items()}
    version = HostileVersion("v1", files, chunk=100)
    for path in ("a", "d"):
        (tmp_path / path).write_bytes(files[path])
    new = CheckedVersion(_manifest(version))

    monkeypatch.setattr(comparing, "_MAX_UNREAD", 0)
    part = FolderComparison(tmp_path, new=new, old=None, progress=NoProgress()).state().new

    assert [(chunk.number, chunk.file.path, chunk.start) for chunk in part.chunks] == [
        *((5 + number, "c", number * 100) for number in range(3)),
        *((9 + number, "e", number * 100) for number in range(4)),
    ]
    assert part.chunk_count == 13
