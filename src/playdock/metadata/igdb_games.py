"""Games as IGDB writes them (https://api-docs.igdb.com/#game), and the facts in them."""

import re
from collections.abc import Iterable, Iterator
from datetime import date
from html import escape

import msgspec

from playdock.metadata import prose
from playdock.metadata.facts import (
    AgeRating,
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
from playdock.metadata.reading import (
    MOST_COMPANIES,
    MOST_SCREENSHOTS,
    MOST_TAGS,
    day,
    names,
    one_name,
    released,
    share,
    web_address,
)

# Keywords are left out: a game has hundreds, and most say little.
FIELDS = (
    "name,url,summary,storyline,first_release_date,release_dates.date,release_dates.date_format.format,"
    "involved_companies.company.name,involved_companies.developer,involved_companies.publisher,"
    "genres.name,themes.name,game_modes.name,player_perspectives.name,"
    "total_rating,total_rating_count,aggregated_rating,aggregated_rating_count,rating,rating_count,"
    "age_ratings.organization.name,age_ratings.rating_category.rating,"
    "age_ratings.rating_content_descriptions.description,age_ratings.category,age_ratings.rating,"
    "cover.image_id,artworks.image_id,artworks.width,artworks.height,screenshots.image_id,"
    "websites.url,websites.type,external_games.uid,external_games.external_game_source"
)
SEARCH_FIELDS = "name,summary,first_release_date,platforms,game_type,cover.image_id"

PC_PLATFORMS = frozenset((3, 6, 13, 14, 92))
"""Linux, Windows, DOS, Mac, SteamOS."""

EXTRA_TYPES = frozenset((1, 2, 5, 13, 14))
"""Add-on, expansion that does not stand alone, mod, pack, update."""

# External sources and kinds of websites: https://api-docs.igdb.com/#external-game-source, …#website-type
_SOURCES = {1: "Steam", 3: "GiantBomb", 5: "GOG", 26: "Epic", 30: "Itch"}
_WEBSITES = (
    {1: "official"}
    | dict.fromkeys((2, 3), "wiki")
    | dict.fromkeys((13, 15, 16, 17), "store")
    | dict.fromkeys((14, 18), "community")
    | dict.fromkeys((4, 5, 6, 8, 9, 19), "social")
)
# The enumerations that were there before boards and their ratings had records of their own; the second counts from 1.
_BOARDS = {1: "ESRB", 2: "PEGI", 3: "CERO", 4: "USK", 5: "GRAC", 6: "CLASS_IND", 7: "ACB"}
_OLD_RATINGS = (
    *("3", "7", "12", "16", "18"),  # PEGI
    *("RP", "EC", "E", "E10+", "T", "M", "AO"),  # ESRB
    *("A", "B", "C", "D", "Z"),  # CERO
    *("0", "6", "12", "16", "18"),  # USK
    *("All", "12", "15", "18", "Testing"),  # GRAC
    *("L", "10", "12", "14", "16", "18"),  # CLASS_IND
    *("G", "PG", "M", "MA15+", "R18+", "RC"),  # ACB
)
_IMAGE_ID = re.compile(r"[\w-]{1,64}", re.ASCII)
_EXTERNAL_ID = re.compile(r"[\w.~-]{1,100}", re.ASCII)
_MOST_WEBSITES = 20
_MOST_ARTWORKS = 3


class Named(msgspec.Struct, frozen=True):
    name: str = ""


class Image(msgspec.Struct, frozen=True):
    image_id: str = ""
    width: int = 0
    height: int = 0


class _Involvement(msgspec.Struct, frozen=True):
    company: Named = Named()
    developer: bool = False
    publisher: bool = False


class _Category(msgspec.Struct, frozen=True):
    rating: str = ""


class _Description(msgspec.Struct, frozen=True):
    description: str = ""


class _AgeRating(msgspec.Struct, frozen=True):
    organization: Named = Named()
    rating_category: _Category = _Category()
    rating_content_descriptions: tuple[_Description, ...] = ()
    category: int = 0
    rating: int = 0


class _Format(msgspec.Struct, frozen=True):
    format: str = ""


class _Release(msgspec.Struct, frozen=True):
    date: int | None = None
    date_format: _Format = _Format()


class _Website(msgspec.Struct, frozen=True):
    url: str = ""
    type: int = 0


class _External(msgspec.Struct, frozen=True):
    uid: str = ""
    external_game_source: int = 0


class IgdbGame(msgspec.Struct, frozen=True):
    """A game with what it refers to. Moments are Unix seconds, ratings go to 100."""

    id: int = 0
    name: str = ""
    url: str = ""
    summary: str = ""
    storyline: str = ""
    first_release_date: int | None = None
    release_dates: tuple[_Release, ...] = ()
    platforms: tuple[int, ...] = ()
    game_type: int = 0
    involved_companies: tuple[_Involvement, ...] = ()
    genres: tuple[Named, ...] = ()
    themes: tuple[Named, ...] = ()
    game_modes: tuple[Named, ...] = ()
    player_perspectives: tuple[Named, ...] = ()
    total_rating: float | None = None
    total_rating_count: int | None = None
    aggregated_rating: float | None = None
    aggregated_rating_count: int | None = None
    rating: float | None = None
    rating_count: int | None = None
    age_ratings: tuple[_AgeRating, ...] = ()
    cover: Image = Image()
    artworks: tuple[Image, ...] = ()
    screenshots: tuple[Image, ...] = ()
    websites: tuple[_Website, ...] = ()
    external_games: tuple[_External, ...] = ()


def facts_of(game: IgdbGame, *, images: str) -> GameFacts:
    """Give what a game's record says; pictures lie below the address ``images``."""
    companies = game.involved_companies
    return GameFacts(
        name=one_name(game.name),
        short=prose.plain(escape(game.summary)),
        description=_description(game),
        released=_released(game),
        developers=names((each.company.name for each in companies if each.developer), most=MOST_COMPANIES),
        publishers=names((each.company.name for each in companies if each.publisher), most=MOST_COMPANIES),
        tags=tuple(_tags(game))[:MOST_TAGS],
        ratings=tuple(_ratings(game)),
        age_ratings=tuple(dict.fromkeys(_age_ratings(game.age_ratings))),
        pictures=tuple(_pictures(game, images)),
        websites=_websites(game),
        external_ids=_external_ids(game),
    )


def day_of(game: IgdbGame) -> date | None:
    return day(game.first_release_date) if game.first_release_date is not None else None


def picture(images: str, image: Image, size: str) -> str:
    """Give a picture's address in one of the sizes of https://api-docs.igdb.com/#images, empty if there is none."""
    return f"{images}/t_{size}/{image.image_id}.jpg" if _IMAGE_ID.fullmatch(image.image_id) else ""


def _description(game: IgdbGame) -> str:
    """Give summary and storyline: plain text, with blank lines between paragraphs."""
    paragraphs = re.split(r"\s*\n\s*\n\s*", f"{game.summary}\n\n{game.storyline}".strip())
    marked = (escape(paragraph).replace("\n", "<br>") for paragraph in paragraphs)
    return prose.from_html("".join(f"<p>{paragraph}</p>" for paragraph in marked))


def _released(game: IgdbGame) -> ReleaseDate | None:
    """Give the first release; that of a month, quarter or year is recorded as its last day, and told by its format."""
    told = {_precision(each.date_format.format) for each in game.release_dates if each.date == game.first_release_date}
    finest = next((precision for precision in Precision if precision in told), None if told else Precision.DAY)
    return released(day_of(game), finest) if finest else None


def _precision(form: str) -> Precision | None:
    """Read a format such as YYYYMMMMDD, YYYYMMMM, YYYYQ4, YYYY or TBD."""
    if not form.startswith("YYYY"):
        return None
    rest = form.removeprefix("YYYY")
    if rest.endswith("D"):
        return Precision.DAY
    return {"": Precision.YEAR, "M": Precision.MONTH, "Q": Precision.QUARTER}.get(rest[:1])


def _tags(game: IgdbGame) -> Iterator[TagFact]:
    kinds = {
        TagKind.GENRE: game.genres,
        TagKind.THEME: game.themes,
        TagKind.MODE: game.game_modes,
        TagKind.PERSPECTIVE: game.player_perspectives,
    }
    for kind, tags in kinds.items():
        yield from (TagFact(kind, name) for name in names((tag.name for tag in tags), most=MOST_TAGS))


def _ratings(game: IgdbGame) -> Iterator[RatingFact]:
    told = (
        ("IGDB", game.total_rating, game.total_rating_count),
        ("IGDB critics", game.aggregated_rating, game.aggregated_rating_count),
        ("IGDB users", game.rating, game.rating_count),
    )
    for source, value, count in told:
        score = share(value, of=100) if value is not None else None
        if score is not None:
            yield RatingFact(source, score, count if count and count > 0 else None, web_address(game.url))


def _age_ratings(ratings: Iterable[_AgeRating]) -> Iterator[AgeRating]:
    for rating in ratings:
        board = one_name(rating.organization.name) or _BOARDS.get(rating.category, "")
        value = one_name(rating.rating_category.rating) or _old_rating(rating.rating)
        descriptions = (each.description for each in rating.rating_content_descriptions)
        if board and value:
            yield AgeRating(board, value, names(descriptions, most=MOST_TAGS))


def _old_rating(number: int) -> str:
    return _OLD_RATINGS[number - 1] if 0 < number <= len(_OLD_RATINGS) else ""


def _pictures(game: IgdbGame, images: str) -> Iterator[PictureOffer]:
    wide = sorted(game.artworks, key=lambda image: image.width < image.height)
    wanted = (
        (Role.COVER, "cover_big_2x", (game.cover,)),
        (Role.ICON, "thumb_2x", (game.cover,)),
        (Role.BANNER, "1080p", wide[:_MOST_ARTWORKS]),
        (Role.CAROUSEL, "1080p", game.screenshots[:MOST_SCREENSHOTS]),
    )
    for role, size, pictures in wanted:
        addresses = dict.fromkeys(picture(images, image, size) for image in pictures)
        yield from (PictureOffer(role, address) for address in addresses if address)


def _websites(game: IgdbGame) -> tuple[Website, ...]:
    """Give the game's page at IGDB and the others, each address once."""
    kinds = {web_address(game.url): "database"}
    for each in game.websites:
        kinds.setdefault(web_address(each.url), _WEBSITES.get(each.type, "other"))
    return tuple(Website(kind, url) for url, kind in kinds.items() if url)[:_MOST_WEBSITES]


def _external_ids(game: IgdbGame) -> dict[str, str]:
    """Give the ids elsewhere: of several at one place the first."""
    ids = {"IGDB": str(game.id)}
    for each in game.external_games:
        source = _SOURCES.get(each.external_game_source)
        if source and _EXTERNAL_ID.fullmatch(each.uid):
            ids.setdefault(source, each.uid)
    return ids
