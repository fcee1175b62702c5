"""IGDB (https://api-docs.igdb.com), for those who have a Twitch application's client id and secret.

Queries are text in a language of its own, Apicalypse. A query names fields of what a game refers to along with the
game's own, so that one request tells all of up to 500 games.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from html import escape

from playdock.fetching.web import Deadline, Request
from playdock.metadata import prose
from playdock.metadata.allowances import Allowance
from playdock.metadata.desk import Desk
from playdock.metadata.errors import Refused
from playdock.metadata.facts import GameFacts, PictureOffer
from playdock.metadata.igdb_games import (
    EXTRA_TYPES,
    FIELDS,
    PC_PLATFORMS,
    SEARCH_FIELDS,
    IgdbGame,
    day_of,
    facts_of,
    picture,
)
from playdock.metadata.office import Office
from playdock.metadata.providers import Ability, Found
from playdock.metadata.reading import is_searchable, one_name, page_path, read_all, tagged_id
from playdock.metadata.twitch import Tokens
from playdock.settings import Settings

_SITE = "https://www.igdb.com"
_ALLOWANCE = Allowance(calls=4, seconds=1)
_KEEP_SEARCH, _KEEP_GAMES = timedelta(days=1), timedelta(hours=1)
_MOST_GAMES = 500
_MOST_FOUND = 50
_MOST_QUERY = 200
_UNAUTHORIZED = 401
_NUMBER = re.compile(r"[0-9]{1,10}")
_PAGE = re.compile(r"/?games/([a-z0-9-]{1,200})/?")


@dataclass(frozen=True, slots=True)
class Igdb:
    """IGDB. Ids are numbers; instead of one, `fetch` takes the path of a game's page."""

    desk: Desk
    tokens: Tokens
    address: str
    images: str
    source_id: str = "IGDB"
    name: str = "IGDB"
    can: frozenset[Ability] = frozenset((Ability.SEARCH, Ability.FETCH))

    def recognise(self, query: str) -> str | None:
        number = _NUMBER.fullmatch(query.strip()) or _NUMBER.fullmatch(tagged_id(query, "igdb"))
        page = _PAGE.fullmatch(page_path(query, _SITE, self.address))
        return number[0] if number else (page[0] if page else None)

    def search(self, query: str, *, within: Deadline) -> Sequence[Found]:
        """Search as IGDB does it and, if that finds nothing, for names that contain the query."""
        if not is_searchable(query):
            return []
        name = quoted(query[:_MOST_QUERY])
        head = f"fields {SEARCH_FIELDS}; limit {_MOST_FOUND};"
        found = self._games(f"{head} search {name};", within=within, keep=_KEEP_SEARCH)
        if not found:
            containing = f"where name ~ *{name}* | alternative_names.name ~ *{name}*;"
            found = self._games(f"{head} {containing}", within=within, keep=_KEEP_SEARCH)
        return [self._found(game) for game in found]

    def fetch(self, ids: Sequence[str], *, within: Deadline) -> Mapping[str, GameFacts]:
        wanted = list(dict.fromkeys(each for each in ids if _NUMBER.fullmatch(each) or _PAGE.fullmatch(each)))
        known: dict[str, GameFacts] = {}
        for start in range(0, len(wanted), _MOST_GAMES):
            query = f"fields {FIELDS}; where {_any_of(wanted[start : start + _MOST_GAMES])}; limit {_MOST_GAMES};"
            games = self._games(query, within=within, keep=_KEEP_GAMES)
            known |= {str(game.id): facts_of(game, images=self.images) for game in games}
        return known

    def pictures(self, facts: GameFacts, *, within: Deadline) -> Sequence[PictureOffer]:  # noqa: ARG002 - it cannot
        return ()

    def download(self, offer: PictureOffer, *, within: Deadline) -> bytes:
        return self.desk.picture(offer.address, within=within)

    def _games(self, query: str, *, within: Deadline, keep: timedelta) -> list[IgdbGame]:
        """Ask for games; if the token is refused, once more with a new one."""
        token = self.tokens.current(within=within)
        try:
            return self._asked(query, token, within=within, keep=keep)
        except Refused as refusal:
            if refusal.status != _UNAUTHORIZED:
                raise
        token = self.tokens.renewed(token, within=within)
        try:
            return self._asked(query, token, within=within, keep=keep)
        except Refused as refusal:
            raise self.tokens.wrong_credentials() if refusal.status == _UNAUTHORIZED else refusal from None

    def _asked(self, query: str, token: str, *, within: Deadline, keep: timedelta) -> list[IgdbGame]:
        headers = {
            "Client-ID": self.tokens.client_id,
            "Authorization": f"Bearer {token}",
            "Accept": "application/json",
            "Content-Type": "text/plain; charset=utf-8",
        }
        request = Request(f"{self.address}/games", "POST", headers, query.encode())
        games = self.desk.read(request, partial(read_all, IgdbGame), within=within, keep=keep)
        return [game for game in games if game.id > 0 and one_name(game.name)]

    def _found(self, game: IgdbGame) -> Found:
        released = day_of(game)
        return Found(
            str(game.id),
            one_name(game.name),
            description=prose.plain(escape(game.summary)),
            icon=picture(self.images, game.cover, "cover_small"),
            year=released.year if released else 0,
            on_pc=not game.platforms or not PC_PLATFORMS.isdisjoint(game.platforms),
            extra=game.game_type in EXTRA_TYPES,
        )


def quoted(text: str) -> str:
    """Write a string of Apicalypse: backslashes and quotes escaped, on one line."""
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    escaped = line.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _any_of(wanted: Sequence[str]) -> str:
    """Write the condition for games by their numbers and the paths of their pages."""
    numbers = [str(int(each)) for each in wanted if _NUMBER.fullmatch(each)]
    pages = [page[1] for each in wanted if (page := _PAGE.fullmatch(each))]
    conditions = [f"id = ({','.join(numbers)})"] if numbers else []
    return " | ".join(conditions + [f"slug = {quoted(slug)}" for slug in pages])


def set_up(settings: Settings, office: Office) -> Igdb | None:
    """Make the adapter, unless the client id or secret is not set."""
    if not (settings.igdb_client_id and settings.igdb_client_secret):
        return None
    desk = office.desk(
        "IGDB",
        addresses=(settings.igdb_api_url, settings.igdb_token_url),
        pictures=(settings.igdb_image_url,),
        allowance=_ALLOWANCE,
    )
    tokens = Tokens(desk, settings.igdb_token_url, settings.igdb_client_id, settings.igdb_client_secret)
    return Igdb(desk, tokens, settings.igdb_api_url.rstrip("/"), settings.igdb_image_url.rstrip("/"))
