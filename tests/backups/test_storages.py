"""What backups in a folder and in a bucket have in common, and what an S3 server can do to them."""

import shutil
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from databases import PostgresqlDatabases, SqliteDatabases
from playdock.backups import restoring, rules
from playdock.backups.errors import (
    BackupAmongObjects,
    BackupDamaged,
    BackupInLibrary,
    BackupUnreadable,
    InvalidBackupUrl,
    NoBackup,
)
from playdock.backups.opening import find, require_apart
from playdock.backups.restoring import Restoring
from playdock.backups.storage import Backup
from playdock.backups.writing import Backups, BackupSummary
from playdock.db.errors import DeletionLockLost
from playdock.domain.libraries.schemas import BackendKind
from playdock.kit.clock import Clock, utc_now
from playdock.kit.s3_location import is_s3_url
from playdock.kit.storage_failures import StorageFailure
from playdock.models import Library
from playdock.settings import Settings
from playdock.storage.s3_bucket import S3Bucket
from playdock.web.wiring import wire
from postgresql import end_connections_with_locks
from radosgw import Radosgw
from s3_games import settings_of
from s3_server import S3Server, running_s3

_COUNT = 6


@dataclass
class Service:
    """A service whose backups are in a folder, or in a part of a bucket."""

    settings: Settings
    place: str
    folder: Path

    @property
    def _bucket(self) -> S3Bucket:
        return S3Bucket(self.settings.s3_location(self.place))

    def put(self, number: int, content: bytes) -> None:
        with closing(wire(self.settings)) as services:
            services.blobs.put(f"objects/{number:032x}", [content])

    def back_up(self, *, kept: int = 0, clock: Clock = utc_now) -> BackupSummary:
        with closing(wire(self.settings)) as services:
            return Backups(services.db, clock, self.settings, services.blobs).write(self.place, kept=kept)

    def newest(self) -> Backup:
        return find(self.settings, self.place)

    def check(self) -> int:
        return restoring.check(self.newest(), work=self.folder / "check")

    def restore(self, name: str, place: str) -> Path:
        """Restore a backup into a new folder."""
        data = self.folder / name
        settings = msgspec.structs.replace(self.settings, data_dir=data, database_url="")
        with closing(wire(settings)) as services:
            Restoring(services.db, settings, services.blobs).restore(find(settings, place))
        return data

    def files(self) -> dict[str, bytes]:
        """Return what is there, by path."""
        if not is_s3_url(self.place):
            return _content(Path(self.place))
        return {each.key: b"".join(self._bucket.read(each)) for each in self._bucket.list("")}

    def write(self, file: str, content: bytes) -> None:
        if is_s3_url(self.place):
            self._bucket.write(file, [content])
        else:
            Path(self.place, file).write_bytes(content)

    def delete(self, *files: str) -> None:
        if is_s3_url(self.place):
            self._bucket.delete(*files)
        else:
            for file in files:
                Path(self.place, file).unlink()


@pytest.fixture
def simple() -> Iterator[S3Server]:
    with running_s3() as server:
        yield server


@pytest.fixture(params=["folder", "s3", pytest.param("radosgw", marks=pytest.mark.heavy)])
def service(
    request: pytest.FixtureRequest, simple: S3Server, sqlite_databases: SqliteDatabases, tmp_path: Path
) -> Service:
    location = simple.location()
    if request.param == "radosgw":
        server: Radosgw = request.getfixturevalue("radosgw")
        location = server.location(server.make_bucket())
    data = tmp_path / "data"
    data.mkdir()
    (data / "secret.key").write_text("k" * 48)
    settings = Settings(data_dir=data, database_url=sqlite_databases.fresh(data), **settings_of(location))
    service = Service(settings, str(tmp_path / "backups") if request.param == "folder" else location.url, tmp_path)
    for number in range(_COUNT):
        service.put(number, b"object %d" % (number // 2))
    return service


def _content(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_a_backup_is_checked_and_restored(service: Service) -> None:
    made = service.back_up()
    assert (made.objects, made.new_objects, service.check()) == (_COUNT, _COUNT // 2, _COUNT)
    assert made.place == f"{service.place}/{made.name}"
    data = service.restore("elsewhere", made.place)
    assert _content(data / "objects") == _content(service.settings.data_dir / "objects")
    assert (data / "secret.key").read_text() == "k" * 48
    assert (data / "playdock.sqlite3").exists()
    for folder in (data, service.settings.data_dir):
        assert not (folder / rules.WORK).exists()


@pytest.mark.parametrize("service", ["s3"], indirect=True)
def test_a_backup_can_be_moved_from_s3_into_a_folder(service: Service) -> None:
    service.back_up()
    copies = service.folder / "copies"
    for file, content in service.files().items():
        (copies / file).parent.mkdir(parents=True, exist_ok=True)
        (copies / file).write_bytes(content)
    data = service.restore("elsewhere", str(copies))
    assert _content(data / "objects") == _content(service.settings.data_dir / "objects")


def test_another_backup_copies_only_new_objects_and_old_ones_are_deleted(service: Service) -> None:
    first = service.back_up()
    shutil.rmtree(service.settings.data_dir / "objects")
    service.put(0, b"object 0")
    service.put(9, b"new")
    second = service.back_up(kept=1)
    assert (second.objects, second.new_objects, second.pruned) == (2, 1, 1)
    files = service.files()
    assert not [file for file in files if file.startswith(f"{first.name}/")]
    assert len([file for file in files if file.startswith(f"{rules.SHARED}/")]) == 2
    assert service.check() == 2


def test_a_backup_without_its_list_is_not_complete(service: Service) -> None:
    made = service.back_up()
    service.delete(f"{made.name}/{rules.LIST}")
    with pytest.raises(NoBackup):
        service.newest()
    again = service.back_up(clock=lambda: utc_now() + timedelta(minutes=1))
    assert (again.new_objects, service.newest().name) == (0, again.name)


@pytest.mark.parametrize("service", ["s3"], indirect=True)
def test_what_an_interrupted_backup_leaves_in_s3_is_deleted(service: Service) -> None:
    made = service.back_up()
    service.delete(f"{made.name}/{rules.LIST}")
    work = service.settings.data_dir / rules.WORK
    work.mkdir()
    (work / "database.sqlite3").write_bytes(b"unfinished")
    again = service.back_up()
    folders = {file.partition("/")[0] for file in service.files()}
    assert folders == {again.name, rules.SHARED}


@pytest.mark.parametrize("damage", ["changed", "missing"])
@pytest.mark.parametrize("what", ["database.sqlite3", rules.OBJECTS, f"{rules.SECRETS}/secret.key", f"{rules.SHARED}/"])
def test_damage_is_found_and_named(service: Service, what: str, damage: str) -> None:
    made = service.back_up()
    damaged = next(file for file in service.files() if what in file)
    if damage == "missing":
        service.delete(damaged)
    else:
        service.write(damaged, b"something else")
    with pytest.raises(BackupDamaged, match=damaged):
        service.check()
    with pytest.raises(BackupDamaged, match=damaged):
        service.restore("elsewhere", made.place)
    assert not (service.folder / "elsewhere/playdock.sqlite3").exists()


def test_a_damaged_list_is_named(service: Service) -> None:
    made = service.back_up()
    service.write(f"{made.name}/{rules.LIST}", b"{")
    with pytest.raises(BackupUnreadable, match=made.place):
        service.newest()


def _fails(service: Service, simple: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the server refuse everything from the first file of the backup on."""
    write = S3Bucket.write

    def refused(bucket: S3Bucket, key: str, *arguments: Any) -> int:
        if rules.is_name(key.partition("/")[0]):
            simple.failing = (403, "AccessDenied")
        return write(bucket, key, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(S3Bucket, "write", refused)
        with pytest.raises(StorageFailure):
            service.back_up()
    simple.failing = None


@pytest.mark.parametrize("service", ["s3"], indirect=True)
def test_a_failed_upload_leaves_the_backups_before(
    service: Service, simple: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = service.back_up()
    _fails(service, simple, monkeypatch)
    assert service.newest().name == made.name
    assert not (service.settings.data_dir / rules.WORK).exists()
    assert service.check() == _COUNT
    assert service.back_up().new_objects == 0


@pytest.mark.parametrize("service", ["s3"], indirect=True)
def test_a_server_that_cannot_be_used_is_no_damage(service: Service, simple: S3Server) -> None:
    service.back_up()
    backup = service.newest()
    simple.failing = (403, "AccessDenied")
    with pytest.raises(StorageFailure):
        restoring.check(backup, work=service.folder / "check")
    with pytest.raises(StorageFailure):
        service.newest()


@pytest.mark.parametrize(
    ("above", "here", "below", "beside"),
    [
        ("s3://games/play", "s3://games/play/dock", "s3://games/play/dock/backups", "s3://games/play/docks"),
        ("/srv", "/srv/data", "/srv/data/backups", "/srv/database"),
    ],
)
def test_places_that_are_not_apart_are_refused(above: str, here: str, below: str, beside: str) -> None:
    settings = Settings(data_dir=Path("/data"))
    library = Library(name="Games", backend=BackendKind.S3, options={"baseDir": here})
    with_objects = msgspec.structs.replace(settings, objects_url=here)
    for place in (above, here, below):
        with pytest.raises(BackupAmongObjects):
            require_apart(with_objects, place, [])
        with pytest.raises(BackupInLibrary):
            require_apart(settings, place, [library])
    require_apart(with_objects, beside, [library])
    with pytest.raises(BackupAmongObjects):
        require_apart(settings, "/data", [])
    require_apart(settings, "/data/backups", [])


@pytest.mark.parametrize("place", ["http://games/play", "s3://x"])
def test_what_is_no_url_of_s3_is_refused(place: str) -> None:
    with pytest.raises(InvalidBackupUrl):
        find(Settings(), place)


def test_an_object_is_deleted_only_if_no_backup_has_it(service: Service) -> None:
    service.back_up()
    storage = service.newest().storage
    hashes = {bytes.fromhex(line.sha256) for line in service.newest().objects()}
    storage.delete_objects(except_of=hashes, check=lambda: None)
    assert service.check() == _COUNT
    storage.delete_objects(except_of=set(list(hashes)[1:]), check=lambda: None)
    with pytest.raises(BackupDamaged):
        service.check()


def test_a_backup_that_a_person_has_renamed_keeps_its_objects(service: Service) -> None:
    made = service.back_up()
    for file, content in service.files().items():
        if file.startswith(f"{made.name}/"):
            copy = Path(service.place, f"before-upgrade/{file.partition('/')[2]}")
            if not is_s3_url(service.place):
                copy.parent.mkdir(parents=True, exist_ok=True)
            service.write(f"before-upgrade/{file.partition('/')[2]}", content)
    shutil.rmtree(service.settings.data_dir / "objects")
    service.put(9, b"new")
    assert [service.back_up(kept=1).pruned for _ in range(2)] == [1, 1]
    renamed = find(service.settings, f"{service.place}/before-upgrade")
    assert restoring.check(renamed, work=service.folder / "check") == _COUNT


def test_nothing_is_deleted_if_a_list_cannot_be_read(service: Service) -> None:
    made = [service.back_up() for _ in range(3)]
    service.write(f"{made[1].name}/{rules.OBJECTS}", b"damaged")
    again = service.back_up(kept=3)
    assert (again.pruned, again.prune_fault and made[1].name in again.prune_fault) == (0, True)
    assert {each.name for each in (*made, again)} == set(service.newest().storage.complete_names())
    assert service.check() == _COUNT


def test_a_list_without_what_a_backup_needs_is_damaged(service: Service) -> None:
    made = service.back_up()
    file = f"{made.name}/{rules.LIST}"
    listed = msgspec.json.decode(service.files()[file])
    service.write(file, msgspec.json.encode({**listed, "objects": _COUNT + 1}))
    with pytest.raises(BackupDamaged, match=rules.OBJECTS):
        service.check()
    service.write(file, msgspec.json.encode({**listed, "files": listed["files"][:-1]}))
    with pytest.raises(BackupUnreadable):
        service.newest()


def test_a_damaged_backup_does_not_keep_another_one_from_being_restored(service: Service) -> None:
    first, second = service.back_up(), service.back_up()
    service.write(f"{second.name}/{rules.OBJECTS}", b"damaged")
    with pytest.raises(BackupDamaged):
        service.restore("elsewhere", second.place)
    assert (service.restore("elsewhere", first.place) / "playdock.sqlite3").exists()


@pytest.mark.parametrize("service", ["s3"], indirect=True)
def test_a_backup_whose_lock_was_lost_is_not_complete(
    service: Service, postgresql_databases: PostgresqlDatabases, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = postgresql_databases.fresh(service.settings.data_dir)
    settings = msgspec.structs.replace(service.settings, database_url=address)
    write = S3Bucket.write

    def lose(bucket: S3Bucket, key: str, pieces: Iterable[bytes]) -> int:
        if key.endswith(rules.OBJECTS):
            end_connections_with_locks(address)
        return write(bucket, key, pieces)

    with closing(wire(settings)) as services:
        backups = Backups(services.db, utc_now, settings, services.blobs)
        with monkeypatch.context() as patch:
            patch.setattr(S3Bucket, "write", lose)
            with pytest.raises(DeletionLockLost):
                backups.write(service.place)
        with pytest.raises(NoBackup):
            service.newest()
        assert backups.write(service.place).name == service.newest().name
