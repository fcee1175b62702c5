"""Patches on the wire (content, *Patches and compression*)."""

from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from playdock.kit.bodies import Answer, Query

FileSpan: TypeAlias = tuple[str, int, int]


class PatchesQuery(Query):
    """Which version is there already."""

    from_id: Annotated[str, Meta(description="The id of the version that is installed.")] = msgspec.field(name="from")


class SegmentAnswer(Answer):
    """A zstd frame that unpacks to spans of newer files, with spans of older files as its raw content dictionary.

    ``offset`` and ``length`` tell where the frame lies in the bytes of the set, ``plain`` how much it unpacks to.
    """

    offset: int
    length: int
    plain: int
    old: Annotated[list[FileSpan], Meta(description="Path, offset and length of what comes before, end to end.")]
    new: Annotated[list[FileSpan], Meta(description="Path, offset and length of what it unpacks to, in order.")]


class PatchesAnswer(Answer):
    """What takes one installation to another. ETags are those of the manifests; ``size`` is of all frames together."""

    id: str
    from_id: str = msgspec.field(name="from")
    to: str
    from_etag: str
    to_etag: str
    size: int
    segments: list[SegmentAnswer]
