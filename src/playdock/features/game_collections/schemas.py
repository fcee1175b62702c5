"""Wire types of collections, with the names of Drop."""

from typing import Annotated

from msgspec import Meta

from playdock.features.game_collections.queries import CollectionWithGames
from playdock.features.store.schemas import GameCard
from playdock.kit.bodies import RequestBody, ResponseBody
from playdock.kit.clock import timestamp
from playdock.kit.fields import Id, Timestamp


class CollectionCreate(RequestBody):
    """A collection to create, or its new name."""

    name: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=128,
            pattern=r"\S",
            description="A name of 1 to 128 characters.",
            examples=["For rainy days"],
        ),
    ]


class EntryCreate(RequestBody):
    """The game to add or remove."""

    id: Annotated[Id, Meta(max_length=64, description="The game's id.")]


class EntryResponse(ResponseBody):
    """A game in a collection."""

    collection_id: Id
    game_id: Id
    added: Timestamp
    game: GameCard


class CollectionResponse(ResponseBody):
    """A collection with its games, latest first."""

    id: Id
    name: Annotated[str, Meta(examples=["For rainy days"])]
    is_default: bool
    user_id: Id
    created: Timestamp
    entries: list[EntryResponse]

    @classmethod
    def of(cls, with_games: CollectionWithGames) -> "CollectionResponse":
        row = with_games.collection
        entries = [
            EntryResponse(collection_id=row.id, game_id=card.game.id, added=timestamp(added), game=GameCard.of(card))
            for card, added in with_games.cards
        ]
        return cls(
            id=row.id,
            name=row.name,
            is_default=row.is_default,
            user_id=row.user_id,
            created=timestamp(row.created),
            entries=entries,
        )
