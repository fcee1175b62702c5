"""The SteamGridDB adapter (https://www.steamgriddb.com/api/v2) for pictures made by users. It needs an API key."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar
from urllib.parse import quote

import msgspec

from playdock.content.naming import words
from playdock.fetching.requests import Deadline, Request, origin_of
from playdock.kit.messages import Message
from playdock.metadata.client_factory import ProviderClientFactory
from playdock.metadata.errors import ProviderError, StatusRefused
from playdock.metadata.game_metadata import GameMetadata, ImageOffer, Role
from playdock.metadata.provider_client import ProviderClient
from playdock.metadata.providers import Capability, SearchResult
from playdock.metadata.ranking import similarity
from playdock.metadata.rate_limit import RateLimit
from playdock.metadata.reading import clean_name, date_from_timestamp, read, read_all, web_address
from playdock.settings import Settings

# SteamGridDB documents no limit. One call per second is moderate; the pictures of a game take up to five.
_RATE_LIMIT = RateLimit(calls=60, seconds=60)
# Long enough for an import plan and the import itself; a later refresh gets current data.
_CACHE_LIFETIME = timedelta(hours=1)
# An import uses one picture per role, and the next ones if it cannot be downloaded; administrators choose among them.
_MAX_OFFERS = 12
# The name is part of a URL; the beginning identifies a game with a longer name.
_MAX_NAME_LENGTH = 100
_STEAM_ID = re.compile(r"[0-9]{1,10}")
_FILTERS = "types=static&nsfw=false&humor=false"
_LISTS = {
    Role.COVER: f"grids/%s?dimensions=600x900&{_FILTERS}",
    Role.BANNER: f"heroes/%s?{_FILTERS}",
    Role.LOGO: f"logos/%s?{_FILTERS}",
    Role.ICON: f"icons/%s?{_FILTERS}",
}
# HTTP statuses.
_NOT_FOUND = 404
_WRONG_KEY = (401, 403)
_T = TypeVar("_T")


class _Envelope(msgspec.Struct, frozen=True):
    success: bool = False
    data: Any = None


class _FoundGame(msgspec.Struct, frozen=True):
    id: int = 0
    name: str = ""
    release_date: int | None = None


class _Author(msgspec.Struct, frozen=True):
    name: str = ""


class _Picture(msgspec.Struct, frozen=True):
    url: str = ""
    score: int = 0
    nsfw: bool = False
    humor: bool = False
    author: _Author = _Author()


@dataclass(frozen=True, slots=True)
class SteamGridDb:
    """The SteamGridDB provider, which offers pictures of games by their Steam id or exact name."""

    client: ProviderClient
    address: str
    images: str
    key: str = field(repr=False)
    source_id: str = "SteamGridDB"
    name: str = "SteamGridDB"
    capabilities: frozenset[Capability] = frozenset((Capability.PICTURES,))

    def recognize(self, query: str) -> str | None:  # noqa: ARG002 - it offers pictures only
        return None

    def search(self, query: str, *, within: Deadline) -> Sequence[SearchResult]:  # noqa: ARG002 - as above
        return ()

    def fetch(self, ids: Sequence[str], *, within: Deadline) -> Mapping[str, GameMetadata]:  # noqa: ARG002 - as above
        return {}

    def pictures(self, game: GameMetadata, *, within: Deadline) -> Sequence[ImageOffer]:
        """Offer at most twelve pictures per role, by descending score."""
        game_path = self._game_path(game, within=within)
        if not game_path:
            return ()
        offers: list[ImageOffer] = []
        for role, path in _LISTS.items():
            pictures = self._call(path % game_path, partial(read_all, _Picture), within=within)
            if pictures is None:
                return ()
            offers += self._offers(role, pictures)
        return offers

    def download(self, offer: ImageOffer, *, within: Deadline) -> bytes:
        return self.client.picture(offer.address, within=within)

    def _game_path(self, game: GameMetadata, *, within: Deadline) -> str:
        """Return the path under which a game's pictures are listed, empty if no game matches exactly."""
        steam_id = game.external_ids.get("Steam", "")
        if _STEAM_ID.fullmatch(steam_id):
            return f"steam/{steam_id}"
        name = clean_name(game.name)[:_MAX_NAME_LENGTH]
        if not words(name):
            return ""
        path = f"search/autocomplete/{quote(name, safe='')}"
        results = self._call(path, partial(read_all, _FoundGame), within=within) or ()
        same = [result for result in results if result.id > 0 and similarity(game.name, result.name) == 1]
        year = game.released.date.year if game.released else 0
        best = min(same, key=lambda result: _year(result) != year, default=None)
        return f"game/{best.id}" if best else ""

    def _call(self, path: str, parse: Callable[[object], _T], *, within: Deadline) -> _T | None:
        """Return the parsed data of a response, or None if its status is 404."""
        request = Request(f"{self.address}/{path}", headers={"Authorization": f"Bearer {self.key}"})
        try:
            return self.client.read(request, partial(_parsed, parse), within=within, cache_for=_CACHE_LIFETIME)
        except StatusRefused as error:
            if error.status == _NOT_FOUND:
                return None
            if error.status in _WRONG_KEY:
                raise ProviderError(Message("provider-wrong-key", provider=self.name)) from None
            raise

    def _offers(self, role: Role, pictures: Sequence[_Picture]) -> list[ImageOffer]:
        """Offer the best pictures that are on SteamGridDB's own picture servers."""
        decent = [each for each in pictures if not (each.nsfw or each.humor) and web_address(each.url)]
        own = [each for each in decent if origin_of(each.url) == origin_of(self.images)]
        best = sorted(own, key=lambda each: each.score, reverse=True)[:_MAX_OFFERS]
        return [ImageOffer(role, each.url, clean_name(each.author.name)) for each in best]


def _parsed(parse: Callable[[object], _T], response: object) -> _T:
    envelope = read(_Envelope, response)
    if not envelope.success:
        raise ValueError("The envelope reports no success.")
    return parse(envelope.data)


def _year(game: _FoundGame) -> int:
    released = date_from_timestamp(game.release_date) if game.release_date is not None else None
    return released.year if released else 0


def set_up(settings: Settings, factory: ProviderClientFactory) -> SteamGridDb | None:
    """Return the adapter, or None if the API key is not set."""
    if not settings.steamgriddb_api_key:
        return None
    client = factory.client(
        "SteamGridDB",
        addresses=(settings.steamgriddb_api_url,),
        pictures=(settings.steamgriddb_image_url,),
        rate_limit=_RATE_LIMIT,
    )
    address = settings.steamgriddb_api_url.rstrip("/")
    return SteamGridDb(client, address, settings.steamgriddb_image_url, settings.steamgriddb_api_key)
