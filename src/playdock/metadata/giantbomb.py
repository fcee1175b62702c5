"""The GiantBomb adapter (https://www.giantbomb.com/api/documentation). It needs an API key.

The key is part of every URL, so URLs must not appear in messages. Every response is an envelope with its own status
code.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar
from urllib.parse import urlencode

import msgspec

from playdock.fetching.requests import Deadline, Request, origin_of
from playdock.kit.messages import Message
from playdock.metadata import prose
from playdock.metadata.client_factory import ProviderClientFactory
from playdock.metadata.errors import ProviderError, StatusRefused
from playdock.metadata.game_metadata import (
    AgeRating,
    GameMetadata,
    ImageOffer,
    Precision,
    RatingFact,
    ReleaseDate,
    Role,
    TagFact,
    TagKind,
    Website,
)
from playdock.metadata.provider_client import ProviderClient
from playdock.metadata.providers import Capability, SearchResult
from playdock.metadata.rate_limit import RateLimit
from playdock.metadata.reading import (
    MAX_COMPANIES,
    MAX_SCREENSHOTS,
    MAX_TAGS,
    clean_name,
    date_or_none,
    is_searchable,
    page_path,
    read,
    read_all,
    release_date,
    scaled_score,
    tagged_id,
    unique_names,
    web_address,
)
from playdock.settings import Settings

_SITE = "https://www.giantbomb.com"
# The limit that GiantBomb documents.
_RATE_LIMIT = RateLimit(calls=200, seconds=3600)
# A repeated import searches for the same names again; new games may wait a day to be found.
_SEARCH_CACHE_LIFETIME = timedelta(days=1)
# Long enough for a search, an import plan and the import itself; a later refresh gets current data.
_GAME_CACHE_LIFETIME = timedelta(hours=1)
# More results than anyone reads.
_MAX_RESULTS = 20
# Longer than any title.
_MAX_QUERY_LENGTH = 200
_PC = {"pc", "mac", "linux"}
_SEARCH_FIELDS = "guid,name,deck,image,original_release_date,expected_release_year,platforms"
_FIELDS = (
    "guid,name,deck,description,site_detail_url,image,images,developers,publishers,genres,themes,reviews,"
    "original_release_date,expected_release_year,expected_release_quarter,expected_release_month,expected_release_day,"
    "original_game_rating"
)
_GUID = re.compile(r"(?:3030-)?([0-9]{1,10})")
_PAGE = re.compile(r"/.*\b(3030-[0-9]{1,10})/?")
_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)", re.ASCII)

# Status codes of envelopes.
_OK, _WRONG_KEY, _NOT_FOUND, _TOO_OFTEN = 1, 100, 101, 107
# HTTP statuses with the same meaning, which GiantBomb sends in place of some envelopes.
_STATUSES = {401: _WRONG_KEY, 403: _WRONG_KEY, 404: _NOT_FOUND, 420: _TOO_OFTEN}
_T = TypeVar("_T")


class _Envelope(msgspec.Struct, frozen=True):
    status_code: int = 0
    results: Any = None


class _Name(msgspec.Struct, frozen=True):
    name: str = ""


class _Image(msgspec.Struct, frozen=True):
    icon_url: str = ""
    super_url: str = ""
    original_url: str = ""
    original: str = ""
    tags: str = ""


class _Review(msgspec.Struct, frozen=True):
    id: int = 0
    score: float = -1
    site_detail_url: str = ""


class _Game(msgspec.Struct, frozen=True):
    guid: str = ""
    name: str = ""
    deck: str = ""
    description: str = ""
    site_detail_url: str = ""
    image: _Image = _Image()
    images: tuple[_Image, ...] = ()
    platforms: tuple[_Name, ...] = ()
    developers: tuple[_Name, ...] = ()
    publishers: tuple[_Name, ...] = ()
    genres: tuple[_Name, ...] = ()
    themes: tuple[_Name, ...] = ()
    reviews: tuple[_Review, ...] = ()
    original_game_rating: tuple[_Name, ...] = ()
    original_release_date: str = ""
    expected_release_year: int = 0
    expected_release_quarter: int = 0
    expected_release_month: int = 0
    expected_release_day: int = 0


class _NotFound(ProviderError):
    """GiantBomb has no such record."""

    def __init__(self, name: str) -> None:
        super().__init__(Message("provider-no-record", provider=name))


@dataclass(frozen=True, slots=True)
class GiantBomb:
    """The GiantBomb provider. Ids are its guids, such as ``3030-4725``."""

    client: ProviderClient
    address: str
    images: str
    key: str = field(repr=False)
    source_id: str = "GiantBomb"
    name: str = "GiantBomb"
    capabilities: frozenset[Capability] = frozenset((Capability.SEARCH, Capability.FETCH))

    def recognize(self, query: str) -> str | None:
        tag = _GUID.fullmatch(tagged_id(query, "giantbomb"))
        page = _PAGE.fullmatch(page_path(query, _SITE, self.address))
        return f"3030-{tag[1]}" if tag else (page[1] if page else None)

    def search(self, query: str, *, within: Deadline) -> Sequence[SearchResult]:
        if not is_searchable(query):
            return []
        params = {
            "query": clean_name(query[:_MAX_QUERY_LENGTH]),
            "resources": "game",
            "limit": str(_MAX_RESULTS),
            "field_list": _SEARCH_FIELDS,
        }
        games = self._call("search", params, partial(read_all, _Game), within=within, cache_for=_SEARCH_CACHE_LIFETIME)
        return [self._search_result(game) for game in games if _GUID.fullmatch(game.guid) and clean_name(game.name)]

    def fetch(self, ids: Sequence[str], *, within: Deadline) -> Mapping[str, GameMetadata]:
        """Return the metadata of games by id, with one request per game.

        The rating comes from a review, which is one more request, so it is only requested for a single game.
        """
        guids = dict.fromkeys(f"3030-{match[1]}" for each in ids if (match := _GUID.fullmatch(each)))
        result = {}
        for guid in guids:
            game = self._game(guid, within=within)
            if game:
                review = self._review(game, within=within) if len(guids) == 1 else None
                result[guid] = self._metadata(guid, game, review)
        return result

    def pictures(self, game: GameMetadata, *, within: Deadline) -> Sequence[ImageOffer]:  # noqa: ARG002 - not offered
        return ()

    def download(self, offer: ImageOffer, *, within: Deadline) -> bytes:
        return self.client.picture(offer.address, within=within)

    def _game(self, guid: str, *, within: Deadline) -> _Game | None:
        path, params, parse = f"game/{guid}", {"field_list": _FIELDS}, partial(read, _Game)
        try:
            game = self._call(path, params, parse, within=within, cache_for=_GAME_CACHE_LIFETIME)
        except _NotFound:
            return None
        return game if clean_name(game.name) else None

    def _review(self, game: _Game, *, within: Deadline) -> _Review | None:
        number = next((review.id for review in game.reviews if review.id > 0), None)
        if number is None:
            return None
        path, params, parse = f"review/1900-{number}", {"field_list": "score,site_detail_url"}, partial(read, _Review)
        try:
            return self._call(path, params, parse, within=within, cache_for=_GAME_CACHE_LIFETIME)
        except _NotFound:
            return None

    def _call(
        self,
        path: str,
        params: Mapping[str, str],
        parse: Callable[[object], _T],
        *,
        within: Deadline,
        cache_for: timedelta,
    ) -> _T:
        query = urlencode({"api_key": self.key, "format": "json", **params})
        request = Request(f"{self.address}/{path}/?{query}")
        try:
            return self.client.read(request, partial(self._parsed, parse), within=within, cache_for=cache_for)
        except StatusRefused as error:
            if error.status in _STATUSES:
                raise self._error_for(_STATUSES[error.status]) from None
            raise

    def _parsed(self, parse: Callable[[object], _T], response: object) -> _T:
        envelope = read(_Envelope, response)
        if not envelope.status_code:
            raise ValueError("The envelope has no status code.")
        if envelope.status_code != _OK:
            raise self._error_for(envelope.status_code)
        return parse(envelope.results)

    def _error_for(self, status: int) -> ProviderError:
        """Return the error for the status code of an envelope."""
        if status == _NOT_FOUND:
            return _NotFound(self.name)
        if status == _WRONG_KEY:
            return ProviderError(Message("provider-wrong-key", provider=self.name))
        if status == _TOO_OFTEN:
            return ProviderError(Message("provider-rate-limited", provider=self.name), retryable=True)
        return ProviderError(Message("provider-error", provider=self.name, error=str(status)))

    def _search_result(self, game: _Game) -> SearchResult:
        day = _released(game)
        return SearchResult(
            game.guid,
            clean_name(game.name),
            description=prose.plain(game.deck),
            icon=web_address(game.image.icon_url),
            year=day.date.year if day else 0,
            on_pc=not game.platforms or any(each.name.casefold() in _PC for each in game.platforms),
        )

    def _metadata(self, guid: str, game: _Game, review: _Review | None) -> GameMetadata:
        page = web_address(game.site_detail_url)
        return GameMetadata(
            name=clean_name(game.name),
            short=prose.plain(game.deck),
            description=prose.from_html(game.description, base=self.address),
            released=_released(game),
            developers=unique_names((each.name for each in game.developers), limit=MAX_COMPANIES),
            publishers=unique_names((each.name for each in game.publishers), limit=MAX_COMPANIES),
            tags=tuple(_tags(game))[:MAX_TAGS],
            ratings=tuple(_ratings(review)),
            age_ratings=tuple(_age_ratings(game)),
            pictures=tuple(self._pictures(game)),
            websites=(Website("database", page),) if page else (),
            external_ids={"GiantBomb": guid},
        )

    def _pictures(self, game: _Game) -> Iterator[ImageOffer]:
        """Offer the pictures that are on GiantBomb's own picture servers."""
        shots = [each.original_url or each.original for each in game.images if "screenshot" in each.tags.casefold()]
        pictures = (
            (Role.COVER, [game.image.super_url or game.image.original_url]),
            (Role.ICON, [game.image.icon_url]),
            (Role.CAROUSEL, shots[:MAX_SCREENSHOTS]),
        )
        for role, addresses in pictures:
            own = (each for each in addresses if web_address(each) and origin_of(each) == origin_of(self.images))
            yield from (ImageOffer(role, address) for address in dict.fromkeys(own))


def _released(game: _Game) -> ReleaseDate | None:
    """Return the original release date or, without one, the expected one at its precision."""
    match = _DATE.match(game.original_release_date)
    if match:
        return release_date(date_or_none(int(match[1]), int(match[2]), int(match[3])))
    year, month, quarter = game.expected_release_year, game.expected_release_month, game.expected_release_quarter
    if month and game.expected_release_day:
        return release_date(date_or_none(year, month, game.expected_release_day))
    if month:
        return release_date(date_or_none(year, month), Precision.MONTH)
    if quarter:
        return release_date(date_or_none(year, quarter * 3 - 2), Precision.QUARTER)
    return release_date(date_or_none(year), Precision.YEAR)


def _tags(game: _Game) -> Iterator[TagFact]:
    for kind, tags in ((TagKind.GENRE, game.genres), (TagKind.THEME, game.themes)):
        yield from (TagFact(kind, name) for name in unique_names((tag.name for tag in tags), limit=MAX_TAGS))


def _age_ratings(game: _Game) -> Iterator[AgeRating]:
    """Parse ratings such as ``ESRB: M``."""
    for rating in unique_names((each.name for each in game.original_game_rating), limit=MAX_TAGS):
        board, _, value = (part.strip() for part in rating.partition(":"))
        if board and value:
            yield AgeRating(board, value)


def _ratings(review: _Review | None) -> Iterator[RatingFact]:
    """Return the review's score, which is out of five stars."""
    score = scaled_score(review.score, of=5) if review else None
    if review and score is not None:
        yield RatingFact("GiantBomb", score, 1, web_address(review.site_detail_url))


def set_up(settings: Settings, factory: ProviderClientFactory) -> GiantBomb | None:
    """Return the adapter, or None if the API key is not set."""
    if not settings.giantbomb_api_key:
        return None
    client = factory.client(
        "GiantBomb",
        addresses=(settings.giantbomb_api_url,),
        pictures=(settings.giantbomb_image_url,),
        rate_limit=_RATE_LIMIT,
    )
    address = settings.giantbomb_api_url.rstrip("/")
    return GiantBomb(client, address, settings.giantbomb_image_url, settings.giantbomb_api_key)
