"""Steam: games as its shop tells of them. No key is needed.

The shop's own pages ask two services that Valve does not document. IStoreQueryService/SearchSuggestions finds what is
on sale and IStoreBrowseService/GetItems tells of it in batches, both in the same words. What is no longer sold is known
to the second and to the community's search, which therefore is asked where the shop finds nothing.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar
from urllib.parse import quote

import msgspec
import structlog

from playdock.fetching.web import Deadline, Request
from playdock.metadata.allowances import Allowance
from playdock.metadata.desk import Desk
from playdock.metadata.errors import ProviderFault
from playdock.metadata.facts import GameFacts, PictureOffer
from playdock.metadata.office import Office
from playdock.metadata.providers import Ability, Found
from playdock.metadata.reading import MOST_TAGS, one_name, page_path, read_all, tagged_id, web_address
from playdock.metadata.steam_games import Shop, SteamItem, facts_of, found_of, items_of, tag_names_of
from playdock.settings import Settings

_log = structlog.get_logger()
_T = TypeVar("_T")

_ALLOWANCE = Allowance(calls=200, seconds=300)
_SEARCHES_KEPT = timedelta(days=1)
_GAMES_KEPT = timedelta(hours=1)
_TAGS_KEPT = timedelta(days=14)
_MOST_FOUND = 20
_BATCH = 50

_SITES = ("https://store.steampowered.com", "https://steamcommunity.com")
_ID = re.compile(r"[1-9]\d{0,9}", re.ASCII)
_LARGEST_ID = 2**32 - 1
_PAGE = re.compile(r"/app/([1-9]\d{0,9})(?:/|$)", re.ASCII)

_SOLD = {f"include_{kind}": True for kind in ("games", "demos", "mods", "dlc", "software", "music")}
_CONTEXT = {"language": "english", "country_code": "US", "steam_realm": 1}
_BRIEF = {"include_assets": True, "include_basic_info": True, "include_platforms": True, "include_release": True}
_WHOLE = _BRIEF | {
    "include_full_description": True,
    "include_ratings": True,
    "include_reviews": True,
    "include_screenshots": True,
    "include_tag_count": MOST_TAGS,
}


class _Listed(msgspec.Struct, frozen=True):
    """A game in an answer of the community's search."""

    appid: str = ""
    name: str = ""
    icon: str = ""


@dataclass(frozen=True, slots=True)
class Steam:
    """Steam's shop."""

    desk: Desk
    shop: Shop
    source_id: str = "Steam"
    name: str = "Steam"
    can: frozenset[Ability] = frozenset((Ability.SEARCH, Ability.FETCH))

    def recognise(self, query: str) -> str | None:
        """Read `570`, `steam-570`, or the address of a game's page in the shop or the community."""
        page = _PAGE.search(page_path(query, *_SITES, self.shop.store, self.shop.community))
        return _an_id(page[1] if page else tagged_id(query, "steam") or query.strip())

    def search(self, query: str, *, within: Deadline) -> Sequence[Found]:
        wanted = one_name(query)
        if not any(sign.isalnum() for sign in wanted):
            return ()
        return self._on_sale(wanted, within) or self._in_the_community(wanted, within)

    def fetch(self, ids: Sequence[str], *, within: Deadline) -> Mapping[str, GameFacts]:
        wanted = list(dict.fromkeys(found for found in map(_an_id, ids) if found))
        batches = (wanted[start : start + _BATCH] for start in range(0, len(wanted), _BATCH))
        items = [item for batch in batches for item in self._games(batch, within)]
        tag_names = self._tag_names(within) if any(item.tags for item in items) else {}
        return {str(item.appid): facts_of(item, self.shop, tag_names) for item in items}

    def pictures(self, facts: GameFacts, *, within: Deadline) -> Sequence[PictureOffer]:  # noqa: ARG002 - not offered
        return ()

    def download(self, offer: PictureOffer, *, within: Deadline) -> bytes:
        return self.desk.picture(offer.address, within=within)

    def _on_sale(self, wanted: str, within: Deadline) -> list[Found]:
        asked = {
            "search_term": wanted,
            "max_results": _MOST_FOUND,
            "context": _CONTEXT,
            "filters": {"type_filters": _SOLD},
            "data_request": _BRIEF,
        }
        items = self._ask("IStoreQueryService/SearchSuggestions", asked, items_of, within=within, keep=_SEARCHES_KEPT)
        return [found_of(item, self.shop) for item in items[:_MOST_FOUND]]

    def _in_the_community(self, wanted: str, within: Deadline) -> list[Found]:
        request = Request(f"{self.shop.community}/actions/SearchApps/{quote(wanted, safe='')}")
        listed = self.desk.read(request, partial(read_all, _Listed), within=within, keep=_SEARCHES_KEPT)
        return [
            Found(each.appid, one_name(each.name), icon=web_address(each.icon))
            for each in listed[:_MOST_FOUND]
            if _an_id(each.appid) and one_name(each.name)
        ]

    def _games(self, ids: Sequence[str], within: Deadline) -> list[SteamItem]:
        asked = {"ids": [{"appid": int(each)} for each in ids], "context": _CONTEXT, "data_request": _WHOLE}
        items = self._ask("IStoreBrowseService/GetItems", asked, items_of, within=within, keep=_GAMES_KEPT)
        return [item for item in items if str(item.appid) in ids]

    def _tag_names(self, within: Deadline) -> Mapping[int, str]:
        """Give the names of all tags, none if they cannot be had: a game without tags is better than none."""
        asked = {"language": "english"}
        try:
            return self._ask("IStoreService/GetTagList", asked, tag_names_of, within=within, keep=_TAGS_KEPT)
        except ProviderFault as reason:
            _log.warning("tags are left out", provider=self.source_id, reason=str(reason))
            return {}

    def _ask(
        self, method: str, asked: Mapping[str, Any], form: Callable[[Any], _T], *, within: Deadline, keep: timedelta
    ) -> _T:
        request = Request(f"{self.shop.api}/{method}/v1/?input_json={quote(msgspec.json.encode(asked), safe='')}")
        return self.desk.read(request, form, within=within, keep=keep)


def _an_id(text: str) -> str | None:
    return text if _ID.fullmatch(text) and int(text) <= _LARGEST_ID else None


def set_up(settings: Settings, office: Office) -> Steam:
    shop = Shop(
        api=settings.steam_api_url.rstrip("/"),
        community=settings.steam_community_url.rstrip("/"),
        store=settings.steam_store_url.rstrip("/"),
        images=settings.steam_image_url.rstrip("/"),
        icons=settings.steam_icon_url.rstrip("/"),
    )
    desk = office.desk(
        "Steam", addresses=(shop.api, shop.community), pictures=(shop.images, shop.icons), allowance=_ALLOWANCE
    )
    return Steam(desk, shop)
