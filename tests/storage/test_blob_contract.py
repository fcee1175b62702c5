"""What every storage of blobs does, whether it is a folder or an S3 server."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from playdock.storage.blobs import Blobs, LocalBlobs, NoSuchBlob
from playdock.storage.s3_blobs import open_s3_blobs
from playdock.storage.sweeping import discard, sweep
from radosgw import Radosgw
from s3_server import running_s3

KEY = "objects/0123456789abcdef"
OTHER = "objects/fedcba9876543210"
MIB = 1024 * 1024


@pytest.fixture(params=["folder", "s3", pytest.param("radosgw", marks=pytest.mark.heavy)])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Blobs]:
    if request.param == "folder":
        yield LocalBlobs(tmp_path / "objects")
    elif request.param == "radosgw":
        server: Radosgw = request.getfixturevalue("radosgw")
        location = server.location(server.make_bucket())
        yield open_s3_blobs(location, cache=tmp_path / "cache", max_bytes=64 * MIB)
    else:
        with running_s3() as simple:
            yield open_s3_blobs(simple.location(), cache=tmp_path / "cache", max_bytes=64 * MIB)


def content(blobs: Blobs, key: str = KEY) -> bytes:
    return b"".join(blobs.open(key))


def listed(blobs: Blobs, kind: str = "objects", *, days: int = 1) -> list[str]:
    return sorted(blobs.keys(kind, before=datetime.now(UTC) + timedelta(days=days)))


def test_a_blob_can_be_read_after_it_was_put(blobs: Blobs) -> None:
    assert blobs.put(KEY, [b"ab", b"", b"c"]) == 3
    assert list(blobs.open(KEY, block=2)) == [b"ab", b"c"]


def test_a_blob_may_be_empty(blobs: Blobs) -> None:
    assert blobs.put(KEY, []) == 0
    assert content(blobs) == b""


def test_a_large_blob_is_stored_completely(blobs: Blobs) -> None:
    pieces = [bytes([number]) * MIB for number in range(12)]

    assert blobs.put(KEY, iter(pieces)) == 12 * MIB
    descriptor = blobs.descriptor(KEY)
    with os.fdopen(descriptor, "rb") as file:
        assert os.fstat(descriptor).st_size == 12 * MIB
        assert file.read() == b"".join(pieces)


def test_a_blob_is_replaced_completely(blobs: Blobs) -> None:
    blobs.put(KEY, [b"first and long"])
    assert content(blobs) == b"first and long"
    blobs.put(KEY, [b"second"])

    assert content(blobs) == b"second"


def test_blobs_are_listed_in_the_order_of_their_keys(blobs: Blobs) -> None:
    before = datetime.now(UTC).timestamp()
    blobs.put(OTHER, [b"abc"])
    blobs.put(KEY, [b"a"])
    blobs.put("layers/0123456789abcdef", [b"ab"])

    entries = list(blobs.entries("objects"))

    assert [(entry.key, entry.size) for entry in entries] == [(KEY, 1), (OTHER, 3)]
    # S3 states whole seconds.
    assert all(entry.modified >= before - 2 for entry in entries)


@pytest.mark.parametrize("size", [4, 12 * MIB])
@pytest.mark.parametrize("error", [KeyError("a"), FileNotFoundError("a file of a library")], ids=repr)
def test_a_blob_whose_pieces_end_with_an_error_does_not_appear(blobs: Blobs, size: int, error: Exception) -> None:
    def failing() -> Iterator[bytes]:
        yield bytes(size)
        raise error

    with pytest.raises(type(error)) as caught:
        blobs.put(KEY, failing())

    assert caught.value is error
    assert listed(blobs) == []
    with pytest.raises(NoSuchBlob):
        blobs.descriptor(KEY)


def test_a_missing_blob_cannot_be_opened(blobs: Blobs) -> None:
    for _ in range(2):
        with pytest.raises(NoSuchBlob):
            blobs.open(KEY)
        with pytest.raises(NoSuchBlob):
            blobs.descriptor(KEY)


def test_a_deleted_blob_is_missing(blobs: Blobs) -> None:
    blobs.put(KEY, [b"some bytes"])
    reading = os.fdopen(blobs.descriptor(KEY), "rb")
    with reading:
        assert reading.read() == b"some bytes"
    for _ in range(2):
        blobs.delete(KEY)

    with pytest.raises(NoSuchBlob):
        blobs.open(KEY)


def test_a_blob_that_is_deleted_while_it_is_read_is_read_to_its_end(blobs: Blobs) -> None:
    blobs.put(KEY, [b"some bytes"])
    reading = blobs.open(KEY, block=5)
    beginning = next(reading)
    blobs.delete(KEY)

    assert b"".join([beginning, *reading]) == b"some bytes"


@pytest.mark.parametrize(
    "key", ["", "objects", "objects/", "objects/short", "../0123456789abcdef", "objects/../../etc/passwd0", KEY + "\n"]
)
def test_only_keys_are_accessible(blobs: Blobs, key: str) -> None:
    with pytest.raises(NoSuchBlob):
        blobs.put(key, [b"x"])
    with pytest.raises(NoSuchBlob):
        blobs.open(key)


def test_keys_are_filtered_by_kind_and_time(blobs: Blobs) -> None:
    keys = [f"objects/{number:016}" for number in range(5)]
    for key in [*keys, "manifests/0123456789abcdef"]:
        blobs.put(key, [b"x"])

    assert listed(blobs) == keys
    assert listed(blobs, days=-1) == []
    assert listed(blobs, "nothing") == []


def test_a_sweep_deletes_what_is_old_and_unreferenced(blobs: Blobs) -> None:
    for key in (KEY, OTHER):
        blobs.put(key, [b"x"])
    now, name = datetime.now(UTC), KEY.partition("/")[2]

    assert sweep(blobs, "objects", before=now - timedelta(days=1), referenced=lambda _names: {name}) == 0
    assert sweep(blobs, "objects", before=now + timedelta(days=1), referenced=lambda _names: {name}) == 1
    assert listed(blobs) == [KEY]


def test_a_discarded_blob_is_deleted(blobs: Blobs) -> None:
    blobs.put(KEY, [b"x"])
    discard(blobs, KEY)
    assert listed(blobs) == []


def test_a_check_leaves_nothing_behind(blobs: Blobs) -> None:
    blobs.check()
    assert listed(blobs, "check") == []
