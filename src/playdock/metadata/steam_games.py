"""Steam's records of games, and their conversion to game metadata."""

import math
import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

import msgspec
from msgspec import Struct

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
    Website,
)
from playdock.metadata.providers import SearchResult
from playdock.metadata.reading import (
    MAX_COMPANIES,
    MAX_SCREENSHOTS,
    MAX_TAGS,
    clean_name,
    date_from_timestamp,
    read,
    scaled_score,
    unique_names,
    web_address,
)
from playdock.metadata.steam_tags import tag_with_kind

# Boards define about thirty descriptors; a game has a handful.
_MAX_DESCRIPTORS = 10
_ICON = re.compile(r"[\w-]{1,64}", re.ASCII)

# EStoreAppType of the store's services without games (0), mods (2), software (6) and tools (13).
_EXTRAS = frozenset((1, 3, 4, 5, 7, 8, 9, 10, 11, 12, 14))

# The precision of a future date by `coming_soon_display`; other values announce no date.
_PRECISIONS = {
    "date_full": Precision.DAY,
    "date_month": Precision.MONTH,
    "date_quarter": Precision.QUARTER,
    "date_year": Precision.YEAR,
}
_BOARDS = {"dejus": "ClassInd", "kgrb": "GRAC", "oflc": "ACB"}


class _Name(msgspec.Struct, frozen=True):
    name: str = ""


class _BasicInfo(msgspec.Struct, frozen=True):
    short_description: str = ""
    developers: tuple[_Name, ...] = ()
    publishers: tuple[_Name, ...] = ()


class _Release(msgspec.Struct, frozen=True):
    steam_release_date: int = 0
    original_release_date: int = 0
    is_coming_soon: bool = False
    coming_soon_display: str = ""


class _Platforms(msgspec.Struct, frozen=True):
    windows: bool = False
    mac: bool = False
    steamos_linux: bool = False

    @property
    def any(self) -> bool:
        return self.windows or self.mac or self.steamos_linux


class _Assets(msgspec.Struct, frozen=True):
    asset_url_format: str = ""
    library_capsule_2x: str = ""
    library_capsule: str = ""
    library_hero_2x: str = ""
    library_hero: str = ""
    community_icon: str = ""


class _Screenshot(msgspec.Struct, frozen=True):
    filename: str = ""
    ordinal: int = 0


class _Screenshots(msgspec.Struct, frozen=True):
    all_ages_screenshots: tuple[_Screenshot, ...] = ()


class _Summary(msgspec.Struct, frozen=True):
    review_count: int = 0
    percent_positive: float = 0


class _Reviews(msgspec.Struct, frozen=True):
    summary_filtered: _Summary = _Summary()


class _GameRating(msgspec.Struct, frozen=True):
    type: str = ""
    rating: str = ""
    descriptors: tuple[str, ...] = ()


class _Tag(msgspec.Struct, frozen=True):
    tagid: int = 0
    name: str = ""
    weight: int = 0


class SteamItem(msgspec.Struct, frozen=True):
    """A StoreItem of Steam's services. Dates are Unix seconds; file names are relative to the picture servers."""

    appid: int = 0
    success: int = 0
    name: str = ""
    type: int = 0
    basic_info: _BasicInfo = _BasicInfo()
    release: _Release = _Release()
    platforms: _Platforms | None = None
    assets: _Assets = _Assets()
    screenshots: _Screenshots = _Screenshots()
    reviews: _Reviews = _Reviews()
    game_rating: _GameRating = _GameRating()
    tags: tuple[_Tag, ...] = ()
    tagids: tuple[int, ...] = ()
    full_description: str = ""

    @property
    def tag_ids(self) -> tuple[int, ...]:
        """Return the ids of the tags by descending weight, the order in which ``tagids`` without weights come."""
        by_weight = sorted(self.tags, key=lambda tag: tag.weight, reverse=True)
        return tuple(tag.tagid for tag in by_weight) or self.tagids


class _Envelope(msgspec.Struct, frozen=True):
    response: dict[str, Any] | None = None


class _Items(msgspec.Struct, frozen=True):
    store_items: tuple[SteamItem, ...] = ()


class _Tags(msgspec.Struct, frozen=True):
    tags: tuple[_Tag, ...] = ()


class SteamAddresses(Struct, frozen=True):
    """The base URLs of Steam's servers, without a trailing slash."""

    api: str
    community: str
    store: str
    images: str
    icons: str

    def page(self, appid: int) -> str:
        return f"{self.store}/app/{appid}/"

    def asset(self, assets: _Assets, name: str) -> str:
        return web_address(f"{self.images}/{assets.asset_url_format.replace('${FILENAME}', name)}")

    def icon(self, item: SteamItem) -> str:
        name = item.assets.community_icon
        return f"{self.icons}/{item.appid}/{name}.jpg" if _ICON.fullmatch(name) else ""


def items_of(response: Any) -> list[SteamItem]:
    """Parse a response of GetItems, which contains an item for every requested id, and return the known games."""
    items = read(_Items, _content_of(response)).store_items
    return [item for item in items if item.success == 1 and item.appid > 0 and clean_name(item.name)]


def tag_names_of(response: Any) -> dict[int, str]:
    """Parse a response of GetTagList and return the names of tags by id."""
    return {tag.tagid: clean_name(tag.name) for tag in read(_Tags, _content_of(response)).tags}


def _content_of(response: Any) -> dict[str, Any]:
    """Return the content of a response; it is an empty object, and never missing, if nothing was found.

    Raises:
        ValueError: there is none.
    """
    content = read(_Envelope, response).response
    if content is None:
        raise ValueError(response)
    return content


def search_result_of(item: SteamItem, urls: SteamAddresses) -> SearchResult:
    """Return a game as a search result."""
    released = _released(item.release)
    return SearchResult(
        str(item.appid),
        clean_name(item.name),
        description=prose.plain(item.basic_info.short_description),
        icon=urls.icon(item),
        year=released.date.year if released else 0,
        on_pc=item.platforms is None or item.platforms.any,
        extra=item.type in _EXTRAS,
    )


def metadata_of(item: SteamItem, urls: SteamAddresses, tag_names: Mapping[int, str]) -> GameMetadata:
    """Return a game's metadata; ``tag_names`` are the names of its tags by id."""
    page = urls.page(item.appid)
    return GameMetadata(
        name=clean_name(item.name),
        short=prose.plain(item.basic_info.short_description),
        description=prose.from_bbcode(item.full_description, base=page),
        released=_released(item.release),
        developers=unique_names((each.name for each in item.basic_info.developers), limit=MAX_COMPANIES),
        publishers=unique_names((each.name for each in item.basic_info.publishers), limit=MAX_COMPANIES),
        tags=tuple(_tags(item, tag_names)),
        ratings=tuple(_ratings(item.reviews.summary_filtered, page)),
        age_ratings=tuple(_age_ratings(item.game_rating)),
        pictures=tuple(_pictures(item, urls)),
        websites=(Website("store", page),),
        external_ids={"Steam": str(item.appid)},
    )


def _pictures(item: SteamItem, urls: SteamAddresses) -> Iterator[ImageOffer]:
    assets = item.assets
    for role, name in (
        (Role.COVER, assets.library_capsule_2x),
        (Role.COVER, assets.library_capsule),
        (Role.BANNER, assets.library_hero_2x),
        (Role.BANNER, assets.library_hero),
        (Role.LOGO, _logo(assets)),
    ):
        if name and (address := urls.asset(assets, name)):
            yield ImageOffer(role, address)
    if icon := urls.icon(item):
        yield ImageOffer(Role.ICON, icon)
    shots = sorted(item.screenshots.all_ages_screenshots, key=lambda shot: shot.ordinal)
    addresses = [web_address(f"{urls.images}/{shot.filename}") for shot in shots[:MAX_SCREENSHOTS]]
    yield from (ImageOffer(Role.CAROUSEL, address) for address in addresses if address)


def _released(release: _Release) -> ReleaseDate | None:
    """Return a game's first release, on Steam or elsewhere; future ones with the precision that the store shows."""
    first = date_from_timestamp(release.original_release_date or release.steam_release_date or math.nan)
    if first is None or not release.is_coming_soon:
        return ReleaseDate(first) if first else None
    precision = _PRECISIONS.get(release.coming_soon_display)
    return ReleaseDate(_first_day(first, precision), precision) if precision else None


def _first_day(day: date, precision: Precision) -> date:
    match precision:
        case Precision.YEAR:
            return day.replace(month=1, day=1)
        case Precision.QUARTER:
            return day.replace(month=day.month - (day.month - 1) % 3, day=1)
        case Precision.MONTH:
            return day.replace(day=1)
    return day


def _tags(item: SteamItem, tag_names: Mapping[int, str]) -> Iterator[TagFact]:
    return (tag_with_kind(name) for number in item.tag_ids[:MAX_TAGS] if (name := tag_names.get(number)))


def _ratings(summary: _Summary, page: str) -> Iterator[RatingFact]:
    score = scaled_score(summary.percent_positive, of=100)
    if summary.review_count > 0 and score is not None:
        yield RatingFact("Steam", score, summary.review_count, url=f"{page}#app_reviews_hash")


def _age_ratings(rating: _GameRating) -> Iterator[AgeRating]:
    board, value = clean_name(rating.type), clean_name(rating.rating)
    if board and value:
        descriptors = unique_names(rating.descriptors, limit=_MAX_DESCRIPTORS)
        yield AgeRating(_BOARDS.get(board, board.upper()), value.upper(), descriptors)


def _logo(assets: _Assets) -> str:
    """Return the file name of the logo, which is not in the response.

    It is in the same folder as the cover, unless the cover has a folder of its own.
    """
    cover = assets.library_capsule_2x or assets.library_capsule
    return "logo.png" if cover and "/" not in cover else ""
