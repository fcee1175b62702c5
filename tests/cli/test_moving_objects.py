"""The command `move-objects`: all objects arrive, whatever interrupts it, and nothing is lost at the source."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from playdock.storage import blobs
from playdock.storage.blobs import LocalBlobs
from playdock.storage.s3_bucket import S3Bucket
from s3_server import ACCESS_KEY, BUCKET, PREFIX, S3Server, Stored, running_s3

from .conftest import Prompt, is_sentence

TARGET = f"s3://{BUCKET}/{PREFIX}"
OBJECTS = {f"objects/{number:032x}": b"image %d" % number for number in range(20)}
OBJECTS |= {"manifests/" + "a" * 32: b"manifest" * 50_000, "patches/" + "b" * 32: bytes(3_000_000)}


@pytest.fixture
def s3() -> Iterator[S3Server]:
    with running_s3() as server:
        yield server


@pytest.fixture
def service(settled: Prompt, s3: S3Server) -> Prompt:
    """A service with objects in its folder, whose settings have an S3 server."""
    settled.environment.update(
        OBJECTS_ENDPOINT=s3.address, OBJECTS_ACCESS_KEY_ID=ACCESS_KEY, OBJECTS_SECRET_ACCESS_KEY="secret"
    )
    _put(settled, OBJECTS)
    return settled


def _folder(prompt: Prompt) -> Path:
    return Path(prompt.environment["DATA_DIR"]) / "objects"


def _put(prompt: Prompt, objects: dict[str, bytes]) -> None:
    for key, content in objects.items():
        LocalBlobs(_folder(prompt)).put(key, [content])


def _content(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def _in(s3: S3Server) -> dict[str, bytes]:
    return {key.removeprefix(f"{PREFIX}/"): stored.content for key, stored in s3.objects.items()}


def test_objects_are_moved_to_s3_and_back(service: Prompt, s3: S3Server) -> None:
    there = service.run("move-objects", TARGET)
    back = service.run("move-objects", str(service.folder / "back"), OBJECTS_URL=TARGET)

    assert (there.status, back.status) == (0, 0), there.err + back.err
    assert f"Copied {len(OBJECTS)} of {len(OBJECTS)} objects (3 MiB), and compared all of them." in there.out
    assert f"Now set OBJECTS_URL={TARGET} for all processes" in there.out
    assert _in(s3) == _content(_folder(service)) == _content(service.folder / "back")
    assert set(_content(_folder(service))) == {blobs.place_of(key) for key in OBJECTS}


def test_it_continues_and_replaces_what_is_different(service: Prompt, s3: S3Server) -> None:
    first, second, third, *_ = (f"{PREFIX}/{blobs.place_of(key)}" for key in OBJECTS)
    assert service.run("move-objects", TARGET).status == 0
    s3.objects[first] = Stored(b"x" * len(s3.objects[first].content), s3.objects[first].modified)
    s3.objects[second] = Stored(b"cut", s3.objects[second].modified)
    del s3.objects[third]

    again = service.run("move-objects", TARGET)

    assert f"Copied 3 of {len(OBJECTS)} objects" in again.out
    assert _in(s3) == _content(_folder(service))


def test_a_failing_server_and_a_copy_that_differs_are_reported(
    service: Prompt, s3: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = _content(_folder(service))
    write = S3Bucket.write
    with monkeypatch.context() as patch:
        patch.setattr(S3Bucket, "write", lambda bucket, key, pieces: write(bucket, key, [*pieces, b"more"]))
        differs = service.run("move-objects", TARGET)
    s3.failing = (403, "AccessDenied")
    refused = service.run("move-objects", TARGET)

    assert differs.status == refused.status == 1
    assert "could not be copied unchanged" in differs.err
    assert is_sentence(differs.err), differs.err
    assert is_sentence(refused.err), refused.err
    assert _content(_folder(service)) == before


@pytest.mark.both_databases
def test_objects_of_a_running_service_stay(prompt: Prompt, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playdock.db.moving._MAX_CLOSING_SECONDS", 0.2)
    _put(prompt, OBJECTS)
    with closing(prompt.services()) as services, services.db.engine.connect():
        refused = prompt.run("move-objects", "elsewhere")
    same = prompt.run("move-objects", str(_folder(prompt)))

    assert "The database is in use. Stop all" in refused.err
    assert not (prompt.folder / "elsewhere").exists()
    assert "This is where OBJECTS_URL says that objects are" in same.err
    assert "It must be the path of a folder, or s3://" in prompt.run("move-objects", "https://x.example").err
    assert prompt.run("move-objects", "elsewhere").status == 0
    assert _content(prompt.folder / "elsewhere") == _content(_folder(prompt))


def test_the_reason_is_said_if_the_server_does_not_respond(service: Prompt) -> None:
    failed = service.run("move-objects", TARGET, OBJECTS_ENDPOINT="http://127.0.0.1:1")

    assert failed.status == 1
    assert "Generic S3 error" in failed.err
    assert "Check that the object storage is running" in failed.err
