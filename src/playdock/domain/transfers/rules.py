"""The terms in which transfers are counted."""

from dataclasses import dataclass
from datetime import date
from typing import NamedTuple


class UserDownload(NamedTuple):
    """The key of one download: a user, a version and a day (UTC)."""

    day: date
    user_id: str
    version_id: str


@dataclass(frozen=True, slots=True)
class Day:
    """The bytes sent and the number of downloads on a day (UTC)."""

    day: date
    bytes: int = 0
    downloads: int = 0
