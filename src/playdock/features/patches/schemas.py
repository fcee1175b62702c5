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
    """A zstd frame that yields spans of newer files, with the help of spans of older files.

    Among `segments`, the older bytes are its raw content dictionary; among `differences`, see there. `offset` and
    `length` locate the frame in the bytes of the set; `plain` is the number of newer bytes.
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
            description="Path, offset and length of the spans of newer files, in order.",
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
    differences: Annotated[
        list[SegmentResponse],
        Meta(
            description="Segments of programs. Their frames have no dictionary, and decompress to a little-endian "
            "difference: the number of copies (4 bytes); for all copies the number of newer bytes that are skipped "
            "since the previous one, then for all their lengths, then for all the signed distance from the end of the "
            "previous one in the older bytes (4 bytes each); and `plain` bytes. These and the copied bytes, zero where "
            "nothing is copied, are added in blocks of 16 KiB, each as one integer; what exceeds a block is lost. Sets "
            "of earlier releases have none.",
        ),
    ] = msgspec.field(default_factory=list)
