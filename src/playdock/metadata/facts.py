"""What is known of a game, in the same words whoever knows it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum


class Precision(StrEnum):
    """How exactly a date is known; a less exact one is the first day of what is known."""

    DAY = "day"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


@dataclass(frozen=True, slots=True)
class ReleaseDate:
    """When a game came out."""

    date: date
    precision: Precision = Precision.DAY


class TagKind(StrEnum):
    """What a tag is about."""

    GENRE = "genre"
    THEME = "theme"
    MODE = "mode"
    PERSPECTIVE = "perspective"
    KEYWORD = "keyword"


@dataclass(frozen=True, slots=True)
class TagFact:
    """A word that describes a game."""

    kind: TagKind
    name: str


@dataclass(frozen=True, slots=True)
class RatingFact:
    """What people think of a game: ``score`` 0 to 1, how many said so if that is known, and where to read it."""

    source: str
    score: float
    count: int | None = None
    url: str = ""


@dataclass(frozen=True, slots=True)
class AgeRating:
    """From what age a board thinks a game suitable, in the board's own words: ``PEGI`` ``16``."""

    board: str
    value: str
    descriptors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Website:
    """A page about the game: ``official``, ``store``, ``wiki``, ``community`` or another kind in one word."""

    kind: str
    url: str


class Role(StrEnum):
    """What a picture is shown as."""

    COVER = "cover"
    BANNER = "banner"
    ICON = "icon"
    LOGO = "logo"
    CAROUSEL = "carousel"


@dataclass(frozen=True, slots=True)
class PictureOffer:
    """A picture that can be downloaded from a provider; ``credit`` names its maker where that is asked for.

    Of several offers of one role the first that can be used counts; in the carousel, all of them.
    """

    role: Role
    address: str
    credit: str = ""


@dataclass(frozen=True, slots=True)
class GameFacts:
    """What a provider knows of a game; what it does not know is empty.

    ``short`` is one line of plain text, ``description`` Markdown. ``external_ids`` are the game's ids elsewhere, by
    source id (``Steam``, ``IGDB``, ``GOG``, …).
    """

    name: str
    short: str = ""
    description: str = ""
    released: ReleaseDate | None = None
    developers: tuple[str, ...] = ()
    publishers: tuple[str, ...] = ()
    tags: tuple[TagFact, ...] = ()
    ratings: tuple[RatingFact, ...] = ()
    age_ratings: tuple[AgeRating, ...] = ()
    pictures: tuple[PictureOffer, ...] = ()
    websites: tuple[Website, ...] = ()
    external_ids: Mapping[str, str] = field(default_factory=dict)
