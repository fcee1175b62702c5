"""The IGDB adapter (https://api-docs.igdb.com). It needs the client id and secret of a Twitch application.

Queries are written in IGDB's query language, Apicalypse. A query can name fields of related records, so one request
returns all metadata of up to 500 games.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import partial
from html import escape

from msgspec import Struct

from playdock.fetching.requests import Deadline, Request
from playdock.metadata import prose
from playdock.metadata.client_factory import ProviderClientFactory
from playdock.metadata.errors import StatusRefused
from playdock.metadata.game_metadata import GameMetadata, ImageOffer
from playdock.metadata.igdb_games import (
    EXTRA_TYPES,
    FIELDS,
    PC_PLATFORMS,
    SEARCH_FIELDS,
    IgdbGame,
    day_of,
    metadata_of,
    picture,
)
from playdock.metadata.provider_client import ProviderClient
from playdock.metadata.providers import Capability, SearchResult
from playdock.metadata.rate_limit import RateLimit
from playdock.metadata.reading import clean_name, is_searchable, page_path, read_all, tagged_id
from playdock.metadata.twitch import AccessTokens
from playdock.settings import Settings

_SITE = "https://www.igdb.com"
# The limit that IGDB documents.
_RATE_LIMIT = RateLimit(calls=4, seconds=1)
# A repeated import searches for the same names again; new games may wait a day to be found.
_SEARCH_CACHE_LIFETIME = timedelta(days=1)
# Long enough for a search, an import plan and the import itself; a later refresh gets current data.
_GAME_CACHE_LIFETIME = timedelta(hours=1)
# The largest number of records that IGDB returns for one query.
_MAX_GAMES = 500
# IGDB's search orders roughly; results are ranked again by similarity, so more are requested than are shown.
_MAX_RESULTS = 50
# Longer than any title.
_MAX_QUERY_LENGTH = 200
_UNAUTHORIZED = 401
_NUMBER = re.compile(r"[0-9]{1,10}")
_PAGE = re.compile(r"/?games/([a-z0-9-]{1,200})/?")


class Igdb(Struct, frozen=True):
    """The IGDB provider. Ids are numbers; `fetch` also accepts the path of a game's page."""

    client: ProviderClient
    tokens: AccessTokens
    address: str
    images: str
    source_id: str = "IGDB"
    name: str = "IGDB"
    capabilities: frozenset[Capability] = frozenset((Capability.SEARCH, Capability.FETCH))

    def recognize(self, query: str) -> str | None:
        number = _NUMBER.fullmatch(query.strip()) or _NUMBER.fullmatch(tagged_id(query, "igdb"))
        page = _PAGE.fullmatch(page_path(query, _SITE, self.address))
        return number[0] if number else (page[0] if page else None)

    def search(self, query: str, *, within: Deadline) -> Sequence[SearchResult]:
        """Use IGDB's search and, if it finds nothing, search for names that contain the query."""
        if not is_searchable(query):
            return []
        name = quoted(query[:_MAX_QUERY_LENGTH])
        head = f"fields {SEARCH_FIELDS}; limit {_MAX_RESULTS};"
        games = self._games(f"{head} search {name};", within=within, cache_for=_SEARCH_CACHE_LIFETIME)
        if not games:
            containing = f"where name ~ *{name}* | alternative_names.name ~ *{name}*;"
            games = self._games(f"{head} {containing}", within=within, cache_for=_SEARCH_CACHE_LIFETIME)
        return [self._search_result(game) for game in games]

    def fetch(self, ids: Sequence[str], *, within: Deadline) -> Mapping[str, GameMetadata]:
        valid = list(dict.fromkeys(each for each in ids if _NUMBER.fullmatch(each) or _PAGE.fullmatch(each)))
        result: dict[str, GameMetadata] = {}
        for start in range(0, len(valid), _MAX_GAMES):
            query = f"fields {FIELDS}; where {_any_of(valid[start : start + _MAX_GAMES])}; limit {_MAX_GAMES};"
            games = self._games(query, within=within, cache_for=_GAME_CACHE_LIFETIME)
            result |= {str(game.id): metadata_of(game, images=self.images) for game in games}
        return result

    def pictures(self, game: GameMetadata, *, within: Deadline) -> Sequence[ImageOffer]:  # noqa: ARG002 - not offered
        return ()

    def download(self, offer: ImageOffer, *, within: Deadline) -> bytes:
        return self.client.picture(offer.address, within=within)

    def _games(self, query: str, *, within: Deadline, cache_for: timedelta) -> list[IgdbGame]:
        """Return the games of a query; if the access token is refused, retry once with a new one."""
        token = self.tokens.current(within=within)
        try:
            return self._query(query, token, within=within, cache_for=cache_for)
        except StatusRefused as refusal:
            if refusal.status != _UNAUTHORIZED:
                raise
        token = self.tokens.renewed(token, within=within)
        try:
            return self._query(query, token, within=within, cache_for=cache_for)
        except StatusRefused as refusal:
            raise self.tokens.wrong_credentials() if refusal.status == _UNAUTHORIZED else refusal from None

    def _query(self, query: str, token: str, *, within: Deadline, cache_for: timedelta) -> list[IgdbGame]:
        headers = {
            "Client-ID": self.tokens.client_id,
            "Authorization": f"Bearer {token}",
            "Accept": "application/json",
            "Content-Type": "text/plain; charset=utf-8",
        }
        request = Request(f"{self.address}/games", "POST", headers, query.encode())
        games = self.client.read(request, partial(read_all, IgdbGame), within=within, cache_for=cache_for)
        return [game for game in games if game.id > 0 and clean_name(game.name)]

    def _search_result(self, game: IgdbGame) -> SearchResult:
        released = day_of(game)
        return SearchResult(
            str(game.id),
            clean_name(game.name),
            description=prose.plain_lines(escape(game.summary)),
            icon=picture(self.images, game.cover, "cover_small"),
            year=released.year if released else 0,
            on_pc=not game.platforms or not PC_PLATFORMS.isdisjoint(game.platforms),
            extra=game.game_type in EXTRA_TYPES,
        )


def quoted(text: str) -> str:
    """Return text as a string literal of Apicalypse: on one line, with backslashes and quotes escaped."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    escaped = line.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _any_of(ids: Sequence[str]) -> str:
    """Return the condition that selects games by numbers and paths of pages."""
    numbers = [str(int(each)) for each in ids if _NUMBER.fullmatch(each)]
    pages = [page[1] for each in ids if (page := _PAGE.fullmatch(each))]
    conditions = [f"id = ({','.join(numbers)})"] if numbers else []
    return " | ".join(conditions + [f"slug = {quoted(slug)}" for slug in pages])


def set_up(settings: Settings, factory: ProviderClientFactory) -> Igdb | None:
    """Return the adapter, or None if the client id or secret is not set."""
    if not (settings.igdb_client_id and settings.igdb_client_secret):
        return None
    client = factory.client(
        "IGDB",
        addresses=(settings.igdb_api_url, settings.igdb_token_url),
        pictures=(settings.igdb_image_url,),
        rate_limit=_RATE_LIMIT,
    )
    tokens = AccessTokens(client, settings.igdb_token_url, settings.igdb_client_id, settings.igdb_client_secret)
    return Igdb(client, tokens, settings.igdb_api_url.rstrip("/"), settings.igdb_image_url.rstrip("/"))
