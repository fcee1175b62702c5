"""Games as Steam's shop tells of them, read from its answers."""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

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
    Website,
)
from playdock.metadata.providers import Found
from playdock.metadata.reading import (
    MOST_COMPANIES,
    MOST_SCREENSHOTS,
    MOST_TAGS,
    day,
    names,
    one_name,
    read,
    share,
    web_address,
)
from playdock.metadata.steam_tags import sorted_tag

_MOST_DESCRIPTORS = 10
_ICON = re.compile(r"[\w-]{1,64}", re.ASCII)

# EStoreAppType of the shop's services: 0 is a game, 2 a modification, 6 a program, 13 a tool.
_EXTRAS = frozenset((1, 3, 4, 5, 7, 8, 9, 10, 11, 12, 14))

# How exactly `coming_soon_display` says that the date is known; with other words there is none.
_PRECISIONS = {
    "date_full": Precision.DAY,
    "date_month": Precision.MONTH,
    "date_quarter": Precision.QUARTER,
    "date_year": Precision.YEAR,
}
_BOARDS = {"dejus": "ClassInd", "kgrb": "GRAC", "oflc": "ACB"}


class _Named(msgspec.Struct, frozen=True):
    name: str = ""


class _BasicInfo(msgspec.Struct, frozen=True):
    short_description: str = ""
    developers: tuple[_Named, ...] = ()
    publishers: tuple[_Named, ...] = ()


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
    """A StoreItem of the shop's services. Dates are Unix seconds, names of files those of the shop's pictures."""

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
        """Give the numbers of the tags, the heaviest first: those without weights come in that order."""
        heaviest = sorted(self.tags, key=lambda tag: tag.weight, reverse=True)
        return tuple(tag.tagid for tag in heaviest) or self.tagids


class _Answer(msgspec.Struct, frozen=True):
    response: dict[str, Any] | None = None


class _Items(msgspec.Struct, frozen=True):
    store_items: tuple[SteamItem, ...] = ()


class _Tags(msgspec.Struct, frozen=True):
    tags: tuple[_Tag, ...] = ()


@dataclass(frozen=True, slots=True)
class Shop:
    """The addresses of the shop, without a slash behind them."""

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


def items_of(answer: Any) -> list[SteamItem]:
    """Read an answer with items, of which the shop gives one for whatever id it was asked, known or not."""
    items = read(_Items, _response(answer)).store_items
    return [item for item in items if item.success == 1 and item.appid > 0 and one_name(item.name)]


def tag_names_of(answer: Any) -> dict[int, str]:
    """Read an answer with the names of tags."""
    return {tag.tagid: one_name(tag.name) for tag in read(_Tags, _response(answer)).tags}


def _response(answer: Any) -> dict[str, Any]:
    """Give what an answer holds; that is nothing, but never not there, where nothing was found."""
    response = read(_Answer, answer).response
    if response is None:
        raise ValueError(answer)
    return response


def found_of(item: SteamItem, shop: Shop) -> Found:
    """Give a game as a search shows it."""
    released = _released(item.release)
    return Found(
        str(item.appid),
        one_name(item.name),
        description=prose.plain(item.basic_info.short_description),
        icon=shop.icon(item),
        year=released.date.year if released else 0,
        on_pc=item.platforms is None or item.platforms.any,
        extra=item.type in _EXTRAS,
    )


def facts_of(item: SteamItem, shop: Shop, tag_names: Mapping[int, str]) -> GameFacts:
    """Give what the shop knows of a game; it knows tags by their numbers."""
    page = shop.page(item.appid)
    return GameFacts(
        name=one_name(item.name),
        short=prose.plain(item.basic_info.short_description),
        description=prose.from_bbcode(item.full_description, base=page),
        released=_released(item.release),
        developers=names((each.name for each in item.basic_info.developers), most=MOST_COMPANIES),
        publishers=names((each.name for each in item.basic_info.publishers), most=MOST_COMPANIES),
        tags=tuple(_tags(item, tag_names)),
        ratings=tuple(_ratings(item.reviews.summary_filtered, page)),
        age_ratings=tuple(_age_ratings(item.game_rating)),
        pictures=tuple(_pictures(item, shop)),
        websites=(Website("store", page),),
        external_ids={"Steam": str(item.appid)},
    )


def _pictures(item: SteamItem, shop: Shop) -> Iterator[PictureOffer]:
    assets = item.assets
    for role, name in (
        (Role.COVER, assets.library_capsule_2x),
        (Role.COVER, assets.library_capsule),
        (Role.BANNER, assets.library_hero_2x),
        (Role.BANNER, assets.library_hero),
        (Role.LOGO, _logo(assets)),
    ):
        if name and (address := shop.asset(assets, name)):
            yield PictureOffer(role, address)
    if icon := shop.icon(item):
        yield PictureOffer(Role.ICON, icon)
    shots = sorted(item.screenshots.all_ages_screenshots, key=lambda shot: shot.ordinal)
    addresses = [web_address(f"{shop.images}/{shot.filename}") for shot in shots[:MOST_SCREENSHOTS]]
    yield from (PictureOffer(Role.CAROUSEL, address) for address in addresses if address)


def _released(release: _Release) -> ReleaseDate | None:
    """Give when a game came out, on Steam or before, or will: as exactly as the shop says so."""
    found = day(release.original_release_date or release.steam_release_date or math.nan)
    if found is None or not release.is_coming_soon:
        return ReleaseDate(found) if found else None
    precision = _PRECISIONS.get(release.coming_soon_display)
    return ReleaseDate(_first_day(found, precision), precision) if precision else None


def _first_day(found: date, precision: Precision) -> date:
    match precision:
        case Precision.YEAR:
            return found.replace(month=1, day=1)
        case Precision.QUARTER:
            return found.replace(month=found.month - (found.month - 1) % 3, day=1)
        case Precision.MONTH:
            return found.replace(day=1)
    return found


def _tags(item: SteamItem, tag_names: Mapping[int, str]) -> Iterator[TagFact]:
    return (sorted_tag(name) for number in item.tag_ids[:MOST_TAGS] if (name := tag_names.get(number)))


def _ratings(summary: _Summary, page: str) -> Iterator[RatingFact]:
    score = share(summary.percent_positive, of=100)
    if summary.review_count > 0 and score is not None:
        yield RatingFact("Steam", score, summary.review_count, url=f"{page}#app_reviews_hash")


def _age_ratings(rating: _GameRating) -> Iterator[AgeRating]:
    board, value = one_name(rating.type), one_name(rating.rating)
    if board and value:
        descriptors = names(rating.descriptors, most=_MOST_DESCRIPTORS)
        yield AgeRating(_BOARDS.get(board, board.upper()), value.upper(), descriptors)


def _logo(assets: _Assets) -> str:
    """Give the logo's file: it is not told, but lies beside the cover, unless that has a folder of its own."""
    cover = assets.library_capsule_2x or assets.library_capsule
    return "logo.png" if cover and "/" not in cover else ""
