"""Remembering what was read for exactly as long as nobody has committed anything to the database.

Where the database has no number that tells of commits, nothing is remembered (decision 4).
"""

from dataclasses import dataclass, field
from typing import Generic, TypeVar

from playdock.db.database import Database

_MOST = 4096

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


@dataclass(slots=True)
class Remembered(Generic[_Key, _Value]):
    """What was read, by key. It belongs to the event loop's thread, and costs no I/O that waits."""

    db: Database
    _known: dict[_Key, _Value] = field(default_factory=dict)
    _revision: int | None = None

    def recall(self, key: _Key) -> _Value | None:
        """Give what is known without asking."""
        revision = self.db.revision()
        if revision is None or revision != self._revision:
            self._known.clear()
            self._revision = revision
        return self._known.get(key)

    def forget(self) -> None:
        """Take everything for unknown."""
        self._known.clear()

    @property
    def revision(self) -> int | None:
        """The revision that `recall` saw last: what is read after that may be remembered with it."""
        return self._revision

    def remember(self, key: _Key, value: _Value, *, revision: int | None) -> None:
        """Keep what was read, if nothing was committed since ``revision``."""
        if revision is not None and revision == self._revision and len(self._known) < _MOST:
            self._known[key] = value
