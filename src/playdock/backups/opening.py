"""Opening the storage of backups: a folder, or a part of a bucket in the S3 server of the settings."""

from collections.abc import Iterable
from pathlib import Path

from playdock.backups import rules
from playdock.backups.errors import BackupAmongObjects, BackupInLibrary, InvalidBackupUrl, NoBackup
from playdock.backups.folder import BackupFolder
from playdock.backups.storage import Backup, BackupStorage, open_backup
from playdock.domain.libraries.schemas import BackendKind
from playdock.domain.libraries.service import base_dir_of
from playdock.kit.s3_location import S3Location, error_of_s3_url, is_s3_url, s3_url, split_s3_url
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
    names = storage.names()
    if not names:
        raise NoBackup(storage.place())
    return open_backup(storage, names[-1])


def require_apart(settings: Settings, place: str, libraries: Iterable[Library]) -> None:
    """Check that players cannot download backups, and that no cleanup of the service deletes them.

    Raises:
        BackupInLibrary, BackupAmongObjects: they could.
    """
    if is_s3_url(place):
        location = settings.s3_location(place)
        objects = settings.objects_in_s3
        if objects is not None and location.overlaps(objects):
            raise BackupAmongObjects
        meeting = (each for each in libraries if _is_in_s3(each) and location.overlaps(_location_of(settings, each)))
    else:
        folder = Path(place).resolve()
        meeting = (each for each in libraries if not _is_in_s3(each) and _overlap(folder, _folder_of(each)))
    if library := next(meeting, None):
        raise BackupInLibrary(library.name)


def _split(place: str) -> tuple[str, str]:
    """Return what a place is in, and its name there; the name is empty if it is a whole bucket."""
    if not is_s3_url(place):
        path = Path(place).absolute()
        return str(path.parent), path.name
    bucket, prefix = split_s3_url(place)
    above, _, name = prefix.rpartition("/")
    return s3_url(bucket, above), name


def _is_in_s3(library: Library) -> bool:
    return library.backend == BackendKind.S3


def _location_of(settings: Settings, library: Library) -> S3Location:
    return settings.s3_location(base_dir_of(library))


def _folder_of(library: Library) -> Path:
    return Path(base_dir_of(library)).resolve()


def _overlap(one: Path, other: Path) -> bool:
    return one.is_relative_to(other) or other.is_relative_to(one)
