"""Steam: games as its shop tells of them. No key is needed.

The community's search finds games by name, those that are no longer sold among them; where it brings nothing, the
shop's own search is asked. Both give hardly more than names: IStoreBrowseService/GetItems tells the rest, of many games
at a time.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

import msgspec
import structlog

from playdock.fetching.web import Deadline, Request
from playdock.metadata.allowances import Allowance
from playdock.metadata.desk import Desk
from playdock.metadata.errors import ProviderFault
from playdock.metadata.facts import GameFacts, PictureOffer
from playdock.metadata.office import Office
from playdock.metadata.providers import Ability, Found
from playdock.metadata.reading import MOST_TAGS, is_searchable, one_name, page_path, tagged_id
from playdock.metadata.second_look import or_nothing
from playdock.metadata.steam_games import Shop, SteamItem, facts_of, found_of, items_of, tag_names_of
from playdock.metadata.steam_search import LARGEST_ID, listed_by_community, listed_by_shop
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
_PAGE = re.compile(r"/app/([1-9]\d{0,9})(?:/|$)", re.ASCII)

_CONTEXT = {"language": "english", "country_code": "US"}
_BRIEF = {"include_assets": True, "include_basic_info": True, "include_platforms": True, "include_release": True}
_WHOLE = _BRIEF | {
    "include_full_description": True,
    "include_ratings": True,
    "include_reviews": True,
    "include_screenshots": True,
    "include_tag_count": MOST_TAGS,
}


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
        if not is_searchable(wanted):
            return ()
        listed = {found.id: found for found in self._listed(wanted, within)[:_MOST_FOUND]}
        told = self._in_brief(list(listed), within)
        return [_joined(found, told.get(found.id, found)) for found in listed.values()]

    def fetch(self, ids: Sequence[str], *, within: Deadline) -> Mapping[str, GameFacts]:
        wanted = list(dict.fromkeys(found for found in map(_an_id, ids) if found))
        batches = (wanted[start : start + _BATCH] for start in range(0, len(wanted), _BATCH))
        items = [item for batch in batches for item in self._items(batch, _WHOLE, within, keep=_GAMES_KEPT)]
        tag_names = self._tag_names(within) if any(item.tag_ids for item in items) else {}
        return {str(item.appid): facts_of(item, self.shop, tag_names) for item in items}

    def pictures(self, facts: GameFacts, *, within: Deadline) -> Sequence[PictureOffer]:  # noqa: ARG002 - not offered
        return ()

    def download(self, offer: PictureOffer, *, within: Deadline) -> bytes:
        return self.desk.picture(offer.address, within=within)

    def _listed(self, wanted: str, within: Deadline) -> Sequence[Found]:
        """Give what the community's search lists, in half of the time, or else the shop's."""
        try:
            listed = self._by_community(wanted, Deadline.after(within.left / 2))
        except ProviderFault as reason:
            _log.warning("the shop is searched instead", provider=self.source_id, reason=str(reason))
            return self._by_shop(wanted, within)
        return listed or or_nothing(partial(self._by_shop, wanted, within))

    def _by_community(self, wanted: str, within: Deadline) -> list[Found]:
        request = Request(f"{self.shop.community}/actions/SearchApps/{quote(wanted, safe='')}")
        return self.desk.read(request, listed_by_community, within=within, keep=_SEARCHES_KEPT)

    def _by_shop(self, wanted: str, within: Deadline) -> list[Found]:
        asked = {"term": wanted, "cc": "us", "l": "english"}
        request = Request(f"{self.shop.store}/api/storesearch/?{urlencode(asked)}")
        return self.desk.read(request, listed_by_shop, within=within, keep=_SEARCHES_KEPT)

    def _in_brief(self, ids: Sequence[str], within: Deadline) -> Mapping[str, Found]:
        """Tell more of games that a search lists, of none if that cannot be had: their names are worth giving."""
        try:
            items = self._items(ids, _BRIEF, within, keep=_SEARCHES_KEPT) if ids else []
        except ProviderFault as reason:
            _log.warning("only names are given", provider=self.source_id, reason=str(reason))
            return {}
        return {str(item.appid): found_of(item, self.shop) for item in items}

    def _items(
        self, ids: Sequence[str], pieces: Mapping[str, Any], within: Deadline, *, keep: timedelta
    ) -> list[SteamItem]:
        asked = {"ids": [{"appid": int(each)} for each in ids], "context": _CONTEXT, "data_request": pieces}
        question = {"input_json": msgspec.json.encode(asked)}
        items = self._ask("IStoreBrowseService/GetItems", question, items_of, within=within, keep=keep)
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
        self,
        method: str,
        question: Mapping[str, str | bytes],
        form: Callable[[Any], _T],
        *,
        within: Deadline,
        keep: timedelta,
    ) -> _T:
        request = Request(f"{self.shop.api}/{method}/v1/?{urlencode(question)}")
        return self.desk.read(request, form, within=within, keep=keep)


def _joined(listed: Found, told: Found) -> Found:
    return replace(told, icon=told.icon or listed.icon)


def _an_id(text: str) -> str | None:
    return text if _ID.fullmatch(text) and int(text) <= LARGEST_ID else None


def set_up(settings: Settings, office: Office) -> Steam:
    shop = Shop(
        api=settings.steam_api_url.rstrip("/"),
        community=settings.steam_community_url.rstrip("/"),
        store=settings.steam_store_url.rstrip("/"),
        images=settings.steam_image_url.rstrip("/"),
        icons=settings.steam_icon_url.rstrip("/"),
    )
    desk = office.desk(
        "Steam",
        addresses=(shop.api, shop.community, shop.store),
        pictures=(shop.images, shop.icons),
        allowance=_ALLOWANCE,
    )
    return Steam(desk, shop)
