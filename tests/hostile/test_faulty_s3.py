"""A real S3 server behind a proxy that cuts, stalls and refuses: right bytes or a clear error, in bounded memory."""

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from databases import SqliteDatabases
from faulty_proxy import FaultyProxy, running_proxy
from patching import OLD, Doom
from playdock.kit.storage_failures import StorageFailure
from playdock.storage import s3_bucket
from playdock.storage.s3_blobs import S3Blobs, open_s3_blobs
from radosgw import ACCESS_KEY, SECRET_KEY, Radosgw
from waiting import wait_until
from world import running_world

pytestmark = pytest.mark.heavy

KEY = "patches/0123456789abcdef"
MIB = 1024 * 1024
SIZE = 64 * MIB
# Writes and reads a blob of 512 MiB, and prints by how much the memory of the process grew.
_PROGRAM = """
import resource, sys
from pathlib import Path
from typing import Any
from playdock.kit.s3_location import S3Location
from playdock.storage.s3_blobs import open_s3_blobs

bucket, endpoint, key, secret, folder = sys.argv[1:]
location = S3Location(bucket, "", endpoint, "", key, secret)
blobs = open_s3_blobs(location, cache=Path(folder), max_bytes=2**30)
blobs.put("patches/1111111111111111", [b"x"])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
piece = bytes(2**20)
assert blobs.put("patches/0123456789abcdef", (piece for _ in range(512))) == 2**29
assert sum(map(len, blobs.open("patches/0123456789abcdef"))) == 2**29
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
"""


@pytest.fixture
def proxy(radosgw: Radosgw) -> Iterator[FaultyProxy]:
    with running_proxy(radosgw.address) as running:
        yield running


@pytest.fixture
def blobs(radosgw: Radosgw, proxy: FaultyProxy, tmp_path: Path) -> S3Blobs:
    """Blobs behind the proxy, one of which is large."""
    location = radosgw.location(radosgw.make_bucket())
    open_s3_blobs(location, cache=tmp_path / "writer", max_bytes=SIZE).put(KEY, pieces())
    return open_s3_blobs(
        radosgw.location(location.bucket, endpoint=proxy.address), cache=tmp_path / "cache", max_bytes=SIZE
    )


def pieces() -> Iterator[bytes]:
    return (bytes([number]) * MIB for number in range(SIZE // MIB))


@pytest.mark.parametrize("times", [1, 3, 8])
def test_a_download_that_is_cut_is_resumed(blobs: S3Blobs, proxy: FaultyProxy, times: int) -> None:
    proxy.cut_after(5 * MIB, times=times)
    assert b"".join(blobs.open(KEY)) == b"".join(pieces())
    assert proxy.faults_left == 0


def test_a_download_that_stalls_for_a_minute_is_resumed(blobs: S3Blobs, proxy: FaultyProxy) -> None:
    proxy.stall_after(20 * MIB, seconds=60, times=1)
    assert b"".join(blobs.open(KEY)) == b"".join(pieces())
    assert proxy.faults_left == 0


def test_uploads_that_are_cut_succeed_or_leave_nothing(
    blobs: S3Blobs, proxy: FaultyProxy, radosgw: Radosgw, tmp_path: Path
) -> None:
    other = KEY.replace("0", "f")
    proxy.cut_uploads_after(3 * MIB, times=2)
    try:
        blobs.put(other, pieces())
    except StorageFailure:
        proxy.heal()
        assert other not in list(blobs.keys("patches", before=_later()))
    else:
        assert b"".join(blobs.open(other)) == b"".join(pieces())


@pytest.mark.parametrize("status", [503, 500, 404])
def test_errors_of_a_proxy_are_no_missing_blobs(blobs: S3Blobs, proxy: FaultyProxy, status: int) -> None:
    proxy.answer_with(status)
    for call in (lambda: blobs.open(KEY), lambda: blobs.put(KEY, [b"x"]), lambda: blobs.delete(KEY), blobs.check):
        with pytest.raises(StorageFailure):
            call()
    proxy.heal()
    assert b"".join(blobs.open(KEY)) == b"".join(pieces())


def test_memory_does_not_grow_with_the_size_of_a_blob(radosgw: Radosgw, tmp_path: Path) -> None:
    arguments = [radosgw.make_bucket(), radosgw.address, ACCESS_KEY, SECRET_KEY, str(tmp_path / "cache")]
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, *arguments], capture_output=True, text=True, check=True, timeout=600
    )
    # Four parts of 8 MiB are sent at the same time, and the client keeps some of what it has sent.
    assert int(done.stdout) < 96 * MIB


def test_a_stalled_server_stops_neither_other_requests_nor_downloads(
    radosgw: Radosgw,
    proxy: FaultyProxy,
    sqlite_databases: SqliteDatabases,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As many images are requested as use all threads that requests share."""
    monkeypatch.setattr(s3_bucket, "_READ_TIMEOUT", timedelta(seconds=5))
    monkeypatch.setattr(s3_bucket, "_RETRIES", {"max_retries": 0})
    settings: dict[str, Any] = {
        "objects_url": f"s3://{radosgw.make_bucket()}",
        "objects_endpoint": proxy.address,
        "objects_access_key_id": ACCESS_KEY,
        "objects_secret_access_key": SECRET_KEY,
    }
    with running_world(tmp_path, database_url=sqlite_databases.fresh(tmp_path / "data"), **settings) as world:
        game = Doom.at(world)
        version = game.add("1.0", OLD)
        content = f"/api/v1/versions/{version}/content"
        whole = game.admin.get(content).content
        images = [world.services.objects.write(b"bytes", media_type="image/webp") for _ in range(60)]
        with world.services.db.write() as session:
            for image in images:
                world.services.objects.adopt(session, image, reader="internal")
        proxy.stall_after(0, seconds=60, times=1_000_000)
        callers = [world.with_token(game.admin.token) for _ in images]

        with ThreadPoolExecutor(len(images)) as threads:
            asked = [
                threads.submit(caller.get, f"/api/v1/object/{image.id}")
                for caller, image in zip(callers, images, strict=True)
            ]
            wait_until(lambda: proxy.faults_left <= 1_000_000 - 8)
            for _ in range(10):
                assert game.admin.get("/api/v1/store/featured").status_code == 200
                assert game.admin.get(content).content == whole
            assert not all(each.done() for each in asked)
            assert {each.result().status_code for each in asked} == {503}

        proxy.heal()
        assert game.admin.get("/api/v1/admin/damage").json() == []


def _later() -> datetime:
    return datetime.now(UTC) + timedelta(days=1)
