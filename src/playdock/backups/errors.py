"""Errors of backups, which mostly commands and failed tasks report."""

from playdock import __version__
from playdock.kit.errors import Conflict, Invalid, Unavailable


class BackupFolderUnset(Conflict):
    """There is no place for backups."""

    def __init__(self) -> None:
        super().__init__("BACKUP_FOLDER is not set, so there is no place for backups.")


class BackupFolderBusy(Unavailable):
    """Another process is writing to the backup folder."""

    def __init__(self) -> None:
        super().__init__("Another process is writing to the backup folder. Try again when it has ended.")


class BackupFolderIsFile(Conflict):
    """The folder for backups is a file, or is in one."""

    def __init__(self, place: str) -> None:
        super().__init__(f"{place} is not a folder. Choose a folder for the backups.", parameters={"place": place})


class BackupFolderNotWritable(Unavailable):
    """The service has no permission to write to the folder for backups, or it is read-only."""

    def __init__(self, place: str, user: int) -> None:
        super().__init__(
            f"The folder for backups, {place}, cannot be written. It must exist, belong to the user with the number "
            f"{user}, and not be read-only.",
            parameters={"place": place, "user": user},
        )


class BackupInLibrary(Conflict):
    """The backups are in a library, from which players can download."""

    def __init__(self, library: str) -> None:
        super().__init__(
            f"The backups would be in the library {library}, or contain it. They have password hashes: choose another "
            "folder or prefix.",
            parameters={"library": library},
        )


class BackupAmongObjects(Conflict):
    """The backups are where the service has its objects, which it deletes if it does not know them."""

    def __init__(self) -> None:
        super().__init__(
            "The backups would be where images and manifests are (OBJECTS_URL), or contain that place. Choose another "
            "folder or prefix."
        )


class InvalidBackupUrl(Invalid):
    """The URL of a backup is not one of S3."""


class NoBackup(Unavailable):
    """A folder, or a prefix in S3, contains no complete backup."""

    def __init__(self, place: str) -> None:
        super().__init__(f"{place} contains no complete backup.")


class BackupUnreadable(Unavailable):
    """The list of a backup cannot be read."""

    def __init__(self, place: str) -> None:
        super().__init__(f"The list of the backup {place} is damaged. Use another backup.")


class BackupDamaged(Unavailable):
    """Files of a backup are missing or have other content than when it was made."""

    def __init__(self, names: list[str], *, count: int) -> None:
        more = f" and {count - len(names):,} more" if count > len(names) else ""
        super().__init__(f"The backup is damaged: {', '.join(names)}{more}. Use another backup.")


class BackupTooNew(Unavailable):
    """A newer release has made the backup."""

    def __init__(self, release: str) -> None:
        super().__init__(
            f"Playdock {release} made this backup. This is Playdock {__version__}, which cannot read it. Install "
            f"Playdock {release} or later."
        )


class OtherDatabaseKind(Unavailable):
    """The backup is of the other kind of database."""

    def __init__(self, *, made_from: str) -> None:
        advice = "Unset DATABASE_URL" if made_from == "SQLite" else "Set DATABASE_URL to an empty PostgreSQL database"
        super().__init__(
            f"The backup is of a {made_from} database. {advice}, restore it, and then use `playdock move-database`."
        )


class DestinationNotEmpty(Unavailable):
    """What a backup is restored to is not empty."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} is not empty, so nothing was changed. Choose an empty one.")


class RestoreInterrupted(Unavailable):
    """A restore into this place has not been completed."""

    def __init__(self, backup: str) -> None:
        super().__init__(
            f"Restoring the backup {backup} was interrupted. Run `playdock restore` with it again, or delete the "
            "database and everything in DATA_DIR and OBJECTS_URL."
        )


class NothingToMove(Unavailable):
    """There is no service in the place that was to be moved."""

    def __init__(self, file: str) -> None:
        super().__init__(f"There is no database {file}, so nothing was moved. Check the settings, and what is mounted.")


class SameDatabase(Unavailable):
    """A database was to be moved into itself."""

    def __init__(self) -> None:
        super().__init__("This is the database that DATABASE_URL names. Name another, empty one.")


class SameStorage(Unavailable):
    """Objects were to be moved to where they are."""

    def __init__(self) -> None:
        super().__init__("This is where OBJECTS_URL says that objects are. Name another folder, or another prefix.")


class ObjectNotMoved(Unavailable):
    """An object is different after it was copied, or was deleted during the copy."""

    def __init__(self, key: str) -> None:
        super().__init__(
            f"The object {key} could not be copied unchanged. Stop all processes of Playdock, and start the command "
            "again; it continues."
        )
