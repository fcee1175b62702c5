"""Opening the storage of backups: a folder, or a part of a bucket in the S3 server of the settings."""

from collections.abc import Iterable
from pathlib import Path

from playdock.backups import rules
from playdock.backups.errors import BackupAmongObjects, BackupInLibrary, InvalidBackupUrl, NoBackup
from playdock.backups.folder import BackupFolder
from playdock.backups.storage import Backup, BackupStorage, names_of, open_backup
from playdock.domain.libraries.service import base_dir_of
from playdock.kit.s3_location import error_of_s3_url, is_s3_url, s3_url, split_s3_url
from playdock.models import Library
from playdock.settings import Settings


def open_storage(settings: Settings, place: str) -> BackupStorage:
    """Return the storage at a path or a URL, without connecting yet.

    Raises:
        InvalidBackupUrl: it is not a URL of S3.
    """
    if "://" not in place:
        return BackupFolder(Path(place).absolute())
    if fault := error_of_s3_url(place):
        raise InvalidBackupUrl(fault)
    from playdock.backups.bucket import open_bucket

    return open_bucket(settings.s3_location(place), work=settings.data_dir / rules.WORK)


def find(settings: Settings, place: str) -> Backup:
    """Return the backup at a path or a URL, or the newest one of a storage there.

    Raises:
        NoBackup: there is none.
        BackupUnreadable: its list is damaged.
    """
    parent, name = _split(place)
    within = open_storage(settings, parent)
    if name and within.contains(name):
        return open_backup(within, name)
    storage = open_storage(settings, place)
    names = names_of(storage)
    if not names:
        raise NoBackup(storage.place())
    return open_backup(storage, names[-1])


def require_apart(settings: Settings, place: str, libraries: Iterable[Library]) -> None:
    """Check that players cannot download backups, and that no cleanup of the service deletes them.

    Raises:
        BackupInLibrary, BackupAmongObjects: they could.
    """
    if _meets_objects(settings, place):
        raise BackupAmongObjects
    for library in libraries:
        if _meet(settings, place, base_dir_of(library)):
            raise BackupInLibrary(library.name)


def _meets_objects(settings: Settings, place: str) -> bool:
    location = settings.objects_in_s3
    return _meet(settings, place, location.url if location else str(settings.objects_dir))


def _meet(settings: Settings, one: str, other: str) -> bool:
    """Return whether one of two places is the other, or in it."""
    if is_s3_url(one) != is_s3_url(other):
        return False
    if is_s3_url(one):
        return settings.s3_location(one).overlaps(settings.s3_location(other))
    paths = Path(one).resolve(), Path(other).resolve()
    return paths[0].is_relative_to(paths[1]) or paths[1].is_relative_to(paths[0])


def _split(place: str) -> tuple[str, str]:
    """Return what a place is in, and its name there; the name is empty if it is a whole bucket."""
    if not is_s3_url(place):
        path = Path(place).absolute()
        return str(path.parent), path.name
    bucket, prefix = split_s3_url(place)
    above, _, name = prefix.rpartition("/")
    return s3_url(bucket, above), name
