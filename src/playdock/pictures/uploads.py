"""Uploads: a picture from outside becomes a picture of ours or is refused with the reason (decisions 7)."""

import io

from PIL import Image, ImageOps, UnidentifiedImageError

MEDIA_TYPE = "image/webp"
MOST_BYTES = 8 * 1024 * 1024
MOST_PIXELS = 40_000_000
_FORMATS = ("PNG", "JPEG", "WEBP")

# The check in `_open` comes before any pixel is decoded and is stricter than the library's own.
Image.MAX_IMAGE_PIXELS = None


class UnusablePicture(Exception):
    """The bytes are not a picture that can be taken; the message says why."""


def portrait(data: bytes, *, side: int = 512) -> bytes:
    """Crop a picture to a square, scale it down, strip everything but its pixels, and encode it as WebP.

    Raises:
        UnusablePicture: not a PNG, JPEG or WebP, damaged, or too large.
    """
    picture = _open(data)
    try:
        upright = ImageOps.exif_transpose(picture).convert("RGBA" if picture.has_transparency_data else "RGB")
    except (OSError, SyntaxError, ValueError, EOFError):
        raise UnusablePicture("The picture is damaged. Save it again and upload the new file.") from None
    square = ImageOps.fit(upright, (min(side, *upright.size),) * 2)
    out = io.BytesIO()
    square.save(out, "WEBP", quality=88, method=3)
    return out.getvalue()


def _open(data: bytes) -> Image.Image:
    if len(data) > MOST_BYTES:
        raise UnusablePicture("The picture is larger than 8 MiB. Scale it down.")
    try:
        picture = Image.open(io.BytesIO(data), formats=_FORMATS)
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError):
        raise UnusablePicture("This is not a picture in PNG, JPEG or WebP format.") from None
    width, height = picture.size
    if width * height > MOST_PIXELS:
        raise UnusablePicture("The picture has more than 40 million pixels. Scale it down.")
    return picture
