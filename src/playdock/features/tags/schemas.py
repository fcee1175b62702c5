"""Tags on the wire."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from playdock.features.tags.queries import Counted
from playdock.kit.bodies import Answer, Body, Query
from playdock.kit.clock import timestamp
from playdock.kit.texts import Name
from playdock.metadata.facts import TagKind


class TagQuery(Query):
    """Which tags are wanted."""

    q: Annotated[str, Meta(max_length=256, description="A part of the name, in any case; at most 256 characters.")] = ""
    kind: TagKind | UnsetType = UNSET


class TagDraft(Body):
    """A tag that is to be."""

    kind: TagKind
    name: Name


class TagChanges(Body):
    """What is to change; what is left out stays."""

    kind: TagKind | UnsetType = UNSET
    name: Name | UnsetType = UNSET


class TagMerge(Body):
    """The tag that games get for another one, which goes."""

    into: Annotated[str, Meta(max_length=64, description="The id of the tag that stays.")]


class TagAnswer(Answer):
    """A tag, and how many games have it."""

    id: str
    kind: TagKind
    name: str
    games: int
    created: str

    @classmethod
    def of(cls, counted: Counted) -> "TagAnswer":
        row = counted.tag
        return cls(
            id=row.id, kind=TagKind(row.kind), name=row.name, games=counted.games, created=timestamp(row.created)
        )
