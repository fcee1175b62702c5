"""PCGamingWiki (https://www.pcgamingwiki.com/wiki/PCGamingWiki:API): games as its pages tell of them.

Titles are looked for first, then there are two ways to what is told under them. The heads of pages can be read by
everybody, fifty at a time, and have descriptions in them. The database (Cargo) is what the wiki offers to programs, but
since August 2026 it answers no strangers; elsewhere, or later, it may be the one that does. Twenty requests are allowed
in a minute, so the way that failed last is not the first that is tried. The text is under CC BY-NC-SA, so the page is
always named.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any, Protocol
from urllib.parse import parse_qs, urljoin, urlsplit

import msgspec
import structlog

from playdock.fetching.web import Deadline, Request
from playdock.metadata.allowances import Allowance
from playdock.metadata.desk import Desk
from playdock.metadata.errors import ProviderFault, TooOften
from playdock.metadata.facts import GameFacts, PictureOffer
from playdock.metadata.mediawiki import MediaWiki
from playdock.metadata.office import Office
from playdock.metadata.pcgamingwiki_cargo import Cargo
from playdock.metadata.pcgamingwiki_pages import Heads, Wiki
from playdock.metadata.providers import Ability, Found
from playdock.metadata.reading import one_name, page_path, read, read_all, tagged_id
from playdock.metadata.second_look import or_nothing
from playdock.settings import Settings

_log = structlog.get_logger()

_SITE = "https://www.pcgamingwiki.com"
_ALLOWANCE = Allowance(calls=20, seconds=60)
_SEARCHES_KEPT = timedelta(days=1)
_MOST_FOUND = 10

# Under what the ledger keeps the name of the way to try first.
FIRST_WAY = "PCGamingWiki: first way"
_WAY_KEPT = timedelta(days=1)

_NUMBER = re.compile(r"[1-9][0-9]{0,8}")
_TITLE = re.compile(r"wiki/([^|#<>\[\]{}]{1,255})")
_STEAM_ID = re.compile(r"steam/([1-9][0-9]{0,9})")
_NO_TITLE = re.compile(r"[|#<>\[\]{}_™®©\s]+")
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")


class Way(Protocol):
    """A way to what the wiki tells of games. What is no game, or not there, is left out."""

    @property
    def name(self) -> str:
        """Give the way's name, to be remembered by."""

    def find(self, titles: Sequence[str], *, within: Deadline) -> list[GameFacts]:
        """Tell of games in as few requests as possible, for a search."""

    def tell(self, ids: Sequence[str], titles: Sequence[str], *, within: Deadline) -> list[GameFacts]:
        """Tell all that there is of games."""


class _Titled(msgspec.Struct, frozen=True):
    title: str = ""


class _Hits(msgspec.Struct, frozen=True):
    search: list[Any] | None = None


class _Answer(msgspec.Struct, frozen=True):
    query: _Hits = _Hits()


@dataclass(frozen=True, slots=True)
class PCGamingWiki:
    """PCGamingWiki. Ids are those of pages; `fetch` also takes `wiki/<title>` and `steam/<id>`."""

    desk: Desk
    wiki: Wiki
    source_id: str = "PCGamingWiki"
    name: str = "PCGamingWiki"
    can: frozenset[Ability] = frozenset((Ability.SEARCH, Ability.FETCH))

    def recognise(self, query: str) -> str | None:
        """Read `pcgw-1234`, or the address of a page or of what leads to it from an id of Steam."""
        path = page_path(query, _SITE, self.wiki.site)
        asked = parse_qs(urlsplit(query.strip()).query) if path else {}
        steam_id = f"steam/{asked['appid'][0]}" if path.endswith("/api/appid.php") and "appid" in asked else ""
        title = f"wiki/{path.partition('/wiki/')[2]}" if "/wiki/" in path else ""
        number = asked.get("curid", [""])[0] or tagged_id(query, "pcgw", "pcgamingwiki")
        wanted = steam_id or title or number
        return wanted if any(kind.fullmatch(wanted) for kind in (_NUMBER, _TITLE, _STEAM_ID)) else None

    def search(self, query: str, *, within: Deadline) -> Sequence[Found]:
        titles = self._titles(one_name(query), within)[:_MOST_FOUND]
        games = self._tell(lambda way: way.find(titles, within=within)) if titles else []
        return [_found(game) for game in games]

    def fetch(self, ids: Sequence[str], *, within: Deadline) -> Mapping[str, GameFacts]:
        numbers = [each for each in ids if _NUMBER.fullmatch(each)]
        titles = _usable(each.removeprefix("wiki/").replace("_", " ") for each in ids if each.startswith("wiki/"))
        steam_ids = [found[1] for each in ids if (found := _STEAM_ID.fullmatch(each))]
        titles += _usable(self._title_on_steam(each, within) for each in steam_ids)
        wanted = numbers or titles
        games = self._tell(lambda way: way.tell(numbers, titles, within=within)) if wanted else []
        return {_id(game): game for game in games}

    def pictures(self, facts: GameFacts, *, within: Deadline) -> Sequence[PictureOffer]:  # noqa: ARG002 - not offered
        return ()

    def download(self, offer: PictureOffer, *, within: Deadline) -> bytes:
        return self.desk.picture(offer.address, within=within)

    @property
    def _api(self) -> MediaWiki:
        return MediaWiki(self.desk, f"{self.wiki.site}/w/api.php")

    def _titles(self, name: str, within: Deadline) -> Sequence[str]:
        """Give titles of pages that begin so, and if there are none those of pages that have all the words."""
        start, words = _NO_TITLE.sub(" ", name).strip(), " ".join(_WORD.findall(name))
        if not words:
            return ()
        beginning = {"action": "opensearch", "search": start, "limit": str(_MOST_FOUND), "redirects": "resolve"}
        containing = {"action": "query", "list": "search", "srsearch": words, "srlimit": str(_MOST_FOUND)}
        ask = partial(self._api.ask, within=within, keep=_SEARCHES_KEPT)
        return ask(beginning, _suggested) or or_nothing(partial(ask, containing, _hits))

    def _tell(self, ask: Callable[[Way], list[GameFacts]]) -> list[GameFacts]:
        """Ask by one way, and if that fails by the other, which then is the first for a day."""
        first, second = self._ways()
        try:
            return ask(first)
        except TooOften:
            raise
        except ProviderFault as reason:
            fault = reason
        _log.warning("another way is tried", provider=self.source_id, reason=str(fault))
        self.desk.ledger.keep(self.source_id, FIRST_WAY, second.name.encode(), lifetime=_WAY_KEPT)
        try:
            return ask(second)
        except ProviderFault:
            raise fault from None

    def _ways(self) -> tuple[Way, Way]:
        """Give the way to try first, and the other one."""
        heads, cargo = Heads(self._api, self.wiki), Cargo(self._api, self.wiki)
        kept = self.desk.ledger.recall(FIRST_WAY)
        return (cargo, heads) if kept == cargo.name.encode() else (heads, cargo)

    def _title_on_steam(self, steam_id: str, within: Deadline) -> str:
        """Give the title of the page of a game of Steam, empty if none: the wiki sends whoever asks on to it."""
        request = Request(f"{self.wiki.site}/api/appid.php?appid={steam_id}")
        path = page_path(_absolute(self.desk.target(request, within=within), request.url), self.wiki.site)
        return path.partition("/wiki/")[2].replace("_", " ")


def _suggested(answer: Any) -> list[str]:
    """Read an answer of opensearch: what was looked for, titles, and what belongs to each."""
    _, titles, *_ = msgspec.convert(answer, list[Any])
    return _usable(msgspec.convert(titles, list[str]))


def _hits(answer: Any) -> list[str]:
    """Read an answer of the full-text search."""
    hits = read(_Answer, answer).query.search
    if hits is None:
        raise ValueError(answer)
    return _usable(hit.title for hit in read_all(_Titled, hits))


def _usable(titles: Iterable[str]) -> list[str]:
    """Give what can be a title: anything else would be a fault in a question."""
    return [title for title in titles if title.isprintable() and _TITLE.fullmatch(f"wiki/{title}")]


def _id(game: GameFacts) -> str:
    return game.external_ids["PCGamingWiki"]


def _found(game: GameFacts) -> Found:
    """Give a game as a search shows it."""
    cover = next((offer.address for offer in game.pictures), "")
    year = game.released.date.year if game.released else 0
    return Found(_id(game), game.name, description=game.short, icon=cover, year=year)


def _absolute(target: str, base: str) -> str:
    try:
        return urljoin(base, target)
    except ValueError:
        return ""


def set_up(settings: Settings, office: Office) -> PCGamingWiki:
    wiki = Wiki(settings.pcgamingwiki_url.rstrip("/"), settings.pcgamingwiki_image_url.rstrip("/"))
    desk = office.desk("PCGamingWiki", addresses=(wiki.site,), pictures=(wiki.images,), allowance=_ALLOWANCE)
    return PCGamingWiki(desk, wiki)
