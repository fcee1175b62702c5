"""The store on the wire."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from playdock.content.programs import Platform
from playdock.features.artwork.schemas import PictureAnswer
from playdock.features.catalogue.schemas import (
    AgeRatingAnswer,
    CompanyName,
    RatingAnswer,
    ReleaseAnswer,
    TagName,
    WebsiteAnswer,
    age_ratings_of,
    ratings_of,
    websites_of,
)
from playdock.features.games.schemas import VersionAnswer
from playdock.features.store.queries import Card, CompanyUse, Page, TagUse
from playdock.features.store.rules import Order, Sort
from playdock.kit.bodies import Answer, Query
from playdock.kit.clock import timestamp
from playdock.metadata.facts import Role, TagKind


class StoreQuery(Query):
    """Which games are wanted, and in which order."""

    q: Annotated[
        str,
        Meta(
            max_length=256,
            description="A name, a company, a tag, words of a description: at most 256 characters to search for.",
        ),
    ] = ""
    tag: Annotated[
        str,
        Meta(
            pattern="^[^,]*(,[^,]*){0,9}$",
            max_length=1024,
            description="Ids of tags, at most ten, separated by commas; all must hold.",
        ),
    ] = ""
    company: Annotated[str, Meta(max_length=64, description="Id of a company that made or published the game.")] = ""
    platform: Annotated[
        Platform | UnsetType, Meta(description="Windows, Linux or macOS: what a version of the game must be for.")
    ] = UNSET
    sort: Annotated[
        Sort | UnsetType,
        Meta(
            description="name, newest, updated, released, rating or relevance; with q relevance if unset, else newest."
        ),
    ] = UNSET
    order: Annotated[
        Order | UnsetType,
        Meta(
            description="asc or desc; by default names rise and all else falls. By relevance the best is always first."
        ),
    ] = UNSET
    limit: Annotated[int, Meta(ge=1, le=100, description="How many games to give at most.")] = 24
    after: Annotated[
        str,
        Meta(
            pattern="^[A-Za-z0-9_-]*$",
            max_length=4096,
            description="The `next` of the page before, with the same sort and order.",
        ),
    ] = ""


class GameCard(Answer):
    """What a listing shows of a game: the first of its tags, and the pictures that listings need."""

    id: str
    name: str
    short_description: str
    released: ReleaseAnswer | None
    platforms: list[Platform]
    tags: list[TagName]
    rating: float | None
    cover: PictureAnswer | None
    icon: PictureAnswer | None
    banner: PictureAnswer | None
    added: str
    updated: str | None

    @classmethod
    def of(cls, card: Card) -> "GameCard":
        game, pictures = card.game, {role: PictureAnswer.of(row) for role, row in card.pictures.items()}
        return cls(
            id=game.id,
            name=game.name,
            short_description=game.short_description,
            released=ReleaseAnswer.of(game),
            platforms=[Platform(each) for each in card.platforms],
            tags=[TagName.of(each) for each in card.tags],
            rating=game.rating,
            cover=pictures.get(Role.COVER),
            icon=pictures.get(Role.ICON),
            banner=pictures.get(Role.BANNER),
            added=timestamp(game.created),
            updated=timestamp(game.updated) if game.updated else None,
        )


class StorePage(Answer):
    """Some games of the store, how many there are in all, and where the next page begins, null if this is the last."""

    games: list[GameCard]
    total: int
    next: str | None


class GamePage(Answer):
    """All there is to know of a game; `description` is Markdown, `sources` tells who said what stands in a field."""

    id: str
    name: str
    short_description: str
    description: str
    released: ReleaseAnswer | None
    featured: bool
    developers: list[CompanyName]
    publishers: list[CompanyName]
    tags: list[TagName]
    rating: float | None
    ratings: list[RatingAnswer]
    age_ratings: list[AgeRatingAnswer]
    websites: list[WebsiteAnswer]
    external_ids: dict[str, str]
    cover: PictureAnswer | None
    icon: PictureAnswer | None
    banner: PictureAnswer | None
    logo: PictureAnswer | None
    carousel: list[PictureAnswer]
    versions: list[VersionAnswer]
    sources: dict[str, str]
    added: str
    updated: str | None

    @classmethod
    def of(cls, page: Page) -> "GamePage":
        game = page.game
        single = {role: PictureAnswer.of(rows[0]) for role, rows in page.pictures.items()}
        return cls(
            id=game.id,
            name=game.name,
            short_description=game.short_description,
            description=game.description,
            released=ReleaseAnswer.of(game),
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
            carousel=[PictureAnswer.of(each) for each in page.pictures.get(Role.CAROUSEL, ())],
            versions=[VersionAnswer.of(each) for each in page.versions],
            sources=game.sources,
            added=timestamp(game.created),
            updated=timestamp(game.updated) if game.updated else None,
        )


class TagInUse(TagName):
    """A tag, and how many games have it."""

    games: int

    @classmethod
    def counted(cls, use: TagUse) -> "TagInUse":
        return cls(id=use.tag.id, kind=TagKind(use.tag.kind), name=use.tag.name, games=use.games)


class CompanyInUse(CompanyName):
    """A company, and how many games it made or published."""

    games: int

    @classmethod
    def counted(cls, use: CompanyUse) -> "CompanyInUse":
        return cls(id=use.company.id, name=use.company.name, games=use.games)
