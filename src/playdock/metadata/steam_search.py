"""What Steam's two searches by name list: ids, names and little else."""

from collections.abc import Iterable
from typing import Any

import msgspec

from playdock.metadata.providers import Found
from playdock.metadata.reading import one_name, read, read_all, web_address

LARGEST_ID = 2**32 - 1


class _InCommunity(msgspec.Struct, frozen=True):
    appid: int = 0
    name: str = ""
    icon: str = ""


class _Platforms(msgspec.Struct, frozen=True):
    windows: bool = True
    mac: bool = True
    linux: bool = True


class _OnSale(msgspec.Struct, frozen=True):
    """An item of the shop; besides ``app`` there are bundles of several, whose ids are others."""

    type: str = "app"
    id: int = 0
    name: str = ""
    tiny_image: str = ""
    platforms: _Platforms = _Platforms()


class _Items(msgspec.Struct, frozen=True):
    items: list[Any] | None = None


def listed_by_community(answer: Any) -> list[Found]:
    """Read an answer of the community's search: a list."""
    listed = read_all(_InCommunity, answer)
    return _usable(Found(str(each.appid), one_name(each.name), icon=web_address(each.icon)) for each in listed)


def listed_by_shop(answer: Any) -> list[Found]:
    """Read an answer of the shop's search: an object with `items`."""
    items = read(_Items, answer).items
    if items is None:
        raise ValueError(answer)
    return _usable(_found(item) for item in read_all(_OnSale, items) if item.type in ("app", "game"))


def _found(item: _OnSale) -> Found:
    on_pc = item.platforms.windows or item.platforms.mac or item.platforms.linux
    return Found(str(item.id), one_name(item.name), icon=web_address(item.tiny_image), on_pc=on_pc)


def _usable(found: Iterable[Found]) -> list[Found]:
    return [each for each in found if each.name and 0 < int(each.id) <= LARGEST_ID]
