"""What the functions of this package take and return. It is apart from them so that Pillow is loaded when needed."""

from enum import StrEnum

from msgspec import Struct

from playdock.kit.messages import Message

MEDIA_TYPE = "image/webp"
# Photos of current phones are smaller.
MAX_UPLOAD_BYTES = 8 * 1024 * 1024


class UnusablePicture(Exception):
    """The bytes are not an acceptable image; the message says why and what to do."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


class Size(StrEnum):
    """The sizes of renditions, named after their use."""

    GRID = "grid"
    PAGE = "page"
    BANNER = "banner"


class Rendition(Struct, frozen=True):
    """An encoded image in one size and format; ``width`` and ``height`` are in pixels."""

    size: Size
    media_type: str
    width: int
    height: int
    data: bytes


class ImagePlaceholder(Struct, frozen=True):
    """An image's ThumbHash (https://evanw.github.io/thumbhash/) in base64 and its color as ``#rrggbb``.

    The color is None if the image is completely transparent.
    """

    placeholder: str
    color: str | None
