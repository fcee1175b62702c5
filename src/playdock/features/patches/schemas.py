"""Wire types of patches."""

from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from playdock.kit.bodies import Query, ResponseBody
from playdock.kit.fields import ContentHash, Id

FileSpan: TypeAlias = tuple[str, int, int]


class PatchesQuery(Query):
    """The installed version."""

    from_id: Annotated[str, Meta(description="The id of the installed version.")] = msgspec.field(name="from")


class SegmentResponse(ResponseBody):
    """A zstd frame that decompresses to spans of newer files; spans of older files are its raw content dictionary.

    `offset` and `length` locate the frame in the bytes of the set; `plain` is its decompressed size.
    """

    offset: Annotated[int, Meta(examples=[0])]
    length: Annotated[int, Meta(examples=[41_207])]
    plain: Annotated[int, Meta(examples=[455_024])]
    old: Annotated[
        list[FileSpan],
        Meta(
            description="Path, offset and length of the spans of older files, which are concatenated.",
            examples=[[["usr/games/supertuxkart", 0, 448_112]]],
        ),
    ]
    new: Annotated[
        list[FileSpan],
        Meta(
            description="Path, offset and length of the spans it decompresses to, in order.",
            examples=[[["usr/games/supertuxkart", 0, 455_024]]],
        ),
    ]


class PatchesResponse(ResponseBody):
    """The patches from one installation to another.

    The ETags are those of the manifests; `size` is the total of all frames.
    """

    id: Id
    from_id: Id = msgspec.field(name="from")
    to: Id
    from_etag: ContentHash
    to_etag: ContentHash
    size: Annotated[int, Meta(examples=[41_207])]
    segments: list[SegmentResponse]
