"""The PCGamingWiki adapter (https://www.pcgamingwiki.com/wiki/PCGamingWiki:API). It needs no API key.

A search finds titles of pages first. There are two ways to get the metadata of these pages. The first sections of pages
can be read anonymously, fifty per request, and include descriptions. The database (Cargo) is the documented API, but
since August 2026 it rejects anonymous requests; a mirror, or the wiki itself later, may allow them. Only twenty
requests per minute are allowed, so the way that failed last is not tried first. The text is licensed under CC
BY-NC-SA, so the websites of a game always include its page.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Any, Protocol
from urllib.parse import parse_qs, urljoin, urlsplit

import msgspec
import structlog
from msgspec import Struct

from playdock.fetching.requests import Deadline, Request
from playdock.metadata.client_factory import ProviderClientFactory
from playdock.metadata.errors import ProviderError, RateLimited
from playdock.metadata.game_metadata import GameMetadata, ImageOffer
from playdock.metadata.mediawiki import MediaWiki
from playdock.metadata.pcgamingwiki_cargo import Cargo
from playdock.metadata.pcgamingwiki_pages import PageHeads, WikiAddresses
from playdock.metadata.provider_client import ProviderClient
from playdock.metadata.providers import Capability, SearchResult
from playdock.metadata.rate_limit import RateLimit
from playdock.metadata.reading import clean_name, page_path, read, read_all, tagged_id
from playdock.metadata.tolerance import ignoring_permanent_errors
from playdock.settings import Settings

_log = structlog.get_logger()

_SITE = "https://www.pcgamingwiki.com"
# The wiki's limit for anonymous clients.
_RATE_LIMIT = RateLimit(calls=20, seconds=60)
# A repeated import searches for the same names again; new games may wait a day to be found.
_SEARCH_CACHE_LIFETIME = timedelta(days=1)
# The wiki's search has no ranking by title; relevant results are among the first.
_MAX_RESULTS = 10

# The cache key of the name of the way to try first.
PREFERRED_WAY = "PCGamingWiki: first way"
# After a day the default is tried first again, in case it works again.
_PREFERENCE_LIFETIME = timedelta(days=1)

_NUMBER = re.compile(r"[1-9][0-9]{0,8}")
_TITLE = re.compile(r"wiki/([^|#<>\[\]{}]{1,255})")
_STEAM_ID = re.compile(r"steam/([1-9][0-9]{0,9})")
_NOT_IN_TITLES = re.compile(r"[|#<>\[\]{}_™®©\s]+")
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")


class WikiWay(Protocol):
    """A way to get metadata from the wiki. Missing pages and pages of anything but games are left out."""

    @property
    def name(self) -> str:
        """Return the name under which the way is stored as the preferred one."""

    def find(self, titles: Sequence[str], *, within: Deadline) -> list[GameMetadata]:
        """Return what search results need, in as few requests as possible."""

    def fetch(self, ids: Sequence[str], titles: Sequence[str], *, within: Deadline) -> list[GameMetadata]:
        """Return all metadata of games."""


class _Hit(msgspec.Struct, frozen=True):
    title: str = ""


class _Hits(msgspec.Struct, frozen=True):
    search: list[Any] | None = None


class _Envelope(msgspec.Struct, frozen=True):
    query: _Hits = _Hits()


class PCGamingWiki(Struct, frozen=True):
    """The PCGamingWiki provider. Ids are page ids; `fetch` also accepts `wiki/<title>` and `steam/<id>`."""

    client: ProviderClient
    wiki: WikiAddresses
    source_id: str = "PCGamingWiki"
    name: str = "PCGamingWiki"
    capabilities: frozenset[Capability] = frozenset((Capability.SEARCH, Capability.FETCH))

    def recognize(self, query: str) -> str | None:
        """Recognize `pcgw-1234`, the URL of a page, and the URL that redirects from a Steam id to a page."""
        path = page_path(query, _SITE, self.wiki.site)
        params = parse_qs(urlsplit(query.strip()).query) if path else {}
        steam_id = f"steam/{params['appid'][0]}" if path.endswith("/api/appid.php") and "appid" in params else ""
        title = f"wiki/{path.partition('/wiki/')[2]}" if "/wiki/" in path else ""
        number = params.get("curid", [""])[0] or tagged_id(query, "pcgw", "pcgamingwiki")
        candidate = steam_id or title or number
        return candidate if any(kind.fullmatch(candidate) for kind in (_NUMBER, _TITLE, _STEAM_ID)) else None

    def search(self, query: str, *, within: Deadline) -> Sequence[SearchResult]:
        titles = self._titles(clean_name(query), within)[:_MAX_RESULTS]
        games = self._query(lambda way: way.find(titles, within=within)) if titles else []
        return [_search_result(game) for game in games]

    def fetch(self, ids: Sequence[str], *, within: Deadline) -> Mapping[str, GameMetadata]:
        numbers = [each for each in ids if _NUMBER.fullmatch(each)]
        titles = _usable(each.removeprefix("wiki/").replace("_", " ") for each in ids if each.startswith("wiki/"))
        steam_ids = [match[1] for each in ids if (match := _STEAM_ID.fullmatch(each))]
        titles += _usable(self._title_of_steam_id(each, within) for each in steam_ids)
        if not (numbers or titles):
            return {}
        games = self._query(lambda way: way.fetch(numbers, titles, within=within))
        return {_id(game): game for game in games}

    def pictures(self, game: GameMetadata, *, within: Deadline) -> Sequence[ImageOffer]:  # noqa: ARG002 - not offered
        return ()

    def download(self, offer: ImageOffer, *, within: Deadline) -> bytes:
        return self.client.picture(offer.address, within=within)

    @property
    def _api(self) -> MediaWiki:
        return MediaWiki(self.client, f"{self.wiki.site}/w/api.php")

    def _titles(self, name: str, within: Deadline) -> Sequence[str]:
        """Return the titles that begin with a name or, if there are none, of pages that contain all its words."""
        start, words = _NOT_IN_TITLES.sub(" ", name).strip(), " ".join(_WORD.findall(name))
        if not words:
            return ()
        prefix = {"action": "opensearch", "search": start, "limit": str(_MAX_RESULTS), "redirects": "resolve"}
        containing = {"action": "query", "list": "search", "srsearch": words, "srlimit": str(_MAX_RESULTS)}
        send = partial(self._api.send, within=within, cache_for=_SEARCH_CACHE_LIFETIME)
        return send(prefix, _suggested) or ignoring_permanent_errors(partial(send, containing, _hits))

    def _query(self, send: Callable[[WikiWay], list[GameMetadata]]) -> list[GameMetadata]:
        """Query the preferred way and, if that fails, the other one, which is then preferred for a day."""
        first, second = self._ways()
        try:
            return send(first)
        except RateLimited:
            raise
        except ProviderError as failure:
            error = failure
        _log.warning("request failed, trying the other way", provider=self.source_id, reason=str(error))
        self.client.provider_store.cache_response(
            self.source_id, PREFERRED_WAY, second.name.encode(), lifetime=_PREFERENCE_LIFETIME
        )
        try:
            return send(second)
        except ProviderError:
            raise error from None

    def _ways(self) -> tuple[WikiWay, WikiWay]:
        """Return the way to try first, and the other one."""
        heads, cargo = PageHeads(self._api, self.wiki), Cargo(self._api, self.wiki)
        preferred = self.client.provider_store.cached_response(PREFERRED_WAY)
        return (cargo, heads) if preferred == cargo.name.encode() else (heads, cargo)

    def _title_of_steam_id(self, steam_id: str, within: Deadline) -> str:
        """Return the title of a Steam game's page, to which the wiki redirects; empty if there is none."""
        request = Request(f"{self.wiki.site}/api/appid.php?appid={steam_id}")
        path = page_path(_absolute(self.client.redirect_target(request, within=within), request.url), self.wiki.site)
        return path.partition("/wiki/")[2].replace("_", " ")


def _suggested(response: Any) -> list[str]:
    """Parse a response of opensearch: the query, the titles, and further lists."""
    _, titles, *_ = msgspec.convert(response, list[Any])
    return _usable(msgspec.convert(titles, list[str]))


def _hits(response: Any) -> list[str]:
    """Parse a response of the full-text search."""
    hits = read(_Envelope, response).query.search
    if hits is None:
        raise ValueError(response)
    return _usable(hit.title for hit in read_all(_Hit, hits))


def _usable(titles: Iterable[str]) -> list[str]:
    """Return the valid titles: an invalid one would make the whole query fail."""
    return [title for title in titles if title.isprintable() and _TITLE.fullmatch(f"wiki/{title}")]


def _id(game: GameMetadata) -> str:
    return game.external_ids["PCGamingWiki"]


def _search_result(game: GameMetadata) -> SearchResult:
    """Return a game as a search result."""
    cover = next((offer.address for offer in game.pictures), "")
    year = game.released.date.year if game.released else 0
    return SearchResult(_id(game), game.name, description=game.short, icon=cover, year=year)


def _absolute(target: str, base: str) -> str:
    try:
        return urljoin(base, target)
    except ValueError:
        return ""


def set_up(settings: Settings, factory: ProviderClientFactory) -> PCGamingWiki:
    wiki = WikiAddresses(settings.pcgamingwiki_url.rstrip("/"), settings.pcgamingwiki_image_url.rstrip("/"))
    client = factory.client("PCGamingWiki", addresses=(wiki.site,), pictures=(wiki.images,), rate_limit=_RATE_LIMIT)
    return PCGamingWiki(client, wiki)
