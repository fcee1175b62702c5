"""What differs between a folder and two versions: the same plan comes of it as of comparing everything."""

import os
import tempfile
from dataclasses import replace
from io import BytesIO
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import cast
from unittest import mock

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from client.installations import Player, Watching
from client.lying_server import HostileServer, HostileVersion, LinedVersion
from playdock_client import comparing, disk
from playdock_client.comparing import CheckedVersion, FolderComparison
from playdock_client.deciding import FolderState, UpdatePlan, plan_update
from playdock_client.disk import Disk, Entry, scan
from playdock_client.errors import BadManifest, ClientError, UnfinishedInstallation
from playdock_client.installation import OWN_FOLDER
from playdock_client.installing import FetchOptions, is_started, read_installation, uninstall, verify
from playdock_client.manifest_file import ManifestFile
from playdock_client.names import casefolded
from playdock_client.progress import NoProgress, Phase

PATHS = ("a", "a.b", "a/b", "a/c", "B/c", "b", "b.yours", "b.yours-2", "c/d/e", "C/d/f", "link")
# The bytes of two of them are as many.
CONTENTS = (b"one", b"two", b"longer", b"")
_TREES = st.dictionaries(st.sampled_from(PATHS), st.sampled_from(CONTENTS))


def _fits(tree: dict[str, bytes], *, caseless: bool) -> bool:
    """Return whether a folder can have these files."""
    parts = {"/".join(path.split("/")[:count]) for path in tree for count in range(1, path.count("/") + 2)}
    folders = {path.rpartition("/")[0] for path in tree}
    clashes = caseless and any(casefolded(one) == casefolded(two) for one, two in combinations(parts, 2))
    return not clashes and not any(f"{folder}/".startswith(f"{path}/") for folder in folders for path in tree)


def _manifest(version: HostileVersion) -> ManifestFile:
    return ManifestFile(BytesIO(version.manifest), encoding="", etag=version.etag)


class _Everything(FolderComparison):
    """A comparison that takes everything to be affected."""

    def _is_unaffected(self, row: object) -> bool:
        return False


@given(
    old=st.none() | _TREES,
    new=_TREES,
    disk=_TREES,
    touched=st.sets(st.sampled_from(PATHS)),
    changed=st.sets(st.sampled_from(PATHS)),
    executable=st.sets(st.sampled_from(PATHS)),
    trust=st.booleans(),
    restore=st.booleans(),
    lined=st.booleans(),
    caseless=st.booleans(),
    most_unread=st.integers(0, 3),
)
def test_what_is_unaffected_changes_no_plan(
    old: dict[str, bytes] | None,
    new: dict[str, bytes],
    disk: dict[str, bytes],
    *,
    touched: set[str],
    changed: set[str],
    executable: set[str],
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

        stamps = [_stamp(folder, path, old or {}, touched) for path in sorted(old or {})] if trust else []

        def compared(made: type[FolderComparison]) -> FolderComparison:
            before = None if old is None else CheckedVersion(_manifest(kind("v1", old)), stamps)
            target = CheckedVersion(_manifest(kind("v2", new, modes=modes)))
            return made(folder, new=target, old=before, progress=NoProgress())

        with mock.patch.object(comparing, "is_caseless", return_value=caseless):
            comparison = compared(FolderComparison)
            comparison.state()
            for path in changed & disk.keys():
                (folder / path).write_bytes(CONTENTS[len(disk[path]) % 4])
            found = comparison.state(restore=restore)
            read = comparison.read
            assert _planned(comparison.state(restore=restore)) == _planned(found)
            assert comparison.read == read
            whole = compared(_Everything).state(restore=restore)

        plan, kept = _planned(found)
        assert (plan, kept) == _planned(whole)
        assert not {file.path for file in found.unaffected} & found.new.by_path.keys()
        assert [*whole.unaffected] == []
        entries = scan(folder, caseless=caseless)
        times = {path: entry.mtime_ns for path in kept if (entry := entries.find(path))}
        noted = comparison.stamps(plan_update(found), Disk(iter(()), caseless=caseless))
        assert list(noted) == [times.get(path, 0) for path in sorted(new)]


def _planned(state: FolderState) -> tuple[UpdatePlan, list[str]]:
    """Return what is to be done, and what stays as it is."""
    plan = plan_update(state)
    keep = sorted(file.path for file in (*plan.keep, *state.unaffected))
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
    assert len(list(state.unaffected)) == 98


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


# --- With a server ---


class _Stop(ClientError):
    pass


class _Impatient(Watching):
    """Progress that stops after a number of bytes."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self._after = after

    def advance(self, done: int, *, fetched: int = 0) -> None:
        super().advance(done, fetched=fetched)
        if self.done > self._after:
            raise _Stop("Stopped.")


def test_a_file_that_the_player_makes_in_the_place_of_a_staged_one_is_not_deleted_later(
    hostile: HostileServer, player: Player
) -> None:
    large = os.urandom(3_000_000)
    hostile.serve(
        HostileVersion("v1", {"f": b"game", "x": b"1"}),
        HostileVersion("v2", {"f": b"game", "x": large}),
        HostileVersion("v3", {"x": large}),
    )
    player.install()
    (player.folder / "f").unlink()
    player.options = FetchOptions(connections=1)
    player.abortable = _Impatient(2_000_000)
    with pytest.raises(_Stop):
        player.update()
    staged = (player.folder / ".playdock/staging/f").stat()
    os.utime(player.put("f", b"mine"), ns=(staged.st_atime_ns, staged.st_mtime_ns))
    player.abortable = Watching()

    assert player.update().kept == ("f",)
    assert player.update("v3").aside == (("f", "f.yours"),)
    assert player.files() == {"f.yours": b"mine", "x": large}


def test_a_file_that_changes_during_an_update_is_not_taken_for_the_installed_one(
    hostile: HostileServer, player: Player
) -> None:
    hostile.serve(
        HostileVersion("v1", {"f": b"game", "x": b"1"}),
        HostileVersion("v2", {"f": b"game", "x": b"2"}),
        HostileVersion("v3", {"x": b"2"}),
    )
    player.install()
    before = (player.folder / "f").stat()

    def change(body: bytes) -> bytes:
        player.put("f", b"mine")
        return body

    hostile.tamper = change
    assert player.update().kept == ("f",)
    # The player's file gets the time that the installed one had.
    os.utime(player.folder / "f", ns=(before.st_atime_ns, before.st_mtime_ns))

    assert player.update("v3").aside == (("f", "f.yours"),)


@pytest.mark.parametrize("mtime_ns", [2**63 + 10**9, 2**63 - 1, -(10**18), -1, 0])
def test_any_modification_time_is_right(
    hostile: HostileServer, player: Player, monkeypatch: pytest.MonkeyPatch, mtime_ns: int
) -> None:
    hostile.serve(HostileVersion("v1", {"f": b"game", "x": b"1"}), HostileVersion("v2", {"f": b"game", "x": b"2"}))
    player.install()

    describe = disk._described

    def described(status: os.stat_result, *, path: str, file: str) -> Entry:
        fields = {name: getattr(status, name) for name in ("st_mode", "st_size", "st_mtime_ns")}
        changed = {**fields, "st_mtime_ns": mtime_ns} if path == "f" else fields
        return describe(cast("os.stat_result", SimpleNamespace(**changed)), path=path, file=file)

    monkeypatch.setattr(disk, "_described", described)

    assert verify(player.folder, progress=NoProgress(), deep=False).intact
    assert player.update().aside == ()
    assert player.repair().aside == ()
    assert verify(player.folder, progress=NoProgress(), deep=False).checked in (0, len(b"game") * (mtime_ns == 0))
    assert uninstall(player.folder) == []


def test_files_with_names_in_other_cases_are_removed_where_case_is_ignored(
    hostile: HostileServer, player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile.serve(HostileVersion("v1", {"data/a": b"aaa", "data/b": b"bbb", "c": b"c"}))
    player.install()
    (player.folder / "data").rename(player.folder / "Data")
    monkeypatch.setattr(comparing, "is_caseless", lambda _: True)

    assert uninstall(player.folder) == []
    assert not player.folder.exists()


def test_a_chunk_is_copied_from_a_file_that_stays_rather_than_from_a_changed_one(
    hostile: HostileServer, player: Player
) -> None:
    content = os.urandom(300_000)
    hostile.serve(
        HostileVersion("v1", {"a": content, "b": content}),
        HostileVersion("v2", {"a": content, "b": content, "c": content}),
    )
    player.install()
    fetched = hostile.fetches()
    player.put("b", content[:-1] + b"x")

    player.update()

    assert hostile.fetches() == fetched


def test_an_adoption_that_was_interrupted_while_it_looked_can_be_resumed(
    hostile: HostileServer, player: Player
) -> None:
    content = os.urandom(300_000)
    hostile.serve(HostileVersion("v1", {"a": content, "b": b"b"}))
    player.put("a", content)
    player.abortable = _Impatient(100_000)
    with pytest.raises(_Stop):
        player.adopt()

    assert is_started(player.folder)
    with pytest.raises(UnfinishedInstallation):
        read_installation(player.folder)
    player.abortable = Watching()
    player.adopt()
    assert player.files() == {"a": content, "b": b"b"}


def test_looking_at_a_file_advances_by_its_size(hostile: HostileServer, player: Player) -> None:
    old, new, other = b"0" * 500_000 + b"1", b"0" * 500_000 + b"2", b"3" + b"0" * 500_000
    hostile.serve(HostileVersion("v1", {"a": old, "b": old}), HostileVersion("v2", {"a": new, "b": new}))
    player.install()
    player.put("a", new)
    player.put("b", other)
    player.abortable = watching = _Looking()
    player.update()

    assert watching.looked == [(1_000_002, 1_000_002)]
    assert (player.folder / "b.yours").read_bytes() == other


class _Looking(Watching):
    """Progress that remembers the totals of looking at files, and how far it advanced."""

    def __init__(self) -> None:
        super().__init__()
        self.looked: list[tuple[int, int]] = []

    def begin(self, phase: Phase, *, total: int) -> None:
        super().begin(phase, total=total)
        if phase is Phase.LOOK:
            self.looked.append((total, 0))

    def advance(self, done: int, *, fetched: int = 0) -> None:
        super().advance(done, fetched=fetched)
        if self.phases[-1][0] is Phase.LOOK:
            total, before = self.looked[-1]
            self.looked[-1] = (total, before + done)


def test_a_manifest_that_is_not_in_order_is_rejected(hostile: HostileServer, player: Player) -> None:
    hostile.serve(HostileVersion("v1", {"a": b"a", "b": b"b"}, edit=lambda manifest: manifest["files"].reverse()))

    with pytest.raises(BadManifest, match="not in order"):
        player.install()
