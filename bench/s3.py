"""Many slow readers of a game in S3, and a backup there, with Ceph's radosgw on the same machine."""

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path

from bench.bare import MIB
from bench.library import import_game, import_version, library_at
from bench.readers import Target
from bench.servers import service
from bench.serving import slow_readers
from bench.table import Row
from playdock.backups.opening import find
from playdock.backups.restoring import check
from playdock.backups.writing import Backups
from playdock.db.database import Database
from playdock.db.migrate import migrate
from playdock.kit.clock import utc_now
from playdock.kit.s3_location import S3Location
from playdock.settings import Settings
from playdock.storage.blobs import LocalBlobs
from playdock.storage.s3_bucket import S3Bucket
from radosgw import MISSING, is_installed, running_radosgw
from s3_games import settings_of

_GAME_BYTES = 256 * MIB
_OBJECTS = 2000
_OBJECT_BYTES = 30_000
_ROUNDS = 3
_THREADS = 8


def measure() -> Iterator[Row]:
    if not is_installed():
        print(f"S3 is not measured. {MISSING}")
        return
    with running_radosgw() as server, tempfile.TemporaryDirectory() as name:
        yield from _readers(server.location(server.make_bucket(), prefix="games"), Path(name) / "service")
        yield from _backups(server.location(server.make_bucket()), Path(name) / "backups")


def _readers(location: S3Location, folder: Path) -> Iterator[Row]:
    bucket = S3Bucket(location)
    bucket.write("Doom/1.0/game", (os.urandom(MIB) for _ in range(_GAME_BYTES // MIB)))
    bucket.write("Doom/1.0/doom.sh", [b"#!/bin/sh\n"])
    folder.mkdir()
    more = {name.upper(): value for name, value in settings_of(location).items()}
    with service(folder, more=more) as served, served.client() as client:
        game = import_game(client, library_at(client, location.url, backend="S3"), "Doom")
        import_version(client, game, "1.0", launch="doom.sh")
        [version] = client.get(f"/api/v1/games/{game}/versions").json()
        address = f"{served.running.address}/api/v1/versions/{version['id']}/content"
        yield from slow_readers(served, Target(address, version["size"], served.token), what=" of a game in S3")


def _backups(location: S3Location, folder: Path) -> Iterator[Row]:
    settings = Settings(data_dir=folder, **settings_of(location))
    blobs = LocalBlobs(settings.objects_dir)
    keys = [f"objects/{number:04x}{number:028x}" for number in range(_OBJECTS)]
    for key in keys:
        blobs.put(key, [os.urandom(_OBJECT_BYTES)])
    bare, whole = [], []
    with closing(Database(settings.database)) as db:
        migrate(db)
        for number in range(_ROUNDS):
            place = f"{location.url}/{number}"
            bare.append(_seconds(partial(_upload, S3Bucket(settings.s3_location(f"{place}-bare")), blobs, keys)))
            whole.append(_seconds(partial(Backups(db, utc_now, settings, blobs).write, place)))
        again = _seconds(partial(Backups(db, utc_now, settings, blobs).write, place))
        checked = _seconds(lambda: check(find(settings, place), work=folder / "check"))
    baseline = statistics.median(bare)
    yield Row(
        f"backup of {_OBJECTS:,} objects of {_OBJECT_BYTES // 1000} kB to S3",
        f"{statistics.median(whole):.1f} s",
        f"only uploading them, {_THREADS} at once: {baseline:.1f} s",
        f"{statistics.median(whole) / baseline:.1f}",
        "",
    )
    yield Row("the next one, without new objects", f"{again:.1f} s", "", f"{again / baseline:.1f}", "")
    yield Row("checking it", f"{checked:.1f} s", "", f"{checked / baseline:.1f}", "")


def _upload(bucket: S3Bucket, blobs: LocalBlobs, keys: list[str]) -> None:
    with ThreadPoolExecutor(_THREADS) as pool:
        list(pool.map(lambda key: bucket.write(key, blobs.open(key)), keys))


def _seconds(work: Callable[[], object]) -> float:
    start = time.monotonic()
    work()
    return time.monotonic() - start
