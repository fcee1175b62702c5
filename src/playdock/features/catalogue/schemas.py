"""What is told of games on the wire."""

from datetime import date
from typing import Any, Self

from playdock.features.artwork.queries import Shown
from playdock.kit.bodies import Answer
from playdock.kit.clock import timestamp
from playdock.metadata.facts import Precision, Role, TagKind
from playdock.models import Company, Game, Tag


class ReleaseAnswer(Answer):
    """When a game came out; a date that is known less exactly is the first day of what is known."""

    date: date
    precision: Precision

    @classmethod
    def of(cls, game: Game) -> Self | None:
        if game.released is None:
            return None
        return cls(date=game.released, precision=Precision(game.release_precision or Precision.DAY))


class CompanyName(Answer):
    """A company that made or published a game."""

    id: str
    name: str

    @classmethod
    def of(cls, row: Company) -> Self:
        return cls(id=row.id, name=row.name)


class TagName(Answer):
    """A tag of a game."""

    id: str
    kind: TagKind
    name: str

    @classmethod
    def of(cls, row: Tag) -> Self:
        return cls(id=row.id, kind=TagKind(row.kind), name=row.name)


class RatingAnswer(Answer):
    """What people think of a game: ``score`` 0 to 1, ``count`` how many said so, if that is known."""

    source: str
    score: float
    count: int | None
    url: str


class AgeRatingAnswer(Answer):
    """From what age a board thinks a game suitable."""

    board: str
    value: str
    descriptors: list[str]


class WebsiteAnswer(Answer):
    """A page about a game."""

    kind: str
    url: str


def ratings_of(game: Game) -> list[RatingAnswer]:
    return [RatingAnswer(**each) for each in game.ratings]


def age_ratings_of(game: Game) -> list[AgeRatingAnswer]:
    return [AgeRatingAnswer(**each) for each in game.age_ratings]


def websites_of(game: Game) -> list[WebsiteAnswer]:
    return [WebsiteAnswer(**each) for each in game.websites]


class GameAnswer(Answer):
    """A game as administrators see it, with Drop's names."""

    id: str
    metadata_source: str
    metadata_id: str
    created: str
    m_name: str
    m_short_description: str
    m_description: str
    m_released: str | None
    m_icon_object_id: str
    m_banner_object_id: str
    m_cover_object_id: str
    m_image_carousel_object_ids: list[str]
    m_image_library_object_ids: list[str]
    featured: bool
    library_id: str
    library_path: str
    type: str

    @classmethod
    def of(cls, game: Game, shown: Shown) -> "GameAnswer":
        return GameAnswer(**drop_fields(game, shown))


def drop_fields(game: Game, shown: Shown) -> dict[str, Any]:
    """Give a game's fields as Drop names them; a picture's id is the object to fetch."""
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
        "m_image_library_object_ids": list(shown.everything),
        "featured": game.featured,
        "library_id": game.library_id,
        "library_path": game.path,
        "type": "Game",
    }
