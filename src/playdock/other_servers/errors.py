"""Reasons why another server cannot be read."""

from pathlib import Path

from playdock.kit.errors import Invalid, Unavailable


class SourceUrlInvalid(Invalid):
    """The URL of the other server's database is not one."""

    def __init__(self) -> None:
        super().__init__(
            "--from must be the URL of a database: postgresql://user:password@host:port/database, "
            "mariadb://user:password@host:port/database or sqlite:////path/to/database.sqlite."
        )


class SourceUnreadable(Unavailable):
    """The database of the other server cannot be read."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The database of the other server cannot be read: {reason}. Check --from.")


class SourceUnsupported(Invalid):
    """The database belongs to another program, or to a release that is not supported."""

    def __init__(self, wanted: str, missing: str) -> None:
        super().__init__(
            f"This is not a database of {wanted}: {missing} is missing. Check --from, and upgrade the other server "
            "to a supported release if it is older."
        )


class SavesUnknown(Invalid):
    """A folder does not contain the saved games of the other server."""

    def __init__(self, folder: Path, place: str) -> None:
        super().__init__(f"{folder} does not contain saved games. --saves names what the other server sees as {place}.")


class ExportUnknown(Invalid):
    """A folder is not an export that this release can import, with the reason."""


class ExportDamaged(Invalid):
    """A file of an export is missing or not as it was written."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"The export is damaged: {name}: {reason}. Copy it again, or export again.")
