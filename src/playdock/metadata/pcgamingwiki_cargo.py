"""Metadata from PCGamingWiki's database: the infoboxes of games as rows of Cargo, a MediaWiki extension.

See https://www.mediawiki.org/wiki/Extension:Cargo/Querying_data and /Other_features, under API. Values are escaped as
HTML, field names contain spaces instead of underscores, and the precision of a date is in a field of its own.
"""

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any
from urllib.parse import unquote, urlsplit

import msgspec
import structlog
from msgspec import Struct
from msgspec.structs import replace

from playdock.fetching.requests import Deadline, origin_of
from playdock.metadata import prose
from playdock.metadata.errors import ProviderError
from playdock.metadata.game_metadata import GameMetadata, Precision, ReleaseDate, TagFact, TagKind
from playdock.metadata.mediawiki import MediaWiki, batches
from playdock.metadata.pcgamingwiki_pages import WikiAddresses, date_of, name_of, offers, websites
from playdock.metadata.reading import (
    MAX_COMPANIES,
    MAX_TAGS,
    clean_name,
    date_or_none,
    read,
    read_all,
    release_date,
    unique_names,
    web_address,
)

_log = structlog.get_logger()

# A repeated import searches for the same names again; new games may wait a day to be found.
_SEARCH_CACHE_LIFETIME = timedelta(days=1)
# Long enough for a search, an import plan and the import itself; a later refresh gets current data.
_GAME_CACHE_LIFETIME = timedelta(hours=1)
# Cargo's limit for clients without special rights. A batch of fifty pages has fifty rows or a few more.
_MAX_ROWS = 500
# Bounds the time to search a parsed page, whose introduction is at its beginning.
_MAX_READ_CHARACTERS = 500_000

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
    "limit": str(_MAX_ROWS),
}

# Cargo rejects the first two even in strings and decodes the third. Of these, only the first occurs in titles.
_UNSUPPORTED = re.compile(r"--|#|&\w+;")
_NUMBER = re.compile(r"[1-9][0-9]{0,11}")
_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[ T].*)?")
# The codes of Cargo; all others are exact to the day.
_PRECISIONS = {"2": Precision.MONTH, "3": Precision.YEAR}
_COMPANY = "Company:"
_OPENING = re.compile(r"<(?P<tag>[a-z][a-z0-9]*)\b[^<>]*?\bclass=[\"'](?P<classes>[^\"'<>]*)", re.IGNORECASE)

_Row = Mapping[str, str]


class _Item(msgspec.Struct, frozen=True):
    title: dict[str, Any] = {}


class _Envelope(msgspec.Struct, frozen=True):
    cargoquery: list[Any] | None = None


class _Text(msgspec.Struct, frozen=True):
    html: str = msgspec.field(default="", name="*")


class _Parsed(msgspec.Struct, frozen=True):
    text: _Text | None = None


class _Page(msgspec.Struct, frozen=True):
    parse: _Parsed = _Parsed()


class Cargo(Struct, frozen=True):
    """The way through the database: fifty games per request, and one more request for the introduction of a page."""

    api: MediaWiki
    wiki: WikiAddresses
    name: str = "Cargo"

    def find(self, titles: Sequence[str], *, within: Deadline) -> list[GameMetadata]:
        return self._games(conditions("_pageName", titles), within, cache_for=_SEARCH_CACHE_LIFETIME)

    def fetch(self, ids: Sequence[str], titles: Sequence[str], *, within: Deadline) -> list[GameMetadata]:
        selection = [*conditions("_pageID", ids), *conditions("_pageName", titles)]
        games = self._games(selection, within, cache_for=_GAME_CACHE_LIFETIME)
        return [self._with_description(game, within) for game in games] if len(games) == 1 else games

    def _games(self, selection: Sequence[str], within: Deadline, *, cache_for: timedelta) -> list[GameMetadata]:
        queries = ({**_ROWS, "where": " OR ".join(batch)} for batch in batches(selection))
        rows = [row for query in queries for row in self.api.send(query, _rows, within=within, cache_for=cache_for)]
        return [metadata_of(row, self.wiki) for row in rows]

    def _with_description(self, game: GameMetadata, within: Deadline) -> GameMetadata:
        """Return a game with its description, or unchanged if the request for it fails."""
        query = {"action": "parse", "pageid": game.external_ids["PCGamingWiki"], "prop": "text"}
        try:
            text = introduction(self.api.send(query, _text, within=within, cache_for=_GAME_CACHE_LIFETIME))
        except ProviderError as error:
            _log.warning("the description is left out", provider="PCGamingWiki", reason=str(error))
            return game
        return replace(game, short=prose.plain(text), description=prose.from_html(text, base=game.websites[0].url))


def conditions(field: str, values: Sequence[str]) -> list[str]:
    """Return SQL-like conditions for the values of a field, quoted with backslashes; unsupported ones are left out."""
    supported = (value.replace("\\", r"\\").replace('"', r"\"") for value in values if not _UNSUPPORTED.search(value))
    return [f'Infobox_game.{field}="{value}"' for value in supported]


def introduction(page: str) -> str:
    """Return the HTML inside the first element of the class `introduction`, without reference marks."""
    text = page[:_MAX_READ_CHARACTERS]
    opening = next((tag for tag in _OPENING.finditer(text) if "introduction" in tag["classes"].split()), None)
    if opening is None:
        return ""
    inner = text[opening.end() :].partition(">")[2]
    first, *others = inner[: _end(inner, opening["tag"])].split("<sup")
    return first + "".join(other.partition("</sup>")[2] for other in others)


def _end(inner: str, tag: str) -> int:
    """Return the position of the end tag of an element whose start tag is just before ``inner``."""
    depth = 1
    for each in re.finditer(rf"<(/?){tag}\b", inner, re.IGNORECASE):
        depth += -1 if each[1] else 1
        if depth == 0:
            return each.start()
    return len(inner)


def _text(response: Any) -> str:
    text = read(_Page, response).parse.text
    if text is None:
        raise ValueError(response)
    return text.html


def _rows(response: Any) -> list[_Row]:
    """Parse a response and return the rows that have a page id and a name."""
    items = read(_Envelope, response).cargoquery
    if items is None:
        raise ValueError(response)
    rows = [_row(item.title) for item in read_all(_Item, items)]
    return [row for row in rows if _NUMBER.fullmatch(row.get("pageID", "")) and clean_name(row.get("name", ""))]


def _row(fields: Mapping[str, Any]) -> _Row:
    texts = {name: str(value) for name, value in fields.items() if isinstance(value, str | int)}
    return {name.replace(" ", "_"): html.unescape(text) for name, text in texts.items()}


def metadata_of(row: _Row, wiki: WikiAddresses) -> GameMetadata:
    """Return the metadata in a row, which is everything but the description."""
    return GameMetadata(
        name=name_of(row["name"]),
        released=_released(row),
        developers=_companies(row.get("Developers", "")),
        publishers=_companies(row.get("Publishers", "")),
        tags=tuple(_tags(row))[:MAX_TAGS],
        pictures=offers(_cover(row.get("Cover_URL", ""), wiki)),
        websites=tuple(websites(_official(row), wiki.page(row["name"]))),
        external_ids=dict(_ids(row)) | {"PCGamingWiki": row["pageID"]},
    )


def _cover(address: str, wiki: WikiAddresses) -> str:
    """Return the URL of a cover on the picture server of the settings, whichever server the database names."""
    if not web_address(address) or origin_of(address) == origin_of(wiki.images):
        return web_address(address)
    return wiki.picture(clean_name(unquote(urlsplit(address).path).rpartition("/")[2]))


def _companies(text: str) -> tuple[str, ...]:
    """Parse `Company:Valve,Company:Wube Software, Ltd.`, in which names may contain commas."""
    parts = text.split(_COMPANY) if _COMPANY in text else text.split(",")
    return unique_names((part.strip().removesuffix(",") for part in parts), limit=MAX_COMPANIES)


def _released(row: _Row) -> ReleaseDate | None:
    """Return the earliest date on any operating system."""
    dates = [
        _date(text, row.get(f"{field}__precision", "")) for field in _DATES for text in row.get(field, "").split(";")
    ]
    return min((each for each in dates if each), key=lambda each: each.date, default=None)


def _date(text: str, precision: str) -> ReleaseDate | None:
    match = _DATE.fullmatch(text.strip())
    if match is None:
        return date_of(text)
    return release_date(
        date_or_none(int(match[1]), int(match[2]), int(match[3])), _PRECISIONS.get(precision, Precision.DAY)
    )


def _tags(row: _Row) -> Iterator[TagFact]:
    for field, kind in _TAGS.items():
        for name in unique_names(row.get(field, "").split(","), limit=MAX_TAGS):
            yield TagFact(kind, name)


def _official(row: _Row) -> str:
    """Return the URL of the official site, which may be written as a link: `[https://www.example.org The site]`."""
    return row.get("Official_URL", "").strip("[] ").partition(" ")[0]


def _ids(row: _Row) -> Iterator[tuple[str, str]]:
    """Return the first id for each store; the others are those of add-ons."""
    for source_id, field in _IDS.items():
        value = row.get(field, "").partition(",")[0].strip()
        if _NUMBER.fullmatch(value):
            yield source_id, value
