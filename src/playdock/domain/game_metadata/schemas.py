"""Wire types of game metadata."""

from datetime import date
from typing import Annotated, Any, Self

from msgspec import Meta

from playdock import stored
from playdock.domain.artwork.queries import CardImages
from playdock.kit.bodies import ResponseBody
from playdock.kit.clock import timestamp
from playdock.kit.fields import GameTitle, Id, Timestamp
from playdock.metadata.game_metadata import Precision, Role, TagKind
from playdock.models import Company, Game, Tag
from playdock.stored import StoredAgeRating, StoredRating, StoredWebsite


class ReleaseResponse(ResponseBody):
    """The release date of a game. If only the month, quarter or year is known, `date` is its first day."""

    date: Annotated[date, Meta(examples=["2006-09-08"])]
    precision: Precision

    @classmethod
    def of(cls, game: Game) -> Self | None:
        if game.released is None:
            return None
        return cls(date=game.released, precision=Precision(game.release_precision or Precision.DAY))


class CompanyName(ResponseBody):
    """A company that developed or published a game."""

    id: Id
    name: Annotated[str, Meta(examples=["SuperTuxKart Team"])]

    @classmethod
    def of(cls, row: Company) -> Self:
        return cls(id=row.id, name=row.name)


class TagName(ResponseBody):
    """A tag of a game."""

    id: Id
    kind: TagKind
    name: Annotated[str, Meta(examples=["Racing"])]

    @classmethod
    def of(cls, row: Tag) -> Self:
        return cls(id=row.id, kind=TagKind(row.kind), name=row.name)


class RatingResponse(ResponseBody):
    """A rating of a game: `score` from 0 to 1, and `count`, the number of votes, if known."""

    source: Annotated[str, Meta(examples=["IGDB"])]
    score: Annotated[float, Meta(examples=[0.79])]
    count: Annotated[int, Meta(examples=[37])] | None
    url: Annotated[str, Meta(examples=["https://example.org/games/supertuxkart"])]


class AgeRatingResponse(ResponseBody):
    """The age from which a rating board considers a game suitable."""

    board: Annotated[str, Meta(examples=["PEGI"])]
    value: Annotated[str, Meta(examples=["3"])]
    descriptors: Annotated[list[str], Meta(examples=[[]])]


class WebsiteResponse(ResponseBody):
    """A page about a game."""

    kind: Annotated[str, Meta(examples=["official"])]
    url: Annotated[str, Meta(examples=["https://supertuxkart.example.org"])]


def ratings_of(game: Game) -> list[RatingResponse]:
    return [
        RatingResponse(source=row.source, score=row.score, count=row.count, url=row.url)
        for row in stored.decode_list(game.ratings, StoredRating)
    ]


def age_ratings_of(game: Game) -> list[AgeRatingResponse]:
    return [
        AgeRatingResponse(board=row.board, value=row.value, descriptors=list(row.descriptors))
        for row in stored.decode_list(game.age_ratings, StoredAgeRating)
    ]


def websites_of(game: Game) -> list[WebsiteResponse]:
    return [WebsiteResponse(kind=row.kind, url=row.url) for row in stored.decode_list(game.websites, StoredWebsite)]


class GameResponse(ResponseBody):
    """A game for administrators, with the field names of Drop."""

    id: Id
    metadata_source: Annotated[str, Meta(examples=["IGDB"])]
    metadata_id: Annotated[str, Meta(examples=["3262"])]
    created: Timestamp
    m_name: GameTitle
    m_short_description: Annotated[str, Meta(examples=["Karts. Nitro. Action!"])]
    m_description: Annotated[str, Meta(examples=["A kart racer with **many** tracks."])]
    m_released: Annotated[str, Meta(examples=["2006-09-08T00:00:00.000Z"])] | None
    m_icon_object_id: Annotated[str, Meta(examples=[""])]
    m_banner_object_id: Annotated[str, Meta(examples=[""])]
    m_cover_object_id: Id
    m_image_carousel_object_ids: Annotated[list[str], Meta(examples=[[]])]
    m_image_library_object_ids: list[Id]
    featured: bool
    library_id: Id
    library_path: GameTitle
    type: Annotated[str, Meta(examples=["Game"])]

    @classmethod
    def of(cls, game: Game, shown: CardImages) -> "GameResponse":
        return GameResponse(**drop_fields(game, shown))


def drop_fields(game: Game, shown: CardImages) -> dict[str, Any]:
    """Return a game's fields with the names of Drop; a picture's id is the id of the object to fetch."""
    return {
        "id": game.id,
        "metadata_source": game.metadata_source,
        "metadata_id": game.metadata_id,
        "created": timestamp(game.created),
        "m_name": game.name,
        "m_short_description": game.short_description,
        "m_description": game.description,
        "m_released": f"{game.released.isoformat()}T00:00:00.000Z" if game.released else None,
        "m_icon_object_id": shown.first(Role.ICON),
        "m_banner_object_id": shown.first(Role.BANNER),
        "m_cover_object_id": shown.first(Role.COVER),
        "m_image_carousel_object_ids": list(shown.in_role(Role.CAROUSEL)),
        "m_image_library_object_ids": list(shown.list_all),
        "featured": game.featured,
        "library_id": game.library_id,
        "library_path": game.path,
        "type": "Game",
    }
