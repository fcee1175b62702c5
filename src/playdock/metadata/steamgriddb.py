"""SteamGridDB (https://www.steamgriddb.com/api/v2): pictures that people have made, for those who have a key."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar
from urllib.parse import quote

import msgspec

from playdock.content.naming import words
from playdock.fetching.web import Deadline, Request, origin_of
from playdock.metadata.allowances import Allowance
from playdock.metadata.desk import Desk
from playdock.metadata.errors import ProviderFault, Refused
from playdock.metadata.facts import GameFacts, PictureOffer, Role
from playdock.metadata.office import Office
from playdock.metadata.providers import Ability, Found
from playdock.metadata.ranking import likeness
from playdock.metadata.reading import day, one_name, read, read_all, web_address
from playdock.settings import Settings

_ALLOWANCE = Allowance(calls=60, seconds=60)
_KEEP = timedelta(hours=1)
_MOST_OFFERS = 3
_MOST_NAME = 100
_STEAM_ID = re.compile(r"[0-9]{1,10}")
_DECENT = "types=static&nsfw=false&humor=false"
_LISTS = {
    Role.COVER: f"grids/%s?dimensions=600x900&{_DECENT}",
    Role.BANNER: f"heroes/%s?{_DECENT}",
    Role.LOGO: f"logos/%s?{_DECENT}",
    Role.ICON: f"icons/%s?{_DECENT}",
}
_NOT_FOUND = 404
_WRONG_KEY = (401, 403)
_T = TypeVar("_T")


class _Envelope(msgspec.Struct, frozen=True):
    success: bool = False
    data: Any = None


class _Listed(msgspec.Struct, frozen=True):
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
    """SteamGridDB, which has pictures of games that are known by their Steam id or their exact name."""

    desk: Desk
    address: str
    images: str
    key: str = field(repr=False)
    source_id: str = "SteamGridDB"
    name: str = "SteamGridDB"
    can: frozenset[Ability] = frozenset((Ability.PICTURES,))

    def recognise(self, query: str) -> str | None:  # noqa: ARG002 - it has pictures, not games
        return None

    def search(self, query: str, *, within: Deadline) -> Sequence[Found]:  # noqa: ARG002 - as above
        return ()

    def fetch(self, ids: Sequence[str], *, within: Deadline) -> Mapping[str, GameFacts]:  # noqa: ARG002 - as above
        return {}

    def pictures(self, facts: GameFacts, *, within: Deadline) -> Sequence[PictureOffer]:
        """Offer at most three pictures a role, those that people like best first."""
        game = self._game(facts, within=within)
        if not game:
            return ()
        offers: list[PictureOffer] = []
        for role, listed in _LISTS.items():
            found = self._ask(listed % game, partial(read_all, _Picture), within=within)
            if found is None:
                return ()
            offers += self._offers(role, found)
        return offers

    def download(self, offer: PictureOffer, *, within: Deadline) -> bytes:
        return self.desk.picture(offer.address, within=within)

    def _game(self, facts: GameFacts, *, within: Deadline) -> str:
        """Give where a game's pictures are listed, empty if it is not found beyond doubt."""
        steam_id = facts.external_ids.get("Steam", "")
        if _STEAM_ID.fullmatch(steam_id):
            return f"steam/{steam_id}"
        name = one_name(facts.name)[:_MOST_NAME]
        if not words(name):
            return ""
        path = f"search/autocomplete/{quote(name, safe='')}"
        listed = self._ask(path, partial(read_all, _Listed), within=within) or ()
        same = [each for each in listed if each.id > 0 and likeness(facts.name, each.name) == 1]
        year = facts.released.date.year if facts.released else 0
        best = min(same, key=lambda each: _year(each) != year, default=None)
        return f"game/{best.id}" if best else ""

    def _ask(self, path: str, form: Callable[[object], _T], *, within: Deadline) -> _T | None:
        """Ask, and give None for what is not there."""
        request = Request(f"{self.address}/{path}", headers={"Authorization": f"Bearer {self.key}"})
        try:
            return self.desk.read(request, partial(_opened, form), within=within, keep=_KEEP)
        except Refused as refusal:
            if refusal.status == _NOT_FOUND:
                return None
            if refusal.status in _WRONG_KEY:
                raise ProviderFault(self.name, "refused the API key") from None
            raise

    def _offers(self, role: Role, found: Sequence[_Picture]) -> list[PictureOffer]:
        """Offer the best of the pictures that lie where SteamGridDB has its own."""
        decent = [each for each in found if not (each.nsfw or each.humor) and web_address(each.url)]
        own = [each for each in decent if origin_of(each.url) == origin_of(self.images)]
        best = sorted(own, key=lambda each: each.score, reverse=True)[:_MOST_OFFERS]
        return [PictureOffer(role, each.url, one_name(each.author.name)) for each in best]


def _opened(form: Callable[[object], _T], answer: object) -> _T:
    envelope = read(_Envelope, answer)
    if not envelope.success:
        raise ValueError("An envelope without success.")
    return form(envelope.data)


def _year(game: _Listed) -> int:
    released = day(game.release_date) if game.release_date is not None else None
    return released.year if released else 0


def set_up(settings: Settings, office: Office) -> SteamGridDb | None:
    """Make the adapter, unless the key is not set."""
    if not settings.steamgriddb_api_key:
        return None
    desk = office.desk(
        "SteamGridDB",
        addresses=(settings.steamgriddb_api_url,),
        pictures=(settings.steamgriddb_image_url,),
        allowance=_ALLOWANCE,
    )
    address = settings.steamgriddb_api_url.rstrip("/")
    return SteamGridDb(desk, address, settings.steamgriddb_image_url, settings.steamgriddb_api_key)
