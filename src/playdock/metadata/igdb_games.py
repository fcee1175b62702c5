"""IGDB's records of games (https://api-docs.igdb.com/#game), and their conversion to game metadata."""

import re
from collections.abc import Iterable, Iterator
from datetime import date
from html import escape

import msgspec

from playdock.metadata import prose
from playdock.metadata.game_metadata import (
    AgeRating,
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
from playdock.metadata.reading import (
    MAX_COMPANIES,
    MAX_SCREENSHOTS,
    MAX_TAGS,
    clean_name,
    date_from_timestamp,
    release_date,
    scaled_score,
    unique_names,
    web_address,
)

# Keywords are left out, because a game can have hundreds of mostly unspecific ones.
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
"""Add-on, expansion that needs the base game, mod, pack, update."""

# See https://api-docs.igdb.com/#external-game-source and https://api-docs.igdb.com/#website-type.
_SOURCES = {1: "Steam", 3: "GiantBomb", 5: "GOG", 26: "Epic", 30: "Itch"}
_WEBSITES = (
    {1: "official"}
    | dict.fromkeys((2, 3), "wiki")
    | dict.fromkeys((13, 15, 16, 17), "store")
    | dict.fromkeys((14, 18), "community")
    | dict.fromkeys((4, 5, 6, 8, 9, 19), "social")
)
# The deprecated enumerations of rating boards and ratings, which some records still use. Ratings count from 1.
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
# Enough for the official site, the stores and the communities of a game.
_MAX_WEBSITES = 20
# Only one banner is used; the others are fallbacks for artwork that cannot be downloaded.
_MAX_ARTWORKS = 3


class IgdbName(msgspec.Struct, frozen=True):
    name: str = ""


class IgdbImage(msgspec.Struct, frozen=True):
    image_id: str = ""
    width: int = 0
    height: int = 0


class _Involvement(msgspec.Struct, frozen=True):
    company: IgdbName = IgdbName()
    developer: bool = False
    publisher: bool = False


class _Category(msgspec.Struct, frozen=True):
    rating: str = ""


class _Description(msgspec.Struct, frozen=True):
    description: str = ""


class _AgeRating(msgspec.Struct, frozen=True):
    organization: IgdbName = IgdbName()
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
    """A game with its related records. Times are Unix seconds; ratings are from 0 to 100."""

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
    genres: tuple[IgdbName, ...] = ()
    themes: tuple[IgdbName, ...] = ()
    game_modes: tuple[IgdbName, ...] = ()
    player_perspectives: tuple[IgdbName, ...] = ()
    total_rating: float | None = None
    total_rating_count: int | None = None
    aggregated_rating: float | None = None
    aggregated_rating_count: int | None = None
    rating: float | None = None
    rating_count: int | None = None
    age_ratings: tuple[_AgeRating, ...] = ()
    cover: IgdbImage = IgdbImage()
    artworks: tuple[IgdbImage, ...] = ()
    screenshots: tuple[IgdbImage, ...] = ()
    websites: tuple[_Website, ...] = ()
    external_games: tuple[_External, ...] = ()


def metadata_of(game: IgdbGame, *, images: str) -> GameMetadata:
    """Return a game's metadata; ``images`` is the base URL of pictures."""
    companies = game.involved_companies
    return GameMetadata(
        name=clean_name(game.name),
        short=prose.plain(escape(game.summary)),
        summary=prose.plain_lines(escape(game.summary)),
        description=_description(game),
        released=_released(game),
        developers=unique_names((each.company.name for each in companies if each.developer), limit=MAX_COMPANIES),
        publishers=unique_names((each.company.name for each in companies if each.publisher), limit=MAX_COMPANIES),
        tags=tuple(_tags(game))[:MAX_TAGS],
        ratings=tuple(_ratings(game)),
        age_ratings=tuple(dict.fromkeys(_age_ratings(game.age_ratings))),
        pictures=tuple(_pictures(game, images)),
        websites=_websites(game),
        external_ids=_external_ids(game),
    )


def day_of(game: IgdbGame) -> date | None:
    return date_from_timestamp(game.first_release_date) if game.first_release_date is not None else None


def picture(images: str, image: IgdbImage, size: str) -> str:
    """Return the URL of a picture in one of the sizes of https://api-docs.igdb.com/#images, empty if it has no id."""
    return f"{images}/t_{size}/{image.image_id}.jpg" if _IMAGE_ID.fullmatch(image.image_id) else ""


def _description(game: IgdbGame) -> str:
    """Return summary and storyline, which are plain text with blank lines between paragraphs, as Markdown."""
    paragraphs = re.split(r"\s*\n\s*\n\s*", f"{game.summary}\n\n{game.storyline}".strip())
    marked = (escape(paragraph).replace("\n", "<br>") for paragraph in paragraphs)
    return prose.from_html("".join(f"<p>{paragraph}</p>" for paragraph in marked))


def _released(game: IgdbGame) -> ReleaseDate | None:
    """Return the first release.

    IGDB records a month, quarter or year as its last day; the format of the release date shows the precision.
    """
    first = game.first_release_date
    stated = {_precision(each.date_format.format) for each in game.release_dates if each.date == first}
    finest = next((precision for precision in Precision if precision in stated), None if stated else Precision.DAY)
    return release_date(day_of(game), finest) if finest else None


def _precision(date_format: str) -> Precision | None:
    """Return the precision of a format such as YYYYMMMMDD, YYYYMMMM, YYYYQ4 or YYYY, and None for TBD."""
    if not date_format.startswith("YYYY"):
        return None
    rest = date_format.removeprefix("YYYY")
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
        yield from (TagFact(kind, name) for name in unique_names((tag.name for tag in tags), limit=MAX_TAGS))


def _ratings(game: IgdbGame) -> Iterator[RatingFact]:
    ratings = (
        ("IGDB", game.total_rating, game.total_rating_count),
        ("IGDB critics", game.aggregated_rating, game.aggregated_rating_count),
        ("IGDB users", game.rating, game.rating_count),
    )
    for source, value, count in ratings:
        score = scaled_score(value, of=100) if value is not None else None
        if score is not None:
            yield RatingFact(source, score, count if count and count > 0 else None, web_address(game.url))


def _age_ratings(ratings: Iterable[_AgeRating]) -> Iterator[AgeRating]:
    for rating in ratings:
        board = clean_name(rating.organization.name) or _BOARDS.get(rating.category, "")
        value = clean_name(rating.rating_category.rating) or _old_rating(rating.rating)
        descriptions = (each.description for each in rating.rating_content_descriptions)
        if board and value:
            yield AgeRating(board, value, unique_names(descriptions, limit=MAX_TAGS))


def _old_rating(number: int) -> str:
    return _OLD_RATINGS[number - 1] if 0 < number <= len(_OLD_RATINGS) else ""


def _pictures(game: IgdbGame, images: str) -> Iterator[ImageOffer]:
    wide = sorted(game.artworks, key=lambda image: image.width < image.height)
    pictures = (
        (Role.COVER, "cover_big_2x", (game.cover,)),
        (Role.ICON, "thumb_2x", (game.cover,)),
        (Role.BANNER, "1080p", wide[:_MAX_ARTWORKS]),
        (Role.CAROUSEL, "1080p", game.screenshots[:MAX_SCREENSHOTS]),
    )
    for role, size, sources in pictures:
        addresses = dict.fromkeys(picture(images, image, size) for image in sources)
        yield from (ImageOffer(role, address) for address in addresses if address)


def _websites(game: IgdbGame) -> tuple[Website, ...]:
    """Return the game's page on IGDB and its other websites, without duplicate URLs."""
    kinds = {web_address(game.url): "database"}
    for each in game.websites:
        kinds.setdefault(web_address(each.url), _WEBSITES.get(each.type, "other"))
    return tuple(Website(kind, url) for url, kind in kinds.items() if url)[:_MAX_WEBSITES]


def _external_ids(game: IgdbGame) -> dict[str, str]:
    """Return the ids in other databases and stores; if there are several for one source, the first."""
    ids = {"IGDB": str(game.id)}
    for each in game.external_games:
        source = _SOURCES.get(each.external_game_source)
        if source and _EXTERNAL_ID.fullmatch(each.uid):
            ids.setdefault(source, each.uid)
    return ids
