"""Wire types of the store."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from playdock.content.programs import Platform
from playdock.domain.artwork.schemas import PictureResponse
from playdock.domain.game_metadata.schemas import (
    AgeRatingResponse,
    CompanyName,
    RatingResponse,
    ReleaseResponse,
    TagName,
    WebsiteResponse,
    age_ratings_of,
    ratings_of,
    websites_of,
)
from playdock.domain.games.schemas import VersionResponse
from playdock.features.store.queries import Card, CompanyUse, GameDetailsRow, TagUse
from playdock.features.store.rules import Order, Sort
from playdock.kit.bodies import Query, ResponseBody
from playdock.kit.clock import timestamp
from playdock.kit.fields import GameTitle, Id, Timestamp
from playdock.metadata.game_metadata import Role, TagKind


class StoreQuery(Query):
    """The search, filter, sort and pagination parameters."""

    q: Annotated[
        str,
        Meta(
            max_length=256,
            description="The text to search for in names, companies, tags and descriptions; at most 256 characters.",
        ),
    ] = ""
    tag: Annotated[
        str,
        Meta(
            pattern="^[^,]*(,[^,]*){0,9}$",
            max_length=1024,
            description="Ids of up to 10 tags, separated by commas; games must have all.",
        ),
    ] = ""
    company: Annotated[
        str, Meta(max_length=64, description="The id of a company that developed or published the game.")
    ] = ""
    platform: Annotated[
        Platform | UnsetType, Meta(description="Windows, Linux or macOS; games must have a version for it.")
    ] = UNSET
    sort: Annotated[
        Sort | UnsetType,
        Meta(
            description="name, newest, updated, released, rating or relevance; default: relevance with q, else newest."
        ),
    ] = UNSET
    order: Annotated[
        Order | UnsetType,
        Meta(description="asc or desc; default: asc for name, else desc. Ignored for relevance, which is best first."),
    ] = UNSET
    limit: Annotated[int, Meta(ge=1, le=100, description="The maximum number of games to return.")] = 24
    after: Annotated[
        str,
        Meta(
            pattern="^[A-Za-z0-9_-]*$",
            max_length=4096,
            description="The `next` of the previous page, with the same sort and order.",
        ),
    ] = ""


class GameCard(ResponseBody):
    """The summary of a game in a listing, with its first tags and the pictures of listings."""

    id: Id
    name: GameTitle
    short_description: Annotated[str, Meta(examples=["Karts. Nitro. Action!"])]
    released: ReleaseResponse | None
    platforms: list[Platform]
    tags: list[TagName]
    rating: Annotated[float, Meta(examples=[0.87])] | None
    cover: PictureResponse | None
    icon: PictureResponse | None
    banner: PictureResponse | None
    added: Timestamp
    updated: Timestamp | None

    @classmethod
    def of(cls, card: Card) -> "GameCard":
        game, pictures = card.game, {role: PictureResponse.of(row) for role, row in card.pictures.items()}
        return cls(
            id=game.id,
            name=game.name,
            short_description=game.short_description,
            released=ReleaseResponse.of(game),
            platforms=[Platform(each) for each in card.platforms],
            tags=[TagName.of(each) for each in card.tags],
            rating=game.rating,
            cover=pictures.get(Role.COVER),
            icon=pictures.get(Role.ICON),
            banner=pictures.get(Role.BANNER),
            added=timestamp(game.created),
            updated=timestamp(game.updated) if game.updated else None,
        )


class StorePage(ResponseBody):
    """A page of games, their total number, and the cursor of the next page, null on the last page."""

    games: list[GameCard]
    total: Annotated[int, Meta(examples=[312])]
    next: Annotated[str, Meta(examples=["WyJuYW1lIiwiYXNjIiwic3VwZXIiLCIzZjFmIl0"])] | None


class GamePage(ResponseBody):
    """Everything about a game; `description` is Markdown, and `sources` is the source of each field."""

    id: Id
    name: GameTitle
    short_description: Annotated[str, Meta(examples=["Karts. Nitro. Action!"])]
    description: Annotated[str, Meta(examples=["Race **Tux** and his friends through *exotic* places."])]
    released: ReleaseResponse | None
    featured: Annotated[bool, Meta(examples=[True])]
    developers: list[CompanyName]
    publishers: list[CompanyName]
    tags: list[TagName]
    rating: Annotated[float, Meta(examples=[0.87])] | None
    ratings: list[RatingResponse]
    age_ratings: list[AgeRatingResponse]
    websites: list[WebsiteResponse]
    external_ids: Annotated[dict[str, str], Meta(examples=[{"IGDB": "1850"}])]
    cover: PictureResponse | None
    icon: PictureResponse | None
    banner: PictureResponse | None
    logo: PictureResponse | None
    carousel: list[PictureResponse]
    versions: list[VersionResponse]
    sources: Annotated[dict[str, str], Meta(examples=[{"name": "IGDB", "description": "Manual"}])]
    added: Timestamp
    updated: Timestamp | None

    @classmethod
    def of(cls, page: GameDetailsRow) -> "GamePage":
        game = page.game
        single = {role: PictureResponse.of(rows[0]) for role, rows in page.pictures.items()}
        return cls(
            id=game.id,
            name=game.name,
            short_description=game.short_description,
            description=game.description,
            released=ReleaseResponse.of(game),
            featured=game.featured,
            developers=[CompanyName.of(each) for each in page.companies.get("developer", ())],
            publishers=[CompanyName.of(each) for each in page.companies.get("publisher", ())],
            tags=[TagName.of(each) for each in page.tags],
            rating=game.rating,
            ratings=ratings_of(game),
            age_ratings=age_ratings_of(game),
            websites=websites_of(game),
            external_ids=game.external_ids,
            cover=single.get(Role.COVER),
            icon=single.get(Role.ICON),
            banner=single.get(Role.BANNER),
            logo=single.get(Role.LOGO),
            carousel=[PictureResponse.of(each) for each in page.pictures.get(Role.CAROUSEL, ())],
            versions=[VersionResponse.of(each) for each in page.versions],
            sources=game.sources,
            added=timestamp(game.created),
            updated=timestamp(game.updated) if game.updated else None,
        )


class TagInUse(TagName):
    """A tag, and the number of games that have it."""

    games: Annotated[int, Meta(examples=[41])]

    @classmethod
    def with_count(cls, use: TagUse) -> "TagInUse":
        return cls(id=use.tag.id, kind=TagKind(use.tag.kind), name=use.tag.name, games=use.games)


class CompanyInUse(CompanyName):
    """A company, and the number of games it developed or published."""

    games: Annotated[int, Meta(examples=[3])]

    @classmethod
    def with_count(cls, use: CompanyUse) -> "CompanyInUse":
        return cls(id=use.company.id, name=use.company.name, games=use.games)
