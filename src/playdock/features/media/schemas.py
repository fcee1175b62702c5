"""Requests for previews."""

from typing import Annotated

from msgspec import Meta

from playdock.kit.bodies import Query


class PreviewQuery(Query):
    """The picture to preview."""

    url: Annotated[
        str,
        Meta(
            max_length=2048,
            description="The address of a picture, from a search result.",
            extra_json_schema={"format": "uri"},
        ),
    ]
