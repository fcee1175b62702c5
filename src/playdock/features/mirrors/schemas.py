"""Wire types of mirrors."""

from typing import Annotated

from msgspec import Meta

from playdock.kit.bodies import Query, ResponseBody


class MirrorsResponse(ResponseBody):
    """The mirrors of a version's own files, in the order of preference, and what is needed to read from them.

    The files, concatenated, are at ``/api/v1/versions/{id}/content/{etag}`` of each mirror. Without mirrors there is no
    ticket.
    """

    mirrors: Annotated[list[str], Meta(examples=[["https://mirror.example.org"]])]
    etag: Annotated[
        str,
        Meta(
            description="The ETag of the content, which is part of its URL.",
            examples=["6caa1e87302642466f698a7962066904a3499b453bfd623554346ec1c41b8ed4.image"],
        ),
    ]
    ticket: (
        Annotated[
            str,
            Meta(
                description="A bearer token that opens nothing but this content.",
                examples=["pdd_q3J8mUeV7aTgK2sWnBd8hQpY1iOoE4jRbsXy0L5rJzqf3M9"],
            ),
        ]
        | None
    )
    expires_in: Annotated[int, Meta(description="Seconds until the ticket expires.", examples=[600])] | None
    file_links: Annotated[bool, Meta(description="Whether there are links to large files: see `list_file_links`.")]


class FileLinksQuery(Query):
    """Where the requested links begin."""

    start: Annotated[int, Meta(ge=0, description="An offset of the version's own files, concatenated.")] = 0


class FileLink(ResponseBody):
    """A link to a file, whose bytes begin at an offset of the version's own files, concatenated."""

    start: Annotated[int, Meta(examples=[0])]
    size: Annotated[int, Meta(examples=[734003200])]
    url: Annotated[
        str,
        Meta(examples=["https://s3.example.org/games/SuperTuxKart/1.4/data.pak?X-Amz-Expires=3600&X-Amz-Signature=5a"]),
    ]


class FileLinks(ResponseBody):
    """Links to all large files that have bytes from the requested offset up to ``until``.

    Small files have none: a request for each would take longer than to send them together.
    """

    links: list[FileLink]
    until: Annotated[int, Meta(examples=[734003200])]
    expires_in: Annotated[int, Meta(description="Seconds until the links expire.", examples=[3600])]
