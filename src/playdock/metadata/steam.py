"""The Steam adapter. It needs no API key.

The community search finds games by name, including those no longer sold; if it finds none or fails, the store search is
used. Both return little more than names. IStoreBrowseService/GetItems returns the rest, for many games per request.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

import msgspec
import structlog
from msgspec import Struct
from msgspec.structs import replace

from playdock.fetching.requests import Deadline, Request
from playdock.metadata.client_factory import ProviderClientFactory
from playdock.metadata.errors import ProviderError
from playdock.metadata.game_metadata import GameMetadata, ImageOffer
from playdock.metadata.provider_client import ProviderClient
from playdock.metadata.providers import Capability, SearchResult
from playdock.metadata.rate_limit import RateLimit
from playdock.metadata.reading import MAX_TAGS, clean_name, is_searchable, page_path, tagged_id
from playdock.metadata.release_notes import ReleaseNotes
from playdock.metadata.steam_games import (
    SteamAddresses,
    SteamItem,
    items_of,
    metadata_of,
    search_result_of,
    tag_names_of,
)
from playdock.metadata.steam_news import FEED, release_notes_of
from playdock.metadata.steam_search import MAX_ID, community_results, store_results
from playdock.metadata.tolerance import ignoring_permanent_errors
from playdock.settings import Settings

_log = structlog.get_logger()
_T = TypeVar("_T")

# Valve documents no limit; the store is known to block clients that exceed about 200 requests in five minutes.
_RATE_LIMIT = RateLimit(calls=200, seconds=300)
# A repeated import searches for the same names again; new games may wait a day to be found.
_SEARCH_CACHE_LIFETIME = timedelta(days=1)
# Long enough for a search, an import plan and the import itself; a later refresh gets current data.
_GAME_CACHE_LIFETIME = timedelta(hours=1)
# An import of several versions asks once.
_NEWS_CACHE_LIFETIME = timedelta(hours=1)
# Those of several years, for most games.
_MAX_NEWS = 100
# Steam rarely adds tags.
_TAG_CACHE_LIFETIME = timedelta(days=14)
# More results than anyone reads; they fit into one request for details.
_MAX_RESULTS = 20
# The ids are part of the URL, which must not become too long.
_MAX_GAMES_PER_REQUEST = 50

_SITES = ("https://store.steampowered.com", "https://steamcommunity.com")
_ID = re.compile(r"[1-9]\d{0,9}", re.ASCII)
_PAGE = re.compile(r"/app/([1-9]\d{0,9})(?:/|$)", re.ASCII)

_CONTEXT = {"language": "english", "country_code": "US"}
_BRIEF = {"include_assets": True, "include_basic_info": True, "include_platforms": True, "include_release": True}
_FULL = _BRIEF | {
    "include_full_description": True,
    "include_ratings": True,
    "include_reviews": True,
    "include_screenshots": True,
    "include_tag_count": MAX_TAGS,
}


class Steam(Struct, frozen=True):
    """The Steam store."""

    client: ProviderClient
    urls: SteamAddresses
    source_id: str = "Steam"
    name: str = "Steam"
    capabilities: frozenset[Capability] = frozenset((Capability.SEARCH, Capability.FETCH))

    def recognize(self, query: str) -> str | None:
        """Recognize `570`, `steam-570`, and the URL of a game's page in the store or the community."""
        page = _PAGE.search(page_path(query, *_SITES, self.urls.store, self.urls.community))
        return _valid_id(page[1] if page else tagged_id(query, "steam") or query.strip())

    def search(self, query: str, *, within: Deadline) -> Sequence[SearchResult]:
        name = clean_name(query)
        if not is_searchable(name):
            return ()
        results = {result.id: result for result in self._search_by_name(name, within)[:_MAX_RESULTS]}
        details = self._details(list(results), within)
        return [_merged(result, details.get(result.id, result)) for result in results.values()]

    def fetch(self, ids: Sequence[str], *, within: Deadline) -> Mapping[str, GameMetadata]:
        valid = list(dict.fromkeys(app_id for app_id in map(_valid_id, ids) if app_id))
        starts = range(0, len(valid), _MAX_GAMES_PER_REQUEST)
        items = [
            item
            for start in starts
            for item in self._items(
                valid[start : start + _MAX_GAMES_PER_REQUEST], _FULL, within, cache_for=_GAME_CACHE_LIFETIME
            )
        ]
        tag_names = self._tag_names(within) if any(item.tag_ids for item in items) else {}
        return {str(item.appid): metadata_of(item, self.urls, tag_names) for item in items}

    def pictures(self, game: GameMetadata, *, within: Deadline) -> Sequence[ImageOffer]:  # noqa: ARG002 - not offered
        return ()

    def download(self, offer: ImageOffer, *, within: Deadline) -> bytes:
        return self.client.picture(offer.address, within=within)

    def release_notes(self, game_id: str, *, within: Deadline) -> Sequence[ReleaseNotes]:
        app_id = _valid_id(game_id)
        if app_id is None:
            return ()
        params = {"appid": app_id, "count": str(_MAX_NEWS), "feeds": FEED}
        request = Request(f"{self.urls.api}/ISteamNews/GetNewsForApp/v2/?{urlencode(params)}")
        return self.client.read(request, release_notes_of, within=within, cache_for=_NEWS_CACHE_LIFETIME)

    def _search_by_name(self, name: str, within: Deadline) -> Sequence[SearchResult]:
        """Search the community for at most half of the time, and the store if that fails or finds nothing."""
        try:
            results = self._search_community(name, Deadline.after(within.left / 2))
        except ProviderError as error:
            _log.warning("community search failed, searching the store", provider=self.source_id, reason=str(error))
            return self._search_store(name, within)
        return results or ignoring_permanent_errors(partial(self._search_store, name, within))

    def _search_community(self, name: str, within: Deadline) -> list[SearchResult]:
        request = Request(f"{self.urls.community}/actions/SearchApps/{quote(name, safe='')}")
        return self.client.read(request, community_results, within=within, cache_for=_SEARCH_CACHE_LIFETIME)

    def _search_store(self, name: str, within: Deadline) -> list[SearchResult]:
        params = {"term": name, "cc": "us", "l": "english"}
        request = Request(f"{self.urls.store}/api/storesearch/?{urlencode(params)}")
        return self.client.read(request, store_results, within=within, cache_for=_SEARCH_CACHE_LIFETIME)

    def _details(self, ids: Sequence[str], within: Deadline) -> Mapping[str, SearchResult]:
        """Return search results with details by id, or none if the request fails: names alone are useful too."""
        try:
            items = self._items(ids, _BRIEF, within, cache_for=_SEARCH_CACHE_LIFETIME) if ids else []
        except ProviderError as error:
            _log.warning("search results have no details", provider=self.source_id, reason=str(error))
            return {}
        return {str(item.appid): search_result_of(item, self.urls) for item in items}

    def _items(
        self, ids: Sequence[str], data_request: Mapping[str, Any], within: Deadline, *, cache_for: timedelta
    ) -> list[SteamItem]:
        query = {"ids": [{"appid": int(app_id)} for app_id in ids], "context": _CONTEXT, "data_request": data_request}
        params = {"input_json": msgspec.json.encode(query)}
        items = self._call("IStoreBrowseService/GetItems", params, items_of, within=within, cache_for=cache_for)
        return [item for item in items if str(item.appid) in ids]

    def _tag_names(self, within: Deadline) -> Mapping[int, str]:
        """Return the names of all tags by id, or none if the request fails: games are useful without tags too."""
        method, params = "IStoreService/GetTagList", {"language": "english"}
        try:
            return self._call(method, params, tag_names_of, within=within, cache_for=_TAG_CACHE_LIFETIME)
        except ProviderError as error:
            _log.warning("tags are left out", provider=self.source_id, reason=str(error))
            return {}

    def _call(
        self,
        method: str,
        params: Mapping[str, str | bytes],
        parse: Callable[[Any], _T],
        *,
        within: Deadline,
        cache_for: timedelta,
    ) -> _T:
        request = Request(f"{self.urls.api}/{method}/v1/?{urlencode(params)}")
        return self.client.read(request, parse, within=within, cache_for=cache_for)


def _merged(result: SearchResult, details: SearchResult) -> SearchResult:
    return replace(details, icon=details.icon or result.icon)


def _valid_id(text: str) -> str | None:
    return text if _ID.fullmatch(text) and int(text) <= MAX_ID else None


def set_up(settings: Settings, factory: ProviderClientFactory) -> Steam:
    urls = SteamAddresses(
        api=settings.steam_api_url.rstrip("/"),
        community=settings.steam_community_url.rstrip("/"),
        store=settings.steam_store_url.rstrip("/"),
        images=settings.steam_image_url.rstrip("/"),
        icons=settings.steam_icon_url.rstrip("/"),
    )
    client = factory.client(
        "Steam",
        addresses=(urls.api, urls.community, urls.store),
        pictures=(urls.images, urls.icons),
        rate_limit=_RATE_LIMIT,
    )
    return Steam(client, urls)
