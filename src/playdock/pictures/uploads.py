"""Uploads: a picture from outside becomes a picture of ours or is refused with the reason (decisions 7)."""

import io
import struct
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from PIL import Image, ImageOps
from PIL.JpegImagePlugin import JpegImageFile

MEDIA_TYPE = "image/webp"
MOST_BYTES = 8 * 1024 * 1024
MOST_PIXELS = 40_000_000
_MOST_SCANS = 500
_START_OF_SCAN = b"\xff\xda"
_FORMATS = ("PNG", "JPEG", "WebP")

# The library refuses twice as many pixels as this, before it sets memory aside for them, and warns of half of those.
Image.MAX_IMAGE_PIXELS = MOST_PIXELS // 2
warnings.simplefilter("ignore", Image.DecompressionBombWarning)


class UnusablePicture(Exception):
    """The bytes are not a picture that can be taken; the message says why."""


def portrait(data: bytes, *, side: int = 512) -> bytes:
    """Crop a picture to a square, scale it down, strip everything but its pixels, and encode it as WebP.

    Raises:
        UnusablePicture: not a PNG, JPEG or WebP, damaged, or too large.
    """
    picture = opened(data, formats=_FORMATS, most_bytes=MOST_BYTES)
    with damage_refused():
        upright = ImageOps.exif_transpose(picture).convert("RGBA" if picture.has_transparency_data else "RGB")
    square = ImageOps.fit(upright, (min(side, *upright.size),) * 2)
    out = io.BytesIO()
    square.save(out, "WEBP", quality=88, method=3)
    return out.getvalue()


def opened(data: bytes, *, formats: tuple[str, ...], most_bytes: int) -> Image.Image:
    """Open a picture of one of some formats, told by its content; its size is known, its pixels are not decoded yet.

    Raises:
        UnusablePicture: something else, or too large in bytes or pixels, or made to take hours.
    """
    if len(data) > most_bytes:
        raise UnusablePicture(f"The picture is larger than {most_bytes // 1024**2} MiB. Scale it down.")
    try:
        picture = Image.open(io.BytesIO(data), formats=formats)
    except Image.DecompressionBombError:
        raise UnusablePicture("The picture has more than 40 million pixels. Scale it down.") from None
    except (OSError, ValueError):
        named = f"{', '.join(formats[:-1])} or {formats[-1]}"
        raise UnusablePicture(f"This is not a picture in {named} format.") from None
    # Each scan of a JPEG goes over the whole picture. There are ten or so; a small file can have a million.
    if isinstance(picture, JpegImageFile) and data.count(_START_OF_SCAN) > _MOST_SCANS:
        raise UnusablePicture("The picture is put together from too many scans. Save it again.")
    return picture


@contextmanager
def damage_refused() -> Iterator[None]:
    """Tell of a picture whose pixels cannot be decoded.

    Raises:
        UnusablePicture: in place of whatever the decoder raised.
    """
    try:
        yield
    except (OSError, SyntaxError, ValueError, EOFError, struct.error):
        raise UnusablePicture("The picture is damaged. Save it again and upload the new file.") from None
