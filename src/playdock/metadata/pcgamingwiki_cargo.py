"""PCGamingWiki by its database: the infoboxes of games as rows of Cargo, an extension of MediaWiki.

https://www.mediawiki.org/wiki/Extension:Cargo/Querying_data and /Other_features, under API. Values come escaped for
HTML, names of fields with blanks for underscores, dates with how exact they are in a field of its own.
"""

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any
from urllib.parse import unquote, urlsplit

import msgspec
import structlog

from playdock.fetching.web import Deadline, origin_of
from playdock.metadata import prose
from playdock.metadata.errors import ProviderFault
from playdock.metadata.facts import GameFacts, Precision, ReleaseDate, TagFact, TagKind
from playdock.metadata.mediawiki import MediaWiki, batches
from playdock.metadata.pcgamingwiki_pages import Wiki, date_of, name_of, offers, websites
from playdock.metadata.reading import (
    MOST_COMPANIES,
    MOST_TAGS,
    calendar_day,
    names,
    one_name,
    read,
    read_all,
    released,
    web_address,
)

_log = structlog.get_logger()

_SEARCHES_KEPT = timedelta(days=1)
_GAMES_KEPT = timedelta(hours=1)
_MOST_ROWS = 500
_MOST_READ = 500_000

_DATES = ("Released", "Released_Windows", "Released_OS_X", "Released_Linux")
_TAGS = {
    "Genres": TagKind.GENRE,
    "Themes": TagKind.THEME,
    "Modes": TagKind.MODE,
    "Perspectives": TagKind.PERSPECTIVE,
    "Art_styles": TagKind.KEYWORD,
    "Pacing": TagKind.KEYWORD,
}
_IDS = {"Steam": "Steam_AppID", "GOG": "GOGcom_ID"}
_FIELDS = ("Cover_URL", *_DATES, "Developers", "Publishers", *_TAGS, *_IDS.values(), "Official_URL")
_ROWS = {
    "action": "cargoquery",
    "tables": "Infobox_game",
    "fields": ",".join(("Infobox_game._pageID=pageID", "Infobox_game._pageName=name", *_FIELDS)),
    "limit": str(_MOST_ROWS),
}

# What Cargo refuses even in a string, and what it reads as another sign there; no title has these but the first.
_UNASKABLE = re.compile(r"--|#|&\w+;")
_NUMBER = re.compile(r"[1-9][0-9]{0,11}")
_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[ T].*)?")
_PRECISIONS = {"2": Precision.MONTH, "3": Precision.YEAR}
_COMPANY = "Company:"
_OPENING = re.compile(r"<(?P<tag>[a-z][a-z0-9]*)\b[^<>]*?\bclass=[\"'](?P<classes>[^\"'<>]*)", re.IGNORECASE)

_Row = Mapping[str, str]


class _Given(msgspec.Struct, frozen=True):
    title: dict[str, Any] = {}


class _Answer(msgspec.Struct, frozen=True):
    cargoquery: list[Any] | None = None


class _Text(msgspec.Struct, frozen=True):
    html: str = msgspec.field(default="", name="*")


class _Parsed(msgspec.Struct, frozen=True):
    text: _Text | None = None


class _Page(msgspec.Struct, frozen=True):
    parse: _Parsed = _Parsed()


@dataclass(frozen=True, slots=True)
class Cargo:
    """The way by the database, fifty games in a request; the introduction of a page is a request of its own."""

    api: MediaWiki
    wiki: Wiki
    name: str = "Cargo"

    def find(self, titles: Sequence[str], *, within: Deadline) -> list[GameFacts]:
        return self._games(conditions("_pageName", titles), within, keep=_SEARCHES_KEPT)

    def tell(self, ids: Sequence[str], titles: Sequence[str], *, within: Deadline) -> list[GameFacts]:
        wanted = [*conditions("_pageID", ids), *conditions("_pageName", titles)]
        games = self._games(wanted, within, keep=_GAMES_KEPT)
        return [self._introduced(game, within) for game in games] if len(games) == 1 else games

    def _games(self, wanted: Sequence[str], within: Deadline, *, keep: timedelta) -> list[GameFacts]:
        questions = ({**_ROWS, "where": " OR ".join(batch)} for batch in batches(wanted))
        rows = [row for question in questions for row in self.api.ask(question, _rows, within=within, keep=keep)]
        return [facts_of(row, self.wiki) for row in rows]

    def _introduced(self, game: GameFacts, within: Deadline) -> GameFacts:
        """Add a game's description, none if it cannot be had."""
        question = {"action": "parse", "pageid": game.external_ids["PCGamingWiki"], "prop": "text"}
        try:
            told = introduction(self.api.ask(question, _text, within=within, keep=_GAMES_KEPT))
        except ProviderFault as reason:
            _log.warning("the description is left out", provider="PCGamingWiki", reason=str(reason))
            return game
        return replace(game, short=prose.plain(told), description=prose.from_html(told, base=game.websites[0].url))


def conditions(field: str, values: Sequence[str]) -> list[str]:
    """Write what a field must be, as SQL does with backslashes for quotes; what cannot be asked for is left out."""
    askable = (value.replace("\\", r"\\").replace('"', r"\"") for value in values if not _UNASKABLE.search(value))
    return [f'Infobox_game.{field}="{value}"' for value in askable]


def introduction(page: str) -> str:
    """Give the HTML in the first element of the class `introduction`, without the marks of references."""
    text = page[:_MOST_READ]
    opening = next((tag for tag in _OPENING.finditer(text) if "introduction" in tag["classes"].split()), None)
    if opening is None:
        return ""
    inner = text[opening.end() :].partition(">")[2]
    first, *others = inner[: _end(inner, opening["tag"])].split("<sup")
    return first + "".join(other.partition("</sup>")[2] for other in others)


def _end(inner: str, tag: str) -> int:
    """Give where an element of that tag ends, whose beginning is just before."""
    depth = 1
    for each in re.finditer(rf"<(/?){tag}\b", inner, re.IGNORECASE):
        depth += -1 if each[1] else 1
        if depth == 0:
            return each.start()
    return len(inner)


def _text(answer: Any) -> str:
    text = read(_Page, answer).parse.text
    if text is None:
        raise ValueError(answer)
    return text.html


def _rows(answer: Any) -> list[_Row]:
    """Read the rows that are a game's."""
    given = read(_Answer, answer).cargoquery
    if given is None:
        raise ValueError(answer)
    rows = [_row(each.title) for each in read_all(_Given, given)]
    return [row for row in rows if _NUMBER.fullmatch(row.get("pageID", "")) and one_name(row.get("name", ""))]


def _row(given: Mapping[str, Any]) -> _Row:
    texts = {name: str(value) for name, value in given.items() if isinstance(value, str | int)}
    return {name.replace(" ", "_"): html.unescape(text) for name, text in texts.items()}


def facts_of(row: _Row, wiki: Wiki) -> GameFacts:
    """Give what a row says of a game: all but the text of its page."""
    return GameFacts(
        name=name_of(row["name"]),
        released=_released(row),
        developers=_companies(row.get("Developers", "")),
        publishers=_companies(row.get("Publishers", "")),
        tags=tuple(_tags(row))[:MOST_TAGS],
        pictures=offers(_cover(row.get("Cover_URL", ""), wiki)),
        websites=tuple(websites(_official(row), wiki.page(row["name"]))),
        external_ids=dict(_ids(row)) | {"PCGamingWiki": row["pageID"]},
    )


def _cover(address: str, wiki: Wiki) -> str:
    """Give where the settings say that pictures are what the database says is elsewhere."""
    if not web_address(address) or origin_of(address) == origin_of(wiki.images):
        return web_address(address)
    return wiki.picture(one_name(unquote(urlsplit(address).path).rpartition("/")[2]))


def _companies(text: str) -> tuple[str, ...]:
    """Read `Company:Valve,Company:Wube Software, Ltd.`: commas are in names, too."""
    parts = text.split(_COMPANY) if _COMPANY in text else text.split(",")
    return names((part.strip().removesuffix(",") for part in parts), most=MOST_COMPANIES)


def _released(row: _Row) -> ReleaseDate | None:
    """Give the earliest date on any system."""
    dates = [
        _date(text, row.get(f"{field}__precision", "")) for field in _DATES for text in row.get(field, "").split(";")
    ]
    return min((found for found in dates if found), key=lambda found: found.date, default=None)


def _date(text: str, precision: str) -> ReleaseDate | None:
    found = _DATE.fullmatch(text.strip())
    if found is None:
        return date_of(text)
    return released(
        calendar_day(int(found[1]), int(found[2]), int(found[3])), _PRECISIONS.get(precision, Precision.DAY)
    )


def _tags(row: _Row) -> Iterator[TagFact]:
    for field, kind in _TAGS.items():
        for name in names(row.get(field, "").split(","), most=MOST_TAGS):
            yield TagFact(kind, name)


def _official(row: _Row) -> str:
    """Read an address, or a link to it: `[https://www.example.org The site]`."""
    return row.get("Official_URL", "").strip("[] ").partition(" ")[0]


def _ids(row: _Row) -> Iterator[tuple[str, str]]:
    """Give the first id of each shop; those behind it are of what belongs to the game."""
    for source_id, field in _IDS.items():
        value = row.get(field, "").partition(",")[0].strip()
        if _NUMBER.fullmatch(value):
            yield source_id, value
