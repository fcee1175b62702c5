"""GiantBomb (https://www.giantbomb.com/api/documentation), for those who have a key.

The key is part of every address, so no address may be told to anybody. Every answer comes in an envelope with a status
of its own.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar
from urllib.parse import urlencode

import msgspec

from playdock.fetching.web import Deadline, Request, origin_of
from playdock.metadata import prose
from playdock.metadata.allowances import Allowance
from playdock.metadata.desk import Desk
from playdock.metadata.errors import ProviderFault, Refused
from playdock.metadata.facts import (
    AgeRating,
    GameFacts,
    PictureOffer,
    Precision,
    RatingFact,
    ReleaseDate,
    Role,
    TagFact,
    TagKind,
    Website,
)
from playdock.metadata.office import Office
from playdock.metadata.providers import Ability, Found
from playdock.metadata.reading import (
    MOST_COMPANIES,
    MOST_SCREENSHOTS,
    MOST_TAGS,
    calendar_day,
    is_searchable,
    names,
    one_name,
    page_path,
    read,
    read_all,
    released,
    share,
    tagged_id,
    web_address,
)
from playdock.settings import Settings

_SITE = "https://www.giantbomb.com"
_ALLOWANCE = Allowance(calls=200, seconds=3600)
_KEEP_SEARCH, _KEEP_GAME = timedelta(days=1), timedelta(hours=1)
_MOST_FOUND = 20
_MOST_QUERY = 200
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

_FINE, _WRONG_KEY, _NOT_FOUND, _TOO_OFTEN = 1, 100, 101, 107
_STATUSES = {401: _WRONG_KEY, 403: _WRONG_KEY, 404: _NOT_FOUND, 420: _TOO_OFTEN}
_T = TypeVar("_T")


class _Envelope(msgspec.Struct, frozen=True):
    status_code: int = 0
    results: Any = None


class _Named(msgspec.Struct, frozen=True):
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
    platforms: tuple[_Named, ...] = ()
    developers: tuple[_Named, ...] = ()
    publishers: tuple[_Named, ...] = ()
    genres: tuple[_Named, ...] = ()
    themes: tuple[_Named, ...] = ()
    reviews: tuple[_Review, ...] = ()
    original_game_rating: tuple[_Named, ...] = ()
    original_release_date: str = ""
    expected_release_year: int = 0
    expected_release_quarter: int = 0
    expected_release_month: int = 0
    expected_release_day: int = 0


class _Unknown(ProviderFault):
    """There is no such thing there."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "does not know that")


@dataclass(frozen=True, slots=True)
class GiantBomb:
    """GiantBomb. Ids are its guids, such as ``3030-4725``."""

    desk: Desk
    address: str
    images: str
    key: str = field(repr=False)
    source_id: str = "GiantBomb"
    name: str = "GiantBomb"
    can: frozenset[Ability] = frozenset((Ability.SEARCH, Ability.FETCH))

    def recognise(self, query: str) -> str | None:
        tag = _GUID.fullmatch(tagged_id(query, "giantbomb"))
        page = _PAGE.fullmatch(page_path(query, _SITE, self.address))
        return f"3030-{tag[1]}" if tag else (page[1] if page else None)

    def search(self, query: str, *, within: Deadline) -> Sequence[Found]:
        if not is_searchable(query):
            return []
        wanted = {"query": one_name(query[:_MOST_QUERY]), "resources": "game", "limit": str(_MOST_FOUND)}
        form = partial(read_all, _Game)
        games = self._ask("search", wanted | {"field_list": _SEARCH_FIELDS}, form, within=within, keep=_KEEP_SEARCH)
        return [self._found(game) for game in games if _GUID.fullmatch(game.guid) and one_name(game.name)]

    def fetch(self, ids: Sequence[str], *, within: Deadline) -> Mapping[str, GameFacts]:
        """Ask for each game, and for a game alone also for the first review of it."""
        guids = dict.fromkeys(f"3030-{found[1]}" for each in ids if (found := _GUID.fullmatch(each)))
        known = {}
        for guid in guids:
            game = self._game(guid, within=within)
            if game:
                review = self._review(game, within=within) if len(guids) == 1 else None
                known[guid] = self._facts(guid, game, review)
        return known

    def pictures(self, facts: GameFacts, *, within: Deadline) -> Sequence[PictureOffer]:  # noqa: ARG002 - it cannot
        return ()

    def download(self, offer: PictureOffer, *, within: Deadline) -> bytes:
        return self.desk.picture(offer.address, within=within)

    def _game(self, guid: str, *, within: Deadline) -> _Game | None:
        form = partial(read, _Game)
        try:
            game = self._ask(f"game/{guid}", {"field_list": _FIELDS}, form, within=within, keep=_KEEP_GAME)
        except _Unknown:
            return None
        return game if one_name(game.name) else None

    def _review(self, game: _Game, *, within: Deadline) -> _Review | None:
        number = next((review.id for review in game.reviews if review.id > 0), None)
        if number is None:
            return None
        wanted = {"field_list": "score,site_detail_url"}
        try:
            return self._ask(f"review/1900-{number}", wanted, partial(read, _Review), within=within, keep=_KEEP_GAME)
        except _Unknown:
            return None

    def _ask(
        self,
        path: str,
        wanted: Mapping[str, str],
        form: Callable[[object], _T],
        *,
        within: Deadline,
        keep: timedelta,
    ) -> _T:
        asked = urlencode({"api_key": self.key, "format": "json", **wanted})
        request = Request(f"{self.address}/{path}/?{asked}")
        try:
            return self.desk.read(request, partial(self._opened, form), within=within, keep=keep)
        except Refused as refusal:
            if refusal.status in _STATUSES:
                raise self._fault(_STATUSES[refusal.status]) from None
            raise

    def _opened(self, form: Callable[[object], _T], answer: object) -> _T:
        envelope = read(_Envelope, answer)
        if not envelope.status_code:
            raise ValueError("An envelope without a status.")
        if envelope.status_code != _FINE:
            raise self._fault(envelope.status_code)
        return form(envelope.results)

    def _fault(self, status: int) -> ProviderFault:
        """Say what a status of an envelope means."""
        if status == _NOT_FOUND:
            return _Unknown(self.name)
        if status == _WRONG_KEY:
            return ProviderFault(self.name, "refused the API key")
        if status == _TOO_OFTEN:
            return ProviderFault(self.name, "may not be asked more often now", passes=True)
        return ProviderFault(self.name, f"answered with its error {status}")

    def _found(self, game: _Game) -> Found:
        day = _released(game)
        return Found(
            game.guid,
            one_name(game.name),
            description=prose.plain(game.deck),
            icon=web_address(game.image.icon_url),
            year=day.date.year if day else 0,
            on_pc=not game.platforms or any(each.name.casefold() in _PC for each in game.platforms),
        )

    def _facts(self, guid: str, game: _Game, review: _Review | None) -> GameFacts:
        page = web_address(game.site_detail_url)
        return GameFacts(
            name=one_name(game.name),
            short=prose.plain(game.deck),
            description=prose.from_html(game.description, base=self.address),
            released=_released(game),
            developers=names((each.name for each in game.developers), most=MOST_COMPANIES),
            publishers=names((each.name for each in game.publishers), most=MOST_COMPANIES),
            tags=tuple(_tags(game))[:MOST_TAGS],
            ratings=tuple(_ratings(review)),
            age_ratings=tuple(_age_ratings(game)),
            pictures=tuple(self._pictures(game)),
            websites=(Website("database", page),) if page else (),
            external_ids={"GiantBomb": guid},
        )

    def _pictures(self, game: _Game) -> Iterator[PictureOffer]:
        """Offer the pictures that lie where GiantBomb has its own."""
        shots = [each.original_url or each.original for each in game.images if "screenshot" in each.tags.casefold()]
        wanted = (
            (Role.COVER, [game.image.super_url or game.image.original_url]),
            (Role.ICON, [game.image.icon_url]),
            (Role.CAROUSEL, shots[:MOST_SCREENSHOTS]),
        )
        for role, addresses in wanted:
            own = (each for each in addresses if web_address(each) and origin_of(each) == origin_of(self.images))
            yield from (PictureOffer(role, address) for address in dict.fromkeys(own))


def _released(game: _Game) -> ReleaseDate | None:
    """Give when it came out, or is expected: in a year, or more exactly."""
    told = _DATE.match(game.original_release_date)
    if told:
        return released(calendar_day(int(told[1]), int(told[2]), int(told[3])))
    year, month, quarter = game.expected_release_year, game.expected_release_month, game.expected_release_quarter
    if month and game.expected_release_day:
        return released(calendar_day(year, month, game.expected_release_day))
    if month:
        return released(calendar_day(year, month), Precision.MONTH)
    if quarter:
        return released(calendar_day(year, quarter * 3 - 2), Precision.QUARTER)
    return released(calendar_day(year), Precision.YEAR)


def _tags(game: _Game) -> Iterator[TagFact]:
    for kind, tags in ((TagKind.GENRE, game.genres), (TagKind.THEME, game.themes)):
        yield from (TagFact(kind, name) for name in names((tag.name for tag in tags), most=MOST_TAGS))


def _age_ratings(game: _Game) -> Iterator[AgeRating]:
    """Read ratings such as ``ESRB: M``."""
    for rating in names((each.name for each in game.original_game_rating), most=MOST_TAGS):
        board, _, value = (part.strip() for part in rating.partition(":"))
        if board and value:
            yield AgeRating(board, value)


def _ratings(review: _Review | None) -> Iterator[RatingFact]:
    """Give the review's stars, of which there are five."""
    score = share(review.score, of=5) if review else None
    if review and score is not None:
        yield RatingFact("GiantBomb", score, 1, web_address(review.site_detail_url))


def set_up(settings: Settings, office: Office) -> GiantBomb | None:
    """Make the adapter, unless the key is not set."""
    if not settings.giantbomb_api_key:
        return None
    desk = office.desk(
        "GiantBomb",
        addresses=(settings.giantbomb_api_url,),
        pictures=(settings.giantbomb_image_url,),
        allowance=_ALLOWANCE,
    )
    address = settings.giantbomb_api_url.rstrip("/")
    return GiantBomb(desk, address, settings.giantbomb_image_url, settings.giantbomb_api_key)
