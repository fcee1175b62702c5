"""Errors of the database: those that are reported to callers, and one for programming errors."""

from playdock import __version__
from playdock.kit.errors import Unavailable


class DatabaseUnusable(Unavailable):
    """The database is not reachable, or its files cannot be read or written."""


class DatabaseBusy(Unavailable):
    """A lock, a connection or a thread was not available in time."""

    def __init__(self) -> None:
        super().__init__("The database is busy. Try again in a moment.")

    def headers(self) -> dict[str, str]:
        return {"Retry-After": "1"}


class TransactionConflict(Unavailable):
    """The database rolled the transaction back because of a concurrent one, and retrying failed too."""

    def __init__(self) -> None:
        super().__init__("The change conflicts with another one made at the same time. Try again.")

    def headers(self) -> dict[str, str]:
        return {"Retry-After": "1"}


class SchemaUnknown(Unavailable):
    """The database has the schema of a newer release, whose version is ``release``, None if it is not recorded."""

    def __init__(self, current: str, *, newest: str, release: str | None) -> None:
        upgraded = (
            f"Playdock {release} has upgraded the database" if release else "A newer Playdock has upgraded the database"
        )
        super().__init__(
            f"{upgraded} to schema {current}. This is Playdock {__version__}, which supports schema {newest}. Install "
            f"{f'Playdock {release}' if release else 'the newer release'} or later, or restore the database as it was "
            "before the upgrade."
        )


class EncodingUnsuitable(Unavailable):
    """A new database cannot store all text."""

    def __init__(self, encoding: str) -> None:
        super().__init__(
            f"The database has the encoding {encoding}, which cannot store all text. Create it with UTF-8: "
            "createdb --encoding=UTF8 --locale=C.UTF-8 --template=template0 NAME."
        )


class CopyFailed(Unavailable):
    """The database could not be copied before the upgrade of its schema, which was therefore not started."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The database cannot be copied before its upgrade: {reason}. Nothing was changed.")


class OlderReleaseRunning(Unavailable):
    """The upgrade removes what an older release that is running needs; ``running`` names its nodes."""

    def __init__(self, running: str) -> None:
        super().__init__(
            f"The upgrade of the database removes what an older release uses, and one is running: {running}. Stop or "
            "upgrade it, then start this one again. Nothing was changed."
        )


class DumpProgramUnsuitable(Unavailable):
    """The program that reads or writes dumps of PostgreSQL is missing, or older than the server."""

    def __init__(self, program: str, *, needed: int, found: int) -> None:
        state = f"The installed {program} has version {found}" if found else f"{program} is not installed"
        package = f"postgresql-client-{needed}" if needed else "postgresql-client"
        version = f"version {needed} or later of " if needed else ""
        super().__init__(
            f"{state}. Install {version}PostgreSQL's client programs, on Debian the package {package}.",
            parameters={"program": program},
        )


class DumpFailed(Unavailable):
    """A program could not write or restore a dump of PostgreSQL."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"PostgreSQL's program reported an error: {reason}", parameters={"reason": reason})
        self.reason = reason


class DumpDamaged(Unavailable):
    """A dump cannot be read."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The database in the backup is damaged: {reason}. Use another backup.")


class DeletionLockTaken(Unavailable):
    """Another backup of the same service is running."""

    def __init__(self) -> None:
        super().__init__("Another backup of this service is running. Try again when it has ended.")


class DeletionLockLost(Unavailable):
    """The connection to the database was lost during a backup."""

    def __init__(self) -> None:
        super().__init__("The connection to the database was lost, so the backup may be incomplete. Start it again.")


class DatabaseInUse(Unavailable):
    """Other processes use a database that must not be in use."""

    def __init__(self, what: str) -> None:
        super().__init__(f"The {what} is in use. Stop all `playdock serve` and `playdock worker` processes first.")


class MoveFailed(Unavailable):
    """The rows of a database could not be copied into another one."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The database was not moved: {reason} Nothing was changed.")


class LockOrderViolation(RuntimeError):
    """A transaction took locks in an order in which it could deadlock with another one: a programming error."""


class NestedTransaction(RuntimeError):
    """A thread opened a transaction while it already had one open, which is a programming error.

    The inner one would wait for the outer one forever (SQLite), or not see its changes (PostgreSQL).
    """

    def __init__(self) -> None:
        super().__init__(
            "This thread already has a transaction open. Pass its session to the function, or end it first."
        )
