"""The responses of ISteamNews/GetNewsForApp of the Steam Web API, with what publishers announce."""

from datetime import UTC, datetime
from typing import Any

import msgspec

from playdock.metadata import prose
from playdock.metadata.reading import clean_name, read, read_all, web_address
from playdock.metadata.release_notes import ReleaseNotes

FEED = "steam_community_announcements"
"""The feed with what publishers write themselves; others have articles of magazines."""

_PATCH = "patchnotes"


class _Item(msgspec.Struct, frozen=True):
    title: str = ""
    url: str = ""
    contents: str = ""
    feedname: str = ""
    date: int = 0
    tags: tuple[str, ...] = ()


class _News(msgspec.Struct, frozen=True):
    newsitems: list[Any] | None = None


class _Response(msgspec.Struct, frozen=True):
    appnews: Any = None


def release_notes_of(response: Any) -> list[ReleaseNotes]:
    """Parse a response.

    Raises:
        ValueError: it has no news, not even an empty list of them.
    """
    items = read(_News, read(_Response, response).appnews).newsitems
    if items is None:
        raise ValueError(response)
    found = (each for each in read_all(_Item, items) if each.feedname == FEED and each.title and each.date > 0)
    return [
        ReleaseNotes(
            title=clean_name(each.title),
            text=prose.from_bbcode(each.contents, base=each.url),
            address=web_address(each.url),
            published=datetime.fromtimestamp(min(each.date, 2**32), UTC),
            is_patch=_PATCH in each.tags,
        )
        for each in found
    ]
