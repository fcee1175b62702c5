"""Blobs in S3: failures are never missing blobs, downloads resume, and the cache stays within its limit."""

import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from playdock.kit.storage_failures import StorageFailure, retryable_storage_failure
from playdock.storage import s3_bucket
from playdock.storage.blobs import LocalBlobs
from playdock.storage.s3_blobs import S3Blobs, open_s3_blobs
from playdock.storage.sweeping import discard, sweep
from s3_server import S3Server, running_s3
from world import at_once

NAME = "0123456789abcdef"
KEY = f"objects/{NAME}"
MIB = 1024 * 1024
LATER = datetime.now(UTC) + timedelta(days=1)
CALLS: dict[str, Callable[[S3Blobs], Any]] = {
    "open": lambda blobs: blobs.open(KEY),
    "descriptor": lambda blobs: blobs.descriptor(KEY),
    "put": lambda blobs: blobs.put(KEY, [b"x"]),
    "put a large one": lambda blobs: blobs.put(KEY, [bytes(9 * MIB)]),
    "delete": lambda blobs: blobs.delete(KEY),
    "keys": lambda blobs: list(blobs.keys("objects", before=LATER)),
    "sweep": lambda blobs: sweep(blobs, "objects", before=LATER, referenced=lambda _: set()),
    "check": lambda blobs: blobs.check(),
}


@pytest.fixture
def server() -> Iterator[S3Server]:
    with running_s3() as running:
        yield running


def blobs_at(server: S3Server, folder: Path, *, max_bytes: int = 64 * MIB, **other: Any) -> S3Blobs:
    return open_s3_blobs(server.location(**other), cache=folder / "cache", max_bytes=max_bytes)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(s3_bucket, "_READ_TIMEOUT", timedelta(seconds=1))
    monkeypatch.setattr(s3_bucket, "_RETRIES", {**s3_bucket._RETRIES, "max_retries": 1})


@pytest.mark.parametrize(
    ("other", "code"),
    [
        ({"bucket": "another"}, "object-storage-no-bucket"),
        ({"access_key_id": "another"}, "object-storage-refused"),
        ({"endpoint": "http://127.0.0.1:1"}, "object-storage-failed"),
    ],
    ids=str,
)
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.usefixtures("impatient")
def test_an_unusable_storage_is_no_missing_blob(
    server: S3Server, tmp_path: Path, call: str, other: dict[str, Any], code: str
) -> None:
    with pytest.raises(StorageFailure) as caught:
        CALLS[call](blobs_at(server, tmp_path, **other))
    message = retryable_storage_failure(caught.value)
    assert message is not None
    assert message.code == code
    assert caught.value.reason


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.usefixtures("impatient")
def test_an_error_of_the_server_is_no_missing_blob(server: S3Server, tmp_path: Path, call: str) -> None:
    blobs = blobs_at(server, tmp_path)
    server.failing = (503, "SlowDown")
    with pytest.raises(StorageFailure, match="503"):
        CALLS[call](blobs)
    assert not server.objects


def test_a_bucket_that_vanishes_is_no_missing_blob(server: S3Server, tmp_path: Path) -> None:
    blobs = blobs_at(server, tmp_path)
    blobs.put(KEY, [b"x"])
    server.failing = (404, "NoSuchBucket")
    with pytest.raises(StorageFailure) as caught:
        blobs.open(KEY)
    assert caught.value.message.code == "object-storage-no-bucket"


@pytest.mark.parametrize("fault", [{"cut_at": 3 * MIB + 5}, {"stall_at": 3 * MIB + 5}], ids=str)
@pytest.mark.usefixtures("impatient")
def test_interrupted_downloads_are_resumed(server: S3Server, tmp_path: Path, fault: dict[str, int]) -> None:
    blobs, content = blobs_at(server, tmp_path), os.urandom(9 * MIB)
    blobs.put(KEY, [content])
    server.faults = 1
    for name, value in fault.items():
        setattr(server, name, value)

    assert b"".join(blobs.open(KEY)) == content
    assert server.faults < 1


@pytest.mark.usefixtures("impatient")
def test_a_download_that_never_gets_on_fails_and_leaves_nothing(server: S3Server, tmp_path: Path) -> None:
    blobs = blobs_at(server, tmp_path)
    blobs.put(KEY, [bytes(MIB)])
    server.cut_at, server.faults = 0, 1000

    with pytest.raises(StorageFailure):
        blobs.open(KEY)
    assert [path.name for path in (tmp_path / "cache").iterdir() if path.name != "total"] == []
    server.faults = 0
    assert b"".join(blobs.open(KEY)) == bytes(MIB)


def test_a_blob_is_downloaded_once_for_all_readers(server: S3Server, tmp_path: Path) -> None:
    blobs_at(server, tmp_path).put(KEY, [bytes(MIB)])
    first, second = (blobs_at(server, tmp_path) for _ in range(2))
    server.requests.clear()

    read = at_once([lambda: b"".join(first.open(KEY)), lambda: b"".join(second.open(KEY))] * 4)

    assert set(read) == {bytes(MIB)}
    assert len([request for request in server.requests if request.startswith("GET")]) == 1


def test_the_cache_stays_within_its_limit(server: S3Server, tmp_path: Path) -> None:
    blobs = blobs_at(server, tmp_path, max_bytes=4 * MIB)
    keys = [f"objects/{number:016}" for number in range(10)]
    for number, key in enumerate(keys):
        blobs.put(key, [bytes([number]) * MIB])
        assert b"".join(blobs.open(key)) == bytes([number]) * MIB

    cached = sum(path.stat().st_size for path in (tmp_path / "cache").iterdir() if path.name != "total")
    assert 0 < cached <= 4 * MIB
    assert b"".join(blobs.open(keys[0])) == bytes(MIB)


def test_blobs_in_the_cache_can_be_read_without_the_server(server: S3Server, tmp_path: Path) -> None:
    blobs = blobs_at(server, tmp_path)
    blobs.put(KEY, [b"an image"])
    assert b"".join(blobs.open(KEY)) == b"an image"
    server.failing = (503, "SlowDown")

    assert b"".join(blobs.open(KEY)) == b"an image"


def test_a_full_cache_says_which_limit_to_raise(server: S3Server, tmp_path: Path) -> None:
    blobs = blobs_at(server, tmp_path, max_bytes=MIB)
    blobs = S3Blobs(blobs.bucket, type(blobs.cache)(tmp_path / "cache", max_bytes=MIB, boot="boot", max_wait=0))
    other = KEY.replace("0", "f")
    for key in (KEY, other):
        blobs.put(key, [bytes(MIB)])
    descriptor = blobs.descriptor(KEY)
    try:
        with pytest.raises(StorageFailure) as caught:
            blobs.open(other)
    finally:
        os.close(descriptor)
    assert caught.value.message.code == "object-cache-full"


def test_a_download_ends_when_the_service_stops(server: S3Server, tmp_path: Path) -> None:
    blobs = blobs_at(server, tmp_path)
    blobs.put(KEY, [bytes(9 * MIB)])
    blobs.stop()
    with pytest.raises(OSError, match="stopping"):
        blobs.open(KEY)


@pytest.mark.usefixtures("impatient")
def test_what_cannot_be_deleted_is_left_for_the_next_sweep(server: S3Server, tmp_path: Path) -> None:
    blobs = blobs_at(server, tmp_path)
    blobs.put(KEY, [b"x"])
    server.failing = (503, "SlowDown")
    discard(blobs, KEY)
    server.failing = None

    assert sweep(blobs, "objects", before=LATER, referenced=lambda _: set()) == 1


def test_objects_of_others_are_not_listed(server: S3Server, tmp_path: Path) -> None:
    blobs = blobs_at(server, tmp_path)
    blobs.put(KEY, [b"x"])
    other = blobs_at(server, tmp_path, prefix="play")
    other.put(KEY, [b"y"])
    for name in ("objects/read me", "objects/01/.writing-abc", f"objects/ff/{NAME}", KEY):
        server.objects[f"play/dock/{name}"] = server.objects[f"play/dock/objects/01/{NAME}"]

    assert list(blobs.keys("objects", before=LATER)) == [KEY]


def test_objects_have_the_names_of_files_in_a_folder(server: S3Server, tmp_path: Path) -> None:
    blobs_at(server, tmp_path).put(KEY, [b"x"])
    LocalBlobs(tmp_path / "objects").put(KEY, [b"x"])

    [path] = [path for path in (tmp_path / "objects").rglob("*") if path.is_file()]
    assert list(server.objects) == [f"play/dock/{path.relative_to(tmp_path / 'objects')}"]


def test_the_bucket_can_be_in_the_host() -> None:
    location = S3Server("https://s3.example.org:9000").location(path_style=False)
    assert s3_bucket._endpoint(location) == "https://games.s3.example.org:9000"
