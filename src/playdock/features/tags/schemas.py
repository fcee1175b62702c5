"""Wire types of tags."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from playdock.domain.tags.queries import TagCount
from playdock.kit.bodies import Query, RequestBody, ResponseBody
from playdock.kit.clock import timestamp
from playdock.kit.fields import Id, Timestamp
from playdock.kit.texts import Name
from playdock.metadata.game_metadata import TagKind


class TagQuery(Query):
    """The search and pagination parameters."""

    q: Annotated[
        str, Meta(max_length=256, description="Parts of the name, ignoring case and accents; at most 256 characters.")
    ] = ""
    kind: TagKind | UnsetType = UNSET
    limit: Annotated[int, Meta(ge=1, le=100, description="The maximum number of tags to return.")] = 50
    after: Annotated[
        str, Meta(max_length=4096, description="The `next` of the previous page, with the same `q` and `kind`.")
    ] = ""


class TagCreate(RequestBody):
    """A tag to add."""

    kind: TagKind
    name: Annotated[Name, Meta(examples=["Racing"])]


class TagChanges(RequestBody):
    """The fields to change. Omitted fields are unchanged."""

    kind: TagKind | UnsetType = UNSET
    name: Annotated[Name, Meta(examples=["Racing"])] | UnsetType = UNSET


class TagMerge(RequestBody):
    """The tag to merge into."""

    into: Annotated[
        str,
        Meta(
            max_length=64,
            description="The id of the tag to keep.",
            examples=["9c0b5d7e-27a1-4a9b-8d2e-51f4c7e3aa10"],
        ),
    ]


class TagResponse(ResponseBody):
    """A tag, and the number of games that have it."""

    id: Id
    kind: TagKind
    name: Annotated[str, Meta(examples=["Racing"])]
    games: Annotated[int, Meta(examples=[41])]
    created: Timestamp

    @classmethod
    def of(cls, count: TagCount) -> "TagResponse":
        row = count.tag
        return cls(id=row.id, kind=TagKind(row.kind), name=row.name, games=count.games, created=timestamp(row.created))


class TagPage(ResponseBody):
    """A page of tags by kind and name, their total number, and the cursor of the next page, null on the last page."""

    tags: list[TagResponse]
    total: Annotated[int, Meta(examples=[312])]
    next: Annotated[str, Meta(examples=["genre:racing"])] | None
