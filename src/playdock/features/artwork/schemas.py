"""Pictures of games on the wire."""

from typing import Annotated, Any

from msgspec import Meta

from playdock.kit.bodies import Answer, Query
from playdock.models import Picture
from playdock.pictures.artwork import Size


class PreviewQuery(Query):
    """Which picture is wanted."""

    url: Annotated[
        str,
        Meta(
            max_length=2048,
            description="A picture's address, as a search result has it.",
            extra_json_schema={"format": "uri"},
        ),
    ]


class RenditionAnswer(Answer):
    """What a picture is stored as; width and height are pixels, the bytes are an object."""

    size: Size
    media_type: str
    width: int
    height: int
    object_id: str


class PictureAnswer(Answer):
    """A picture, the smallest rendition first; its id is also that of its largest WebP.

    ``placeholder`` is its ThumbHash in base64, to be shown until it is loaded, ``colour`` one to tint a page with, as
    ``#rrggbb``. Both are null for a while where a picture came before there were tints; ``colour`` stays null where
    nothing of it can be seen.
    """

    id: str
    source: str
    credit: str
    renditions: list[RenditionAnswer]
    placeholder: str | None
    colour: str | None

    @classmethod
    def of(cls, row: Picture) -> "PictureAnswer":
        return PictureAnswer(**picture_fields(row))


def picture_fields(row: Picture) -> dict[str, Any]:
    """Give the fields of a picture's answer."""
    return {
        "id": row.id,
        "source": row.source,
        "credit": row.credit,
        "renditions": renditions_of(row),
        "placeholder": row.placeholder,
        "colour": row.colour,
    }


def renditions_of(row: Picture) -> list[RenditionAnswer]:
    """Give what a picture is stored as, smallest first."""
    return [
        RenditionAnswer(
            size=Size(each["size"]),
            media_type=each["mediaType"],
            width=each["width"],
            height=each["height"],
            object_id=each["objectId"],
        )
        for each in row.renditions
    ]
