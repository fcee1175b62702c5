"""The commands `backup`, `restore` and `move-database`: what they leave, refuse and say."""

import errno
import os
import re
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random

import msgspec
import pytest

from playdock.backups import marker, rules
from playdock.backups.folder import BackupFolder
from playdock.backups.opening import find
from playdock.backups.storage import Backup, names_of
from playdock.db.deletion_lock import deleting, deletions_held
from playdock.settings import Settings
from playdock.storage import blobs
from playdock.storage.blobs import LocalBlobs
from s3_server import ACCESS_KEY, running_s3

from .conftest import Prompt, add_ada, is_sentence

_PATIENCE = 120


@pytest.fixture
def service(settled: Prompt) -> Prompt:
    """A service with an account, a secret key and objects, two of which have the same content."""
    add_ada(settled, admin=True)
    _data(settled).joinpath("secret.key").write_text("k" * 48)
    _put(settled, 5)
    LocalBlobs(_data(settled) / "objects").put(f"layers/{5:032x}", [b"object 1"])
    return settled


def _data(prompt: Prompt) -> Path:
    return Path(prompt.environment["DATA_DIR"])


def _put(prompt: Prompt, count: int) -> None:
    for number in range(count):
        LocalBlobs(_data(prompt) / "objects").put(f"objects/{number:032x}", [b"object %d" % number])


def _newest(prompt: Prompt) -> Backup:
    return find(Settings(), str(prompt.folder / "kept"))


def _path(backup: Backup) -> Path:
    return Path(backup.place)


def test_a_backup_is_complete_although_old_ones_cannot_be_deleted(service: Prompt) -> None:
    service.run("backup", "kept")
    _path(_newest(service)).joinpath(rules.OBJECTS).write_text("damaged")
    service.run("backup", "kept")
    made = service.run("backup", "kept", "--keep", "2")
    assert (made.status, "is complete" in made.out) == (0, True)
    assert "Deleted 1 old backups" in made.out
    _path(_newest(service)).joinpath(rules.OBJECTS).write_text("damaged")
    made = service.run("backup", "kept", "--keep", "2")
    assert (made.status, "is complete" in made.out) == (0, True)
    assert "Old backups could not be deleted. The list of the backup" in made.out
    assert service.run("restore", "kept", "--check").status == 0


def _flip(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


def _elsewhere(prompt: Prompt, name: str = "elsewhere") -> dict[str, str]:
    return {"DATA_DIR": str(prompt.folder / name), "DATABASE_URL": ""}


def _content(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def _users(file: Path) -> list[str]:
    with closing(sqlite3.connect(file)) as connection:
        return [name for (name,) in connection.execute("SELECT username FROM users")]


def test_a_backup_is_checked_and_restored_elsewhere(service: Prompt) -> None:
    made, checked = service.run("backup", "kept"), service.run("restore", "kept", "--check")
    restored = service.run("restore", "kept", **_elsewhere(service))
    assert (made.status, checked.status, restored.status) == (0, 0, 0), restored.err
    assert "5 of 6 objects are new" in made.out
    assert "is intact: SQLite, schema" in checked.out
    there = service.folder / "elsewhere"
    assert _content(there / "objects") == _content(_data(service) / "objects")
    assert (there / "secret.key").read_text() == "k" * 48
    assert _users(there / "playdock.sqlite3") == ["Ada"]
    modes = {path.stat().st_mode & 0o077 for path in (service.folder / "kept").iterdir()}
    modes |= {path.stat().st_mode & 0o077 for path in _path(_newest(service)).rglob("*")}
    assert modes == {0}
    assert (there / "secret.key").stat().st_mode & 0o777 == 0o600


def test_a_backup_in_s3_is_made_checked_and_restored(service: Prompt) -> None:
    with running_s3() as server:
        keys = {"OBJECTS_ACCESS_KEY_ID": ACCESS_KEY, "OBJECTS_SECRET_ACCESS_KEY": "any", "OBJECTS_REGION": "us-east-1"}
        s3 = {"OBJECTS_ENDPOINT": server.address, **keys}
        made = service.run("backup", "s3://games/backups", "--keep", "1", **s3)
        assert (made.status, "5 of 6 objects are new" in made.out) == (0, True), made.err
        again = service.run("backup", "s3://games/backups", "--keep", "1", **s3)
        assert "Deleted 1 old backups" in again.out
        checked = service.run("restore", "s3://games/backups", "--check", **s3)
        assert "The backup s3://games/backups/20" in checked.out
        restored = service.run("restore", "s3://games/backups", **s3, **_elsewhere(service))
        assert restored.status == 0, restored.err
        for place, words in (
            ("s3://games/none", "no complete backup"),
            ("s3://others/backups", "bucket"),
            ("s3://", "form"),
        ):
            refused = service.run("restore", place, "--check", **s3)
            assert (refused.status, is_sentence(refused.err), words in refused.err) == (1, True, True), refused.err
    there = service.folder / "elsewhere"
    assert _content(there / "objects") == _content(_data(service) / "objects")
    assert _users(there / "playdock.sqlite3") == ["Ada"]


def test_another_backup_copies_only_new_objects_and_old_ones_are_deleted(service: Prompt) -> None:
    service.run("backup", "kept")
    first = _newest(service)
    LocalBlobs(_data(service) / "objects").delete(f"objects/{4:032x}")
    LocalBlobs(_data(service) / "objects").put(f"objects/{9:032x}", [b"new"])
    os.utime(next((_data(service) / "objects").rglob(f"{1:032x}")), (0, 0))
    second = service.run("backup", "kept", "--keep", "1")
    assert "1 of 6 objects are new" in second.out
    assert "Deleted 1 old" in second.out
    folder = BackupFolder(service.folder / "kept")
    assert names_of(folder) == [_newest(service).name] != [first.name]
    hashes = {line.sha256 for line in _newest(service).objects()}
    assert {path.name for path in (folder.root / "objects").rglob("*") if path.is_file()} == hashes
    assert service.run("restore", "kept", "--check").status == 0


@pytest.mark.parametrize(
    ("damage", "named"),
    [
        (lambda path: _flip(path / "database.sqlite3"), "database.sqlite3"),
        (lambda path: (path / "database.sqlite3").unlink(), "database.sqlite3"),
        (lambda path: _flip(path / rules.OBJECTS), rules.OBJECTS),
        (lambda path: _flip(path / "secrets/secret.key"), "secrets/secret.key"),
        (lambda path: _flip(next(p for p in (path.parent / "objects").rglob("*") if p.is_file())), "/objects/"),
    ],
)
def test_damage_is_found_and_named(service: Prompt, damage: Callable[[Path], None], named: str) -> None:
    service.run("backup", "kept")
    damage(_path(_newest(service)))
    checked = service.run("restore", "kept", "--check")
    assert (checked.status, is_sentence(checked.err)) == (1, True)
    assert named in checked.err
    restored = service.run("restore", "kept", **_elsewhere(service))
    assert restored.status == 1
    assert not (service.folder / "elsewhere/playdock.sqlite3").exists()


@pytest.mark.parametrize("below", ["", "/backups"])
def test_a_file_is_no_place_for_backups(service: Prompt, below: str) -> None:
    place = f"{service.folder / 'file'}{below}"
    (service.folder / "file").write_text("kept")

    made, found = service.run("backup", place), service.run("restore", place)

    assert (made.status, found.status) == (1, 1)
    assert f"{place} is not a folder. Choose a folder for the backups." in made.err
    assert f"{place} contains no complete backup." in found.err
    assert (service.folder / "file").read_text() == "kept"


def test_the_folder_that_backups_need_is_named(service: Prompt) -> None:
    # Nobody may create folders there, not even root.
    made = service.run("backup", "/sys/backups")

    assert made.status == 1
    assert "The folder for backups, /sys/backups, cannot be written." in made.err
    assert f"the number {os.geteuid()}," in made.err


@pytest.mark.parametrize("command", ["move-database", "move-objects"])
def test_nothing_is_moved_from_where_no_service_is(bare: Prompt, command: str) -> None:
    target = bare.folder / "new"
    refused = bare.run(command, f"sqlite:///{target}" if command == "move-database" else str(target))

    assert (refused.status, is_sentence(refused.err)) == (1, True)
    assert "There is no database" in refused.err
    assert not any(path.is_file() for path in bare.folder.rglob("*"))


def test_a_database_is_not_moved_with_another_secret_key(service: Prompt) -> None:
    refused = service.run("move-database", f"sqlite:///{service.folder / 'new'}", SECRET_KEY="o" * 40)

    assert (refused.status, "SECRET_KEY is not the key in" in refused.err) == (1, True)
    assert not (service.folder / "new").exists()


def test_nothing_is_restored_where_something_is(service: Prompt) -> None:
    service.run("backup", "kept")
    before = _content(_data(service))
    refused = service.run("restore", "kept")
    assert (refused.status, is_sentence(refused.err), _content(_data(service))) == (1, True, before)
    assert "DATA_DIR is not empty" in refused.err


def test_a_backup_of_a_newer_release_or_another_database_is_refused(service: Prompt) -> None:
    service.run("backup", "kept")
    file = _path(_newest(service)) / rules.LIST
    listed = msgspec.json.decode(file.read_bytes())
    for changed, words in (({"schema": "9999", "release": "9.0"}, "Playdock 9.0 made"), ({"format": 99}, "made this")):
        file.write_bytes(msgspec.json.encode({**listed, **changed}))
        refused = service.run("restore", "kept", **_elsewhere(service))
        assert (refused.status, words in refused.err) == (1, True)
    file.write_bytes(msgspec.json.encode({**listed, "database": "PostgreSQL"}))
    refused = service.run("restore", "kept", **_elsewhere(service))
    assert "The backup is of a PostgreSQL database. Set DATABASE_URL" in refused.err
    file.write_text("{")
    assert "is damaged" in service.run("restore", "kept", "--check").err
    assert "contains no complete backup" in service.run("restore", str(service.folder / "data")).err
    assert not (service.folder / "elsewhere").exists()


def test_an_interrupted_restore_is_continued_and_no_service_starts_before(
    service: Prompt, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.run("backup", "kept")
    with monkeypatch.context() as patch:
        patch.setattr("playdock.db.dumps.load", lambda *_arguments, **_options: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            service.run("restore", "kept", **_elsewhere(service))
    refused = service.run("invite", **_elsewhere(service))
    assert "was interrupted. Run `playdock restore`" in refused.err
    (service.folder / "elsewhere" / marker.NAME).write_text("2020-01-01T000000Z")
    assert "2020-01-01T000000Z was interrupted" in service.run("restore", "kept", **_elsewhere(service)).err
    (service.folder / "elsewhere" / marker.NAME).write_text(_newest(service).name)
    assert service.run("restore", "kept", **_elsewhere(service)).status == 0
    assert service.run("invite", **_elsewhere(service)).status == 0


def test_what_remains_to_be_done_is_printed(service: Prompt) -> None:
    (_data(service) / "secret.key").unlink()
    service.run("backup", "kept", SECRET_KEY="s" * 40, CONTACT="ada@example.org")
    restored = service.run("restore", "kept", **_elsewhere(service))
    assert "SECRET_KEY was a setting" in restored.out
    assert re.search(r"settings were set .*CONTACT", restored.out)


def test_a_full_disk_leaves_the_backups_before_and_the_next_one_succeeds(
    service: Prompt, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.run("backup", "kept")
    _put(service, 8)
    before = names_of(BackupFolder(service.folder / "kept"))

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        failed = service.run("backup", "kept")
    assert (failed.status, is_sentence(failed.err), "full" in failed.err) == (1, True, True)
    assert names_of(BackupFolder(service.folder / "kept")) == before
    assert service.run("backup", "kept").status == 0
    assert service.run("restore", "kept", "--check").status == 0


def test_nothing_is_deleted_during_a_backup(service: Prompt) -> None:
    with closing(service.services()) as services:
        key = f"objects/{0:032x}"
        with deletions_held(services.db):
            services.blobs.delete(key)
            assert services.blobs.descriptor(key) > 0
        services.blobs.delete(key)
        with pytest.raises(blobs.NoSuchBlob):
            services.blobs.descriptor(key)


@pytest.mark.both_databases
def test_a_backup_waits_until_nobody_deletes(prompt: Prompt, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playdock.db.deletion_lock._MAX_WAIT_SECONDS", 0.2)
    with closing(prompt.services()) as services, closing(prompt.services()) as others:
        with deleting(services.db) as one, deleting(others.db) as two:
            refused = prompt.run("backup", "kept")
        assert (one, two, "Another backup of this service is running" in refused.err) == (True, True, True)
        assert prompt.run("backup", "kept").status == 0


@pytest.mark.both_databases
def test_a_running_service_keeps_its_database(prompt: Prompt, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playdock.db.moving._MAX_CLOSING_SECONDS", 0.2)
    target = f"sqlite:///{prompt.folder / 'moved.sqlite3'}"
    with closing(prompt.services()) as services:
        with services.db.read():
            pass
        with services.db.engine.connect():
            refused = prompt.run("move-database", target)
    assert "The database is in use. Stop all" in refused.err
    moved = prompt.run("move-database", target)
    assert (moved.status, f"Now set DATABASE_URL={target} for" in moved.out) == (0, True), moved.err
    assert "It must begin with postgresql://" in prompt.run("move-database", "mysql://x").err


@pytest.mark.heavy
def test_a_backup_and_a_restore_can_be_killed_at_any_moment(service: Prompt) -> None:
    _put(service, 3000)
    random = Random(7)
    for words, options in ((("backup", "kept"), {}), (("restore", "kept"), _elsewhere(service))):
        for _ in range(8):
            process = service.start(*words, **options)
            try:
                process.wait(random.uniform(0.5, 4))
            except Exception:  # noqa: BLE001 - it is still running
                process.send_signal(signal.SIGKILL)
            process.communicate(timeout=_PATIENCE)
        if words[0] == "backup":
            assert service.run(*words).status == 0
            assert service.run("restore", "kept", "--check").status == 0
            assert not list((service.folder / "kept").glob(".unfinished-*"))
    restored = service.folder / "elsewhere"
    if (restored / marker.NAME).exists() or not (restored / "playdock.sqlite3").exists():
        assert service.run("restore", "kept", **_elsewhere(service)).status == 0
    assert _content(service.folder / "elsewhere/objects") == _content(_data(service) / "objects")
