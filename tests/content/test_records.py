"""Checkpoints: serialization and combination."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playdock.content.errors import UnreadableRecord
from playdock.content.records import (
    Checkpoint,
    FileRecord,
    PartialFile,
    decode_checkpoint,
    encode_checkpoint,
    gather,
    join,
)

sizes = st.integers(0, 2**50)
files = st.builds(FileRecord, st.text(), sizes, st.integers(0, 0o777), sizes, sizes, st.binary(), st.binary())
partials = st.builds(PartialFile, st.text(), sizes, sizes, sizes, sizes, sizes, st.binary())


def file(path: str, *, mtime_ns: int = 1) -> FileRecord:
    return FileRecord(path, 9, 0o644, mtime_ns, 0, b"", b"")


def partial(start: int, offset: int, *, path: str = "big", mtime_ns: int = 1) -> PartialFile:
    return PartialFile(path, 1000, mtime_ns, start, offset, offset, bytes([start, offset]))


def saved(*partials: PartialFile, files: tuple[FileRecord, ...] = ()) -> Checkpoint:
    return Checkpoint(files, partials, 0, 0)


@given(st.builds(Checkpoint, st.tuples(files), st.tuples(partials, partials), sizes, sizes))
def test_decoding_restores_a_checkpoint(checkpoint: Checkpoint) -> None:
    assert decode_checkpoint(encode_checkpoint(checkpoint)) == checkpoint


@pytest.mark.parametrize(
    "data", [b"", b"playdock-checkpoint\x02", b"playdock-checkpoint\x01", b"playdock-checkpoint\x01\x94", b"nonsense"]
)
def test_invalid_bytes_are_rejected(data: bytes) -> None:
    with pytest.raises(UnreadableRecord, match="Start the import again"):
        decode_checkpoint(data)


def test_consecutive_ranges_are_combined() -> None:
    joined = join([partial(0, 10), partial(10, 20), partial(20, 25)])

    assert joined == (PartialFile("big", 1000, 1, 0, 25, 25, bytes([0, 10, 10, 20, 20, 25])),)


@pytest.mark.parametrize(
    "second", [partial(11, 20), partial(10, 20, path="other"), partial(10, 20, mtime_ns=2), partial(0, 10)]
)
def test_ranges_of_different_files_or_with_a_gap_are_not_combined(second: PartialFile) -> None:
    assert join([partial(0, 10), second]) == (partial(0, 10), second)


def test_checkpoints_are_combined() -> None:
    gathered = gather(
        [
            saved(partial(0, 10), files=(file("a"),)),
            saved(partial(10, 20)),
            saved(files=(file("b"),)),
        ]
    )

    assert [record.path for record in gathered.files] == ["a", "b"]
    assert gathered.partials == join([partial(0, 10), partial(10, 20)])


def test_a_finished_file_has_no_ranges() -> None:
    assert gather([saved(partial(0, 10)), saved(files=(file("big"),))]).partials == ()


def test_the_newest_record_of_a_file_is_used() -> None:
    gathered = gather([saved(files=(file("a"),)), saved(files=(file("a", mtime_ns=2),))])

    assert gathered.files == (file("a", mtime_ns=2),)


def test_a_restarted_file_is_resumed_from_its_new_ranges() -> None:
    gathered = gather(
        [
            saved(partial(0, 10)),
            saved(partial(0, 4, mtime_ns=2)),
            saved(partial(4, 8, mtime_ns=2)),
        ]
    )

    assert gathered.partials == join([partial(0, 4, mtime_ns=2), partial(4, 8, mtime_ns=2)])


def test_a_range_without_its_beginning_is_dropped() -> None:
    assert gather([saved(partial(10, 20))]).partials == ()
