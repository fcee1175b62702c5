"""A cache of database values that are valid until they are changed (docs/decisions/0022)."""

from typing import Generic, TypeVar

from msgspec import Struct, field

from playdock.db.database import Database
from playdock.db.revisions import Numbers, Subject

# A few kilobytes each, so several megabytes in total.
_MAX_ENTRIES = 4096

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class CommitScopedCache(Struct, Generic[_Key, _Value]):
    """Values read from the tables of a subject, by key. Used only in the thread of the event loop.

    A value is stored with the revision that was read before the value, and is returned only while the current revision
    is the same: every commit that changes the subject changes the revision.
    """

    db: Database
    subject: Subject
    _values: dict[_Key, _Value] = field(default_factory=dict)
    _revision: int | None = None

    async def cached(self, key: _Key) -> _Value | None:
        """Return the cached value if the database confirms that it is current, else None."""
        return self.cached_at(await self.db.revisions.latest(), key)

    def cached_at(self, numbers: Numbers | None, key: _Key) -> _Value | None:
        """Return the cached value if it is current at ``numbers``, which were read during the request."""
        if numbers is None:
            return None
        revision = numbers.of(self.subject)
        if revision != self._revision:
            self._values.clear()
            self._revision = revision
        return self._values.get(key)

    def clear(self) -> None:
        """Remove all values."""
        self._values.clear()

    @property
    def revision(self) -> int | None:
        """The latest revision that was read. Pass it to `store` with values that are read from now on."""
        return self._revision

    def store(self, key: _Key, value: _Value, *, revision: int | None) -> None:
        """Store a value that was read after ``revision``, unless a later revision has been read since."""
        if revision is not None and revision == self._revision and len(self._values) < _MAX_ENTRIES:
            self._values[key] = value
