"""Wire types of pictures."""

from typing import Annotated, Any

from msgspec import Meta

from playdock import stored
from playdock.kit.bodies import ResponseBody
from playdock.kit.fields import Id
from playdock.models import Picture
from playdock.pictures.images import Size
from playdock.stored import StoredRendition


class RenditionResponse(ResponseBody):
    """A stored size of a picture; width and height are in pixels, and the bytes are fetched as an object."""

    size: Size
    media_type: Annotated[str, Meta(examples=["image/webp"])]
    width: Annotated[int, Meta(examples=[320])]
    height: Annotated[int, Meta(examples=[480])]
    object_id: Id


class PictureResponse(ResponseBody):
    """A picture with its renditions, smallest first; its id is also the object id of its largest WebP.

    `placeholder` is a ThumbHash in base64, to show while the picture loads; `colour` is a color for the page's
    background, as `#rrggbb`. Both are null until they have been computed; `colour` remains null for a picture that is
    fully transparent.
    """

    id: Id
    source: Annotated[str, Meta(examples=["IGDB"])]
    credit: Annotated[str, Meta(examples=[""])]
    renditions: list[RenditionResponse]
    placeholder: Annotated[str, Meta(examples=["HqQ+9ygI9wiIh4hwj3CI+AiIcH/4CIgA"])] | None
    colour: Annotated[str, Meta(examples=["#7928ca"])] | None

    @classmethod
    def of(cls, row: Picture) -> "PictureResponse":
        return PictureResponse(**picture_fields(row))


def picture_fields(row: Picture) -> dict[str, Any]:
    """Return the fields of a picture's response."""
    return {
        "id": row.id,
        "source": row.source,
        "credit": row.credit,
        "renditions": renditions_of(row),
        "placeholder": row.placeholder,
        "colour": row.colour,
    }


def renditions_of(row: Picture) -> list[RenditionResponse]:
    """Return a picture's renditions, smallest first."""
    return [
        RenditionResponse(
            size=Size(rendition.size),
            media_type=rendition.media_type,
            width=rendition.width,
            height=rendition.height,
            object_id=rendition.object_id,
        )
        for rendition in stored.decode_list(row.renditions, StoredRendition)
    ]
