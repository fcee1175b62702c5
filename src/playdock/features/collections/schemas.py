"""Collections on the wire, with Drop's names."""

from typing import Annotated

from msgspec import Meta

from playdock.features.collections.queries import Shelved
from playdock.features.store.schemas import GameCard
from playdock.kit.bodies import Answer, Body
from playdock.kit.clock import timestamp


class CollectionDraft(Body):
    """A collection that is to be, or its new name."""

    name: Annotated[
        str,
        Meta(min_length=1, max_length=128, pattern=r"\S", description="A name of 1 to 128 characters."),
    ]


class EntryDraft(Body):
    """Which game is meant."""

    id: Annotated[str, Meta(max_length=64, description="The game's id.")]


class EntryAnswer(Answer):
    """A game in a collection."""

    collection_id: str
    game_id: str
    added: str
    game: GameCard


class CollectionAnswer(Answer):
    """A collection with its games, the latest first."""

    id: str
    name: str
    is_default: bool
    user_id: str
    created: str
    entries: list[EntryAnswer]

    @classmethod
    def of(cls, shelved: Shelved) -> "CollectionAnswer":
        row = shelved.collection
        entries = [
            EntryAnswer(collection_id=row.id, game_id=card.game.id, added=timestamp(added), game=GameCard.of(card))
            for card, added in shelved.cards
        ]
        return cls(
            id=row.id,
            name=row.name,
            is_default=row.is_default,
            user_id=row.user_id,
            created=timestamp(row.created),
            entries=entries,
        )
