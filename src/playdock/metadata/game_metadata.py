"""The metadata of a game, in the form that all providers share."""

from collections.abc import Mapping
from datetime import date
from enum import StrEnum

from msgspec import Struct, field


class Precision(StrEnum):
    """The precision of a date; an imprecise date is the first day of its month, quarter or year."""

    DAY = "day"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


class ReleaseDate(Struct, frozen=True):
    """The day on which a game was or will be released."""

    date: date
    precision: Precision = Precision.DAY


class TagKind(StrEnum):
    """The category of a tag."""

    GENRE = "genre"
    THEME = "theme"
    MODE = "mode"
    PERSPECTIVE = "perspective"
    KEYWORD = "keyword"


class TagFact(Struct, frozen=True):
    """A term that describes a game."""

    kind: TagKind
    name: str


class RatingFact(Struct, frozen=True):
    """A rating of a game: ``score`` from 0 to 1, the number of votes if known, and the page that shows it."""

    source: str
    score: float
    count: int | None = None
    url: str = ""


class AgeRating(Struct, frozen=True):
    """The age rating of a game by a rating board, in the board's own terms, such as ``PEGI`` ``16``."""

    board: str
    value: str
    descriptors: tuple[str, ...] = ()


class Website(Struct, frozen=True):
    """A page about the game; ``kind`` is one word such as ``official``, ``store``, ``wiki`` or ``community``."""

    kind: str
    url: str


class Role(StrEnum):
    """The use of a picture on the pages."""

    COVER = "cover"
    BANNER = "banner"
    ICON = "icon"
    LOGO = "logo"
    CAROUSEL = "carousel"


class ImageOffer(Struct, frozen=True):
    """A picture that can be downloaded from a provider; ``credit`` names its author if the provider requires that.

    Of several offers for one role the first usable one is taken; the carousel takes all of them.
    """

    role: Role
    address: str
    credit: str = ""


class GameMetadata(Struct, frozen=True):
    """The metadata of a game from one provider; unknown fields are empty.

    ``short`` is one line of plain text, ``summary`` the same with its line breaks if the provider has any, and
    ``description`` is Markdown. ``external_ids`` are the ids of the game in databases and stores, by source id
    (``Steam``, ``IGDB``, ``GOG``, …).
    """

    name: str
    short: str = ""
    summary: str = ""
    description: str = ""
    released: ReleaseDate | None = None
    developers: tuple[str, ...] = ()
    publishers: tuple[str, ...] = ()
    tags: tuple[TagFact, ...] = ()
    ratings: tuple[RatingFact, ...] = ()
    age_ratings: tuple[AgeRating, ...] = ()
    pictures: tuple[ImageOffer, ...] = ()
    websites: tuple[Website, ...] = ()
    external_ids: Mapping[str, str] = field(default_factory=dict)
