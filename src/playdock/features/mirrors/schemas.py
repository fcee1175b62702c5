"""Wire types of mirrors."""

from typing import Annotated

from msgspec import Meta

from playdock.kit.bodies import ResponseBody


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
