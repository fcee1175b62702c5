"""The responses of Steam's two searches by name, which contain little more than ids and names."""

from collections.abc import Iterable
from typing import Any

import msgspec

from playdock.metadata.providers import SearchResult
from playdock.metadata.reading import clean_name, read, read_all, web_address

# Steam's app ids are 32-bit unsigned integers.
MAX_ID = 2**32 - 1


class _CommunityItem(msgspec.Struct, frozen=True):
    appid: int = 0
    name: str = ""
    icon: str = ""


class _Platforms(msgspec.Struct, frozen=True):
    windows: bool = True
    mac: bool = True
    linux: bool = True


class _StoreItem(msgspec.Struct, frozen=True):
    """An item of the store. Items other than ``app`` are bundles, whose ids are not app ids."""

    type: str = "app"
    id: int = 0
    name: str = ""
    tiny_image: str = ""
    platforms: _Platforms = _Platforms()


class _Items(msgspec.Struct, frozen=True):
    items: list[Any] | None = None


def community_results(response: Any) -> list[SearchResult]:
    """Parse a response of the community search, which is an array."""
    items = read_all(_CommunityItem, response)
    return _usable(SearchResult(str(each.appid), clean_name(each.name), icon=web_address(each.icon)) for each in items)


def store_results(response: Any) -> list[SearchResult]:
    """Parse a response of the store search, which is an object with `items`.

    Raises:
        ValueError: there are no `items`.
    """
    items = read(_Items, response).items
    if items is None:
        raise ValueError(response)
    return _usable(_search_result(item) for item in read_all(_StoreItem, items) if item.type in ("app", "game"))


def _search_result(item: _StoreItem) -> SearchResult:
    on_pc = item.platforms.windows or item.platforms.mac or item.platforms.linux
    return SearchResult(str(item.id), clean_name(item.name), icon=web_address(item.tiny_image), on_pc=on_pc)


def _usable(results: Iterable[SearchResult]) -> list[SearchResult]:
    return [result for result in results if result.name and 0 < int(result.id) <= MAX_ID]
