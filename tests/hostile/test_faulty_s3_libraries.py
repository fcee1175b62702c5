"""A library in a real S3 server behind a proxy that cuts, stalls and refuses: right bytes or an error, no damage."""

import os
import resource
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest

from databases import SqliteDatabases
from faulty_proxy import FaultyProxy, running_proxy
from playdock.storage import s3_bucket
from playdock.storage.s3_bucket import S3Bucket
from radosgw import Radosgw
from s3_games import GamesInS3, settings_of
from spoiling import verify_all
from world import World, running_world

pytestmark = pytest.mark.heavy

MIB = 1024 * 1024
FILES = {
    "doom": b"".join(os.urandom(MIB) for _ in range(40)),
    "data/a b+c%20d#e?.pak": os.urandom(3 * MIB),
    "data/ünï [1]~.txt": b"text",
    "empty": b"",
}
IMAGE = b"".join(FILES[path] for path in sorted(FILES))


@pytest.fixture
def proxy(radosgw: Radosgw) -> Iterator[FaultyProxy]:
    with running_proxy(radosgw.address) as running:
        yield running


@pytest.fixture
def stock(
    radosgw: Radosgw, proxy: FaultyProxy, sqlite_databases: SqliteDatabases, tmp_path: Path
) -> Iterator[GamesInS3]:
    """A library behind the proxy, which the test fills directly."""
    location = radosgw.location(radosgw.make_bucket(), endpoint=proxy.address)
    database = sqlite_databases.fresh(tmp_path / "data")
    with running_world(tmp_path, database_url=database, **settings_of(location)) as world:
        stock = GamesInS3.at(world, location)
        stock.bucket = S3Bucket(radosgw.location(location.bucket))
        yield stock


def forget(world: World) -> None:
    """Empty the cache."""
    for path in (world.services.settings.data_dir / "cache/unpacked").iterdir():
        path.unlink()


def test_an_import_and_a_download_get_through_cuts(stock: GamesInS3, proxy: FaultyProxy) -> None:
    stock.lay("1.0", FILES)
    proxy.cut_after(MIB, times=20)
    version = stock.add("1.0")
    proxy.cut_after(3 * MIB, times=3)
    assert stock.content(version).content == IMAGE
    verify_all(stock.world, stock.admin)
    assert stock.damage() == []


def test_a_download_gets_through_a_stall_of_a_minute(stock: GamesInS3, proxy: FaultyProxy) -> None:
    version = stock.add("1.0", FILES)
    proxy.stall_after(2 * MIB, seconds=60, times=1)
    assert stock.content(version, timeout=120).content == IMAGE
    assert proxy.faults_left == 0


@pytest.mark.parametrize("status", [503, 404])
def test_a_server_that_fails_or_has_lost_the_bucket_is_unavailable(
    stock: GamesInS3, proxy: FaultyProxy, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    monkeypatch.setattr(s3_bucket, "_RETRIES", {"max_retries": 0})
    version = stock.add("1.0", FILES)
    proxy.answer_with(status)
    for part in ("content", "files/doom", "archive.zip"):
        assert stock.content(version, part).status_code == 503
    proxy.heal()
    assert stock.content(version).content == IMAGE
    assert stock.damage() == []


def test_a_bucket_that_vanishes_is_no_damage(stock: GamesInS3, radosgw: Radosgw) -> None:
    version = stock.add("1.0", FILES)
    bucket = S3Bucket(radosgw.location(stock.library["options"]["baseDir"].split("/")[2], prefix=""))
    for each in list(bucket.list("")):
        bucket.delete(each.key)
    for part in ("content", "files/doom"):
        assert stock.content(version, part).status_code == 503
    started = stock.admin.post("/api/v1/admin/task", {"taskGroup": "verify:content"}).json()
    assert "empty" in "".join(stock.world.finish(stock.admin, started["id"])["log"])
    assert stock.damage() == []


def test_slow_readers_use_little_memory(stock: GamesInS3) -> None:
    """Thirty readers take the beginning of a version each, and wait."""
    version = stock.add("1.0", FILES)
    path = f"/api/v1/versions/{version}/content"
    assert stock.content(version).content == IMAGE
    before, go = resident(), threading.Event()

    def read(_: int) -> bytes:
        headers = {"Authorization": f"Bearer {stock.admin.token}"}
        with (
            httpx2.Client(base_url=stock.world.address, timeout=300) as client,
            client.stream("GET", path, headers=headers) as response,
        ):
            assert response.status_code == 200
            pieces = response.iter_raw(65_536)
            first = next(pieces)
            ready.release()
            go.wait(300)
            return first

    ready = threading.Semaphore(0)
    with ThreadPoolExecutor(30) as threads:
        readers = [threads.submit(read, number) for number in range(30)]
        for _ in readers:
            assert ready.acquire(timeout=300)
        grown = resident() - before
        go.set()
        assert all(reader.result() for reader in readers)
    assert grown < 30 * 2 * MIB + 32 * MIB, grown


def resident() -> int:
    """Return the memory of this process in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
