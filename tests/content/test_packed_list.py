"""Long lists: the same items as in a tuple, in less memory."""

import tracemalloc
from collections.abc import Iterator

import pytest
from blake3 import blake3

from playdock.content import packed_list
from playdock.content.packed_list import MANY, PackedList, collect
from playdock.content.records import FileRecord, weigh_record
from world import at_once


def records(count: int, *, chunks: int = 1) -> Iterator[FileRecord]:
    for number in range(count):
        digest = blake3(number.to_bytes(4, "little")).digest()
        yield FileRecord(f"data/{number:07}", number, 0o644, 1_700_000_000_000_000_000, number, digest, digest * chunks)


def test_few_items_are_a_tuple() -> None:
    assert collect(records(3), FileRecord, weigh=weigh_record) == tuple(records(3))


def test_items_that_take_much_memory_are_packed_too() -> None:
    found = collect(records(60, chunks=32 * 1024), FileRecord, weigh=weigh_record)

    assert isinstance(found, PackedList)
    assert tuple(found) == tuple(records(60, chunks=32 * 1024))


@pytest.mark.parametrize("in_memory", [0, 2000, 2**20])
def test_a_packed_list_has_the_items_in_their_order(monkeypatch: pytest.MonkeyPatch, in_memory: int) -> None:
    monkeypatch.setattr(packed_list, "_MAX_ITEMS_PER_PIECE", 7)
    monkeypatch.setattr(packed_list, "_MAX_BYTES_IN_MEMORY", in_memory)
    expected = list(records(400))

    found = collect(iter(expected), FileRecord, weigh=weigh_record)

    assert isinstance(found, PackedList)
    assert (len(found), list(found), list(found)) == (400, expected, expected)
    assert [found[place] for place in (0, 6, 7, 399, -1, -400)] == [expected[place] for place in (0, 6, 7, 399, -1, 0)]
    assert found[5:20:7] == expected[5:20:7]
    assert at_once([lambda: list(found)] * 4) == [expected] * 4
    for outside in (400, -401):
        with pytest.raises(IndexError):
            found[outside]


def test_many_records_take_little_memory() -> None:
    tracemalloc.start()
    try:
        found = collect(records(MANY + 1), FileRecord, weigh=weigh_record)
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert len(found) == MANY + 1
    # As a tuple they take 35 MB.
    assert taken < 10_000_000
