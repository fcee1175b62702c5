"""What an import knows before it reads: found by section, with the latest result for each file."""

import pytest

from playdock.content.earlier import EarlierResults
from playdock.content.errors import UnreadableRecord
from playdock.content.records import Checkpoint, FileRecord, PartialFile, encode_checkpoint

CHUNK = b"c" * 36


def file(path: str, *, mtime_ns: int = 1) -> FileRecord:
    return FileRecord(path, 10, 0o644, mtime_ns, 7, b"h" * 32, CHUNK)


def part(path: str, start: int, offset: int) -> PartialFile:
    return PartialFile(path, 100, 1, start, offset, 7, CHUNK)


CHECKPOINTS = [
    Checkpoint((file("c"), file("a")), (part("x", 0, 20),), 40, 200),
    Checkpoint((), (), 40, 200),
    Checkpoint((file("d"),), (part("x", 20, 50), part("y", 0, 30)), 130, 200),
    Checkpoint((file("a", mtime_ns=2), file("y")), (), 200, 200),
]


def earlier(**known: tuple[FileRecord, ...] | set[str]) -> EarlierResults:
    stored = dict(enumerate(map(encode_checkpoint, CHECKPOINTS)))
    return EarlierResults(stored, stored.get, **known)  # type: ignore[arg-type]


def test_everything_in_checkpoints_is_counted() -> None:
    found = earlier()

    assert (found.files, found.parts, found.size) == (5, 1, 5 * 10 + 50)


@pytest.mark.parametrize(
    ("first", "last", "files", "parts"),
    [
        ("a", "z", {"a": 2, "c": 1, "d": 1, "y": 1}, {"x": 50}),
        ("a", "b", {"a": 2}, {}),
        ("b", "d", {"c": 1, "d": 1}, {}),
        ("w", "x", {}, {"x": 50}),
        ("zz", "zzz", {}, {}),
    ],
)
def test_a_section_has_the_latest_results_of_its_files(
    first: str, last: str, files: dict[str, int], parts: dict[str, int]
) -> None:
    found = earlier().within(first, last)

    assert {each.path: each.mtime_ns for each in found.files} == files
    assert {each.path: each.offset for each in found.partials} == parts


def test_known_files_come_before_those_of_checkpoints() -> None:
    known = (file("a", mtime_ns=7), file("b", mtime_ns=7), file("b2", mtime_ns=7), file("z", mtime_ns=7))

    found = earlier(known=known, without={"b2"}).within("a", "c")

    assert [(each.path, each.mtime_ns) for each in found.files] == [("a", 7), ("b", 7), ("c", 1), ("a", 2)]


def test_a_checkpoint_that_is_gone_has_no_results() -> None:
    assert EarlierResults([1], lambda _: None).within("a", "z").files == ()


def test_a_damaged_checkpoint_is_reported_at_once() -> None:
    with pytest.raises(UnreadableRecord):
        EarlierResults([1], lambda _: b"nonsense")
