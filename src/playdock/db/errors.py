"""Errors of the database: those that are reported to callers, and one for programming errors."""

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
    """The database has the schema of a newer release."""

    def __init__(self, current: str, *, newest: str) -> None:
        super().__init__(
            f"The database has schema {current}, but the newest schema that this release supports is {newest}. Start "
            "the release that upgraded the database, or restore a backup from before the upgrade."
        )


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
