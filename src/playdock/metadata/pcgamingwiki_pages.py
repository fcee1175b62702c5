"""Metadata from PCGamingWiki's pages: the infobox and the introduction in the first section of a game's page.

The infobox is described at https://www.pcgamingwiki.com/wiki/Template:Infobox_game.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from datetime import timedelta
from functools import partial
from typing import Any
from urllib.parse import quote

import msgspec
from msgspec import Struct

from playdock.fetching.requests import Deadline
from playdock.metadata import prose, wikitext
from playdock.metadata.game_metadata import (
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
from playdock.metadata.mediawiki import MediaWiki, batches
from playdock.metadata.reading import (
    MAX_COMPANIES,
    MAX_TAGS,
    clean_name,
    date_or_none,
    read,
    scaled_score,
    unique_names,
    web_address,
)

# A repeated import searches for the same names again; new games may wait a day to be found.
_SEARCH_CACHE_LIFETIME = timedelta(days=1)
# Long enough for a search, an import plan and the import itself; a later refresh gets current data.
_PAGE_CACHE_LIFETIME = timedelta(hours=1)

# The query for the text above the first heading of pages.
_FIRST_SECTIONS = {
    "action": "query",
    "formatversion": "2",
    "redirects": "1",
    "prop": "revisions",
    "rvprop": "content",
    "rvslots": "main",
    "rvsection": "0",
}
_INFOBOX = "{{infobox game"
_OF_A_YEAR = re.compile(r" \([12]\d{3}\)$")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DATE = re.compile(r"(?:([a-z]{3})[a-z]*\.?(?: ([0-9]{1,2}),?)? |(q[1-4]) )?([0-9]{4})", re.IGNORECASE)
_TAXONOMY = {
    "genres": TagKind.GENRE,
    "themes": TagKind.THEME,
    "sports": TagKind.THEME,
    "vehicles": TagKind.THEME,
    "modes": TagKind.MODE,
    "perspectives": TagKind.PERSPECTIVE,
    "art styles": TagKind.KEYWORD,
    "pacing": TagKind.KEYWORD,
}
_NUMBER = re.compile(r"[1-9][0-9]{0,11}")
_SCORE = re.compile(r"[0-9]{1,3}")
_PICTURE = re.compile(r"[^/]+\.(?:jpe?g|png|webp)", re.IGNORECASE)


class _Slot(msgspec.Struct, frozen=True):
    content: str = ""


class _Slots(msgspec.Struct, frozen=True):
    main: _Slot = _Slot()


class _Revision(msgspec.Struct, frozen=True):
    slots: _Slots = _Slots()


class WikiPage(msgspec.Struct, frozen=True):
    """A page of the wiki with its first section, or an entry for a requested page that is missing or invalid."""

    pageid: int = 0
    ns: int = -1
    title: str = ""
    missing: bool = False
    invalid: bool = False
    revisions: tuple[_Revision, ...] = ()

    @property
    def text(self) -> str:
        return self.revisions[0].slots.main.content if self.revisions else ""

    @property
    def is_conclusive(self) -> bool:
        """Whether the entry has the page's text or says that there is no such page."""
        return self.missing or self.invalid or bool(self.text)

    @property
    def is_game(self) -> bool:
        return self.pageid > 0 and self.ns == 0 and bool(clean_name(self.title)) and _INFOBOX in self.text.lower()


class _Pages(msgspec.Struct, frozen=True):
    pages: tuple[WikiPage, ...] = ()


class _Envelope(msgspec.Struct, frozen=True):
    query: _Pages = _Pages()


class WikiAddresses(Struct, frozen=True):
    """The base URLs of the wiki and its pictures, without a trailing slash."""

    site: str
    images: str

    def page(self, title: str) -> str:
        return f"{self.site}/wiki/{quote(title.replace(' ', '_'), safe=':/')}"

    def picture(self, name: str) -> str:
        """Return the URL of a picture by its file name, empty if the name is not that of a picture.

        MediaWiki distributes files over folders by the MD5 digest of their names; see $wgHashedUploadDirectory in its
        manual.
        """
        if not _PICTURE.fullmatch(name):
            return ""
        file = name.replace(" ", "_")
        file = file[:1].upper() + file[1:]
        folder = hashlib.md5(file.encode(), usedforsecurity=False).hexdigest()
        return f"{self.images}/{folder[0]}/{folder[:2]}/{quote(file)}"


class PageHeads(Struct, frozen=True):
    """The way through the first sections of pages, fifty per request."""

    api: MediaWiki
    wiki: WikiAddresses
    name: str = "heads"

    def find(self, titles: Sequence[str], *, within: Deadline) -> list[GameMetadata]:
        return self._read("titles", titles, within, cache_for=_SEARCH_CACHE_LIFETIME)

    def fetch(self, ids: Sequence[str], titles: Sequence[str], *, within: Deadline) -> list[GameMetadata]:
        by_id = self._read("pageids", ids, within, cache_for=_PAGE_CACHE_LIFETIME)
        return [*by_id, *self._read("titles", titles, within, cache_for=_PAGE_CACHE_LIFETIME)]

    def _read(self, kind: str, values: Sequence[str], within: Deadline, *, cache_for: timedelta) -> list[GameMetadata]:
        send = partial(self.api.send, parse=pages_of, within=within, cache_for=cache_for)
        pages = [page for batch in batches(values) for page in send({**_FIRST_SECTIONS, kind: "|".join(batch)})]
        return [metadata_of(page, self.wiki) for page in pages]


def pages_of(response: Any) -> list[WikiPage]:
    """Parse a response and return its pages of games.

    Raises:
        ValueError: it has neither a text nor an entry for a missing page. A valid response has an entry for every
            requested page.
    """
    pages = read(_Envelope, response).query.pages
    if not any(page.is_conclusive for page in pages):
        raise ValueError(response)
    return [page for page in pages if page.is_game]


def metadata_of(page: WikiPage, wiki: WikiAddresses) -> GameMetadata:
    """Return the metadata of a game from its page."""
    infobox = wikitext.bare(page.text)
    introduction = wikitext.as_html(wikitext.introduction(page.text))
    address = wiki.page(page.title)
    return GameMetadata(
        name=name_of(page.title),
        short=prose.plain(introduction),
        description=prose.from_html(introduction, base=address),
        released=_released(infobox),
        developers=_companies(infobox, "developer"),
        publishers=_companies(infobox, "publisher"),
        tags=tuple(_tags(infobox))[:MAX_TAGS],
        ratings=tuple(_ratings(infobox, address)),
        pictures=offers(_cover(infobox, wiki)),
        websites=tuple(websites(wikitext.parameter(infobox, "official site"), address)),
        external_ids=dict(_ids(infobox)) | {"PCGamingWiki": str(page.pageid)},
    )


def name_of(title: str) -> str:
    """Return the name of a game by its page's title, which ends with the year if several games share the name."""
    return _OF_A_YEAR.sub("", clean_name(title))


def _cover(infobox: str, wiki: WikiAddresses) -> str:
    return wiki.picture(clean_name(wikitext.parameter(infobox, "cover").strip("[]")).removeprefix("File:"))


def _companies(infobox: str, kind: str) -> tuple[str, ...]:
    companies = (row[0].removeprefix("Company:") for row in wikitext.rows(infobox, kind) if row)
    return unique_names(companies, limit=MAX_COMPANIES)


def _released(infobox: str) -> ReleaseDate | None:
    """Return the earliest date on any operating system."""
    dates = [date_of(row[1]) for row in wikitext.rows(infobox, "date") if len(row) > 1]
    return min((each for each in dates if each), key=lambda each: each.date, default=None)


def date_of(text: str) -> ReleaseDate | None:
    """Parse `April 19, 2011`, `April 2011`, `Q2 2011` or `2011`; return None for anything else."""
    match = _DATE.fullmatch(clean_name(text))
    if match is None:
        return None
    name, day_of_month, quarter, year = match.groups(default="")
    if name and name.lower() not in _MONTHS:
        return None
    month = _MONTHS.index(name.lower()) + 1 if name else int(quarter[1]) * 3 - 2 if quarter else 1
    day = date_or_none(int(year), month, int(day_of_month or 1))
    precisions = ((day_of_month, Precision.DAY), (name, Precision.MONTH), (quarter, Precision.QUARTER))
    return (
        ReleaseDate(day, next((precision for part, precision in precisions if part), Precision.YEAR)) if day else None
    )


def _tags(infobox: str) -> Iterator[TagFact]:
    for row, kind in _TAXONOMY.items():
        lists = (parts[0] for parts in wikitext.rows(infobox, f"taxonomy/{row}") if parts)
        for name in unique_names((name for terms in lists for name in terms.split(",")), limit=MAX_TAGS):
            yield TagFact(kind, name)


def _ratings(infobox: str, address: str) -> Iterator[RatingFact]:
    """Return the scores of critics; their URL is that of the wiki's page."""
    for source, _, value, *_ in (row for row in wikitext.rows(infobox, "reception") if len(row) > 2):  # noqa: PLR2004
        score = scaled_score(float(value), of=100) if _SCORE.fullmatch(value) else None
        if score is not None and clean_name(source):
            yield RatingFact(clean_name(source), score, url=address)


def websites(official: str, address: str) -> Iterator[Website]:
    """Yield the wiki's page, which the licence of its text requires, and the game's official site."""
    yield Website("wiki", address)
    if web_address(official):
        yield Website("official", official)


def offers(cover: str) -> tuple[ImageOffer, ...]:
    """Return the cover as an offer, if there is one."""
    return (ImageOffer(Role.COVER, cover, credit="PCGamingWiki"),) if cover else ()


def _ids(infobox: str) -> Iterator[tuple[str, str]]:
    for source_id, name in (("Steam", "steam appid"), ("GOG", "gogcom id")):
        value = wikitext.parameter(infobox, name)
        if _NUMBER.fullmatch(value):
            yield source_id, value
