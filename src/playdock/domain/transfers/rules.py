"""The terms in which transfers are counted."""

from datetime import date
from typing import NamedTuple

from msgspec import Struct


class UserDownload(NamedTuple):
    """The key of one download: a user, a version and a day (UTC)."""

    day: date
    user_id: str
    version_id: str


class Day(Struct, frozen=True):
    """The bytes sent and the number of downloads on a day (UTC)."""

    day: date
    bytes: int = 0
    downloads: int = 0
