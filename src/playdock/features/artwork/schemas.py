"""Pictures of games on the wire."""

from playdock.kit.bodies import Answer
from playdock.models import Picture
from playdock.pictures.artwork import Size


class RenditionAnswer(Answer):
    """What a picture is stored as; width and height are pixels, the bytes are an object."""

    size: Size
    media_type: str
    width: int
    height: int
    object_id: str


class PictureAnswer(Answer):
    """A picture, the smallest rendition first; its id is also that of its largest WebP."""

    id: str
    source: str
    credit: str
    renditions: list[RenditionAnswer]

    @classmethod
    def of(cls, row: Picture) -> "PictureAnswer":
        return PictureAnswer(id=row.id, source=row.source, credit=row.credit, renditions=renditions_of(row))


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
