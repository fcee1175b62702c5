"""PCGamingWiki by its pages: what the head of a game's page says, its infobox and its introduction.

https://www.pcgamingwiki.com/wiki/Template:Infobox_game
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any
from urllib.parse import quote

import msgspec

from playdock.fetching.web import Deadline
from playdock.metadata import prose, wikitext
from playdock.metadata.facts import (
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
from playdock.metadata.mediawiki import MediaWiki, batches
from playdock.metadata.reading import (
    MOST_COMPANIES,
    MOST_TAGS,
    calendar_day,
    names,
    one_name,
    read,
    share,
    web_address,
)

_SEARCHES_KEPT = timedelta(days=1)
_PAGES_KEPT = timedelta(hours=1)

# What is asked for of every page: the text above its first heading.
_HEADS = {
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


class Page(msgspec.Struct, frozen=True):
    """A page of the wiki with the head of its text, or what was asked for in its stead."""

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
    def answers(self) -> bool:
        return self.missing or self.invalid or bool(self.text)

    @property
    def tells_of_a_game(self) -> bool:
        return self.pageid > 0 and self.ns == 0 and bool(one_name(self.title)) and _INFOBOX in self.text.lower()


class _Pages(msgspec.Struct, frozen=True):
    pages: tuple[Page, ...] = ()


class _Answer(msgspec.Struct, frozen=True):
    query: _Pages = _Pages()


@dataclass(frozen=True, slots=True)
class Wiki:
    """The addresses of the wiki and its pictures, without a slash behind them."""

    site: str
    images: str

    def page(self, title: str) -> str:
        return f"{self.site}/wiki/{quote(title.replace(' ', '_'), safe=':/')}"

    def picture(self, name: str) -> str:
        """Give a picture's address, empty if that is no name of one.

        MediaWiki spreads files over folders by the MD5 of their names, as its manual describes under
        $wgHashedUploadDirectory.
        """
        if not _PICTURE.fullmatch(name):
            return ""
        file = name.replace(" ", "_")
        file = file[:1].upper() + file[1:]
        folder = hashlib.md5(file.encode(), usedforsecurity=False).hexdigest()
        return f"{self.images}/{folder[0]}/{folder[:2]}/{quote(file)}"


@dataclass(frozen=True, slots=True)
class Heads:
    """The way by the heads of pages, fifty in a request."""

    api: MediaWiki
    wiki: Wiki
    name: str = "heads"

    def find(self, titles: Sequence[str], *, within: Deadline) -> list[GameFacts]:
        return self._read("titles", titles, within, keep=_SEARCHES_KEPT)

    def tell(self, ids: Sequence[str], titles: Sequence[str], *, within: Deadline) -> list[GameFacts]:
        by_id = self._read("pageids", ids, within, keep=_PAGES_KEPT)
        return [*by_id, *self._read("titles", titles, within, keep=_PAGES_KEPT)]

    def _read(self, kind: str, wanted: Sequence[str], within: Deadline, *, keep: timedelta) -> list[GameFacts]:
        ask = partial(self.api.ask, form=pages_of, within=within, keep=keep)
        pages = [page for batch in batches(wanted) for page in ask({**_HEADS, kind: "|".join(batch)})]
        return [facts_of(page, self.wiki) for page in pages]


def pages_of(answer: Any) -> list[Page]:
    """Read the pages of an answer that tell of games.

    Whatever was asked for is in it, be it missing. An answer with neither texts nor missing pages answers nothing.
    """
    pages = read(_Answer, answer).query.pages
    if not any(page.answers for page in pages):
        raise ValueError(answer)
    return [page for page in pages if page.tells_of_a_game]


def facts_of(page: Page, wiki: Wiki) -> GameFacts:
    """Give what the wiki knows of a game."""
    infobox = wikitext.bare(page.text)
    told = wikitext.as_html(wikitext.introduction(page.text))
    address = wiki.page(page.title)
    return GameFacts(
        name=name_of(page.title),
        short=prose.plain(told),
        description=prose.from_html(told, base=address),
        released=_released(infobox),
        developers=_companies(infobox, "developer"),
        publishers=_companies(infobox, "publisher"),
        tags=tuple(_tags(infobox))[:MOST_TAGS],
        ratings=tuple(_ratings(infobox, address)),
        pictures=offers(_cover(infobox, wiki)),
        websites=tuple(websites(wikitext.parameter(infobox, "official site"), address)),
        external_ids=dict(_ids(infobox)) | {"PCGamingWiki": str(page.pageid)},
    )


def name_of(title: str) -> str:
    """Give the game's name: titles have the year behind it where games share one."""
    return _OF_A_YEAR.sub("", one_name(title))


def _cover(infobox: str, wiki: Wiki) -> str:
    return wiki.picture(one_name(wikitext.parameter(infobox, "cover").strip("[]")).removeprefix("File:"))


def _companies(infobox: str, kind: str) -> tuple[str, ...]:
    found = (row[0].removeprefix("Company:") for row in wikitext.rows(infobox, kind) if row)
    return names(found, most=MOST_COMPANIES)


def _released(infobox: str) -> ReleaseDate | None:
    """Give the earliest date on any system."""
    dates = [date_of(row[1]) for row in wikitext.rows(infobox, "date") if len(row) > 1]
    return min((found for found in dates if found), key=lambda found: found.date, default=None)


def date_of(text: str) -> ReleaseDate | None:
    """Read `April 19, 2011`, `April 2011`, `Q2 2011` or `2011`."""
    found = _DATE.fullmatch(one_name(text))
    if found is None:
        return None
    name, day_of_month, quarter, year = found.groups(default="")
    if name and name.lower() not in _MONTHS:
        return None
    month = _MONTHS.index(name.lower()) + 1 if name else int(quarter[1]) * 3 - 2 if quarter else 1
    day = calendar_day(int(year), month, int(day_of_month or 1))
    precisions = ((day_of_month, Precision.DAY), (name, Precision.MONTH), (quarter, Precision.QUARTER))
    return (
        ReleaseDate(day, next((precision for given, precision in precisions if given), Precision.YEAR)) if day else None
    )


def _tags(infobox: str) -> Iterator[TagFact]:
    for row, kind in _TAXONOMY.items():
        listed = (part for parts in wikitext.rows(infobox, f"taxonomy/{row}") for part in parts[:1])
        for name in names((name for part in listed for name in part.split(",")), most=MOST_TAGS):
            yield TagFact(kind, name)


def _ratings(infobox: str, address: str) -> Iterator[RatingFact]:
    """Give the scores of critics; the wiki's page is where they were read."""
    for source, _, value, *_ in (row for row in wikitext.rows(infobox, "reception") if len(row) > 2):  # noqa: PLR2004
        score = share(float(value), of=100) if _SCORE.fullmatch(value) else None
        if score is not None and one_name(source):
            yield RatingFact(one_name(source), score, url=address)


def websites(official: str, address: str) -> Iterator[Website]:
    """Name the wiki's page, as the licence of its text wants it, and the game's own."""
    yield Website("wiki", address)
    if web_address(official):
        yield Website("official", official)


def offers(cover: str) -> tuple[PictureOffer, ...]:
    """Offer the cover, if there is one."""
    return (PictureOffer(Role.COVER, cover, credit="PCGamingWiki"),) if cover else ()


def _ids(infobox: str) -> Iterator[tuple[str, str]]:
    for source_id, name in (("Steam", "steam appid"), ("GOG", "gogcom id")):
        value = wikitext.parameter(infobox, name)
        if _NUMBER.fullmatch(value):
            yield source_id, value
