"""Validation and re-encoding of uploaded images.

An upload is decoded and encoded again, so that nothing but its pixels is stored and served.
"""

import io
import math
import struct
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from PIL import Image, ImageOps
from PIL.IcoImagePlugin import IcoFile
from PIL.JpegImagePlugin import JpegImageFile

from playdock.kit.messages import Message
from playdock.pictures.images import MAX_UPLOAD_BYTES, UnusablePicture

# Decoded, 40 million pixels take 160 MB of memory, since Pillow stores at most four bytes for each.
MAX_PIXELS = 40_000_000
# Pillow also allocates memory for each row and column, and much of it while it scales: an image that is one pixel wide
# and 40 million high takes a gigabyte. No camera and no screen has a longer side.
MAX_SIDE = 16_384
# Each scan of a JPEG takes a pass over all pixels. Encoders write about ten; a small file can contain a million.
_MAX_SCANS = 500
_START_OF_SCAN = b"\xff\xda"
_FORMATS = ("PNG", "JPEG", "WebP")
_ICON = b"\x00\x00\x01\x00"

# Pillow warns above this number of pixels and raises an error above twice as many, before it allocates memory for them.
Image.MAX_IMAGE_PIXELS = MAX_PIXELS // 2
warnings.simplefilter("ignore", Image.DecompressionBombWarning)


def profile_picture(data: bytes, *, side: int = 512) -> bytes:
    """Return an image cropped to a square, scaled down to ``side`` pixels and encoded as WebP, without metadata.

    Raises:
        UnusablePicture: not a PNG, JPEG or WebP, damaged, or too large.
    """
    image = open_image(data, formats=_FORMATS, max_bytes=MAX_UPLOAD_BYTES)
    side = min(side, *image.size)
    scale = side / min(image.size)
    with damage_rejected():
        image.draft(None, (math.ceil(image.width * scale), math.ceil(image.height * scale)))
        image.load()
        # Scaled down first, so that there are few copies of the large image.
        square = ImageOps.fit(scalable(image), (side, side))
        ImageOps.exif_transpose(square, in_place=True)
    out = io.BytesIO()
    final = square.convert("RGBA" if square.mode == "RGBA" else "RGB")
    final.info.clear()  # otherwise the encoder writes its comments and profiles
    final.save(out, "WEBP", quality=88, method=3)
    return out.getvalue()


def scalable(image: Image.Image) -> Image.Image:
    """Return an image in a mode whose pixels can be averaged."""
    if image.mode == "I;16":
        return image.point(lambda value: value / 256).convert("L")
    if image.has_transparency_data:
        return image.convert("RGBA")
    return image if image.mode in ("L", "RGB", "CMYK") else image.convert("RGB")


def open_image(data: bytes, *, formats: tuple[str, ...], max_bytes: int) -> Image.Image:
    """Open an image of one of the formats, which is detected by its content, without decoding its pixels.

    Raises:
        UnusablePicture: it has another format, too many bytes or pixels, a side that is too long, or so many scans that
            decoding takes hours.
    """
    if len(data) > max_bytes:
        raise UnusablePicture(Message("image-too-large", size=max_bytes // 1024**2))
    try:
        if data.startswith(_ICON) and "ICO" in formats:
            _check_sides(_icon_size(data))
        image = Image.open(io.BytesIO(data), formats=formats)
        _check_sides(image.size)
    except Image.DecompressionBombError:
        raise UnusablePicture(Message("image-too-many-pixels")) from None
    except (OSError, ValueError, IndexError, struct.error):
        message = Message("image-format", formats=", ".join(formats[:-1]), last=formats[-1])
        raise UnusablePicture(message) from None
    if isinstance(image, JpegImageFile) and data.count(_START_OF_SCAN) > _MAX_SCANS:
        raise UnusablePicture(Message("image-scans"))
    return image


def _icon_size(data: bytes) -> tuple[int, int]:
    """Return the size of the image in an icon that Pillow decodes as soon as it opens the icon.

    The size in the icon's directory may be another. That of a bitmap includes its mask, which is as high.
    """
    first = IcoFile(io.BytesIO(data)).entry[0]
    return Image.open(io.BytesIO(data[first.offset :]), formats=("PNG", "DIB")).size


def _check_sides(size: tuple[int, int]) -> None:
    if max(size) > MAX_SIDE:
        raise UnusablePicture(Message("image-too-long", side=MAX_SIDE))


@contextmanager
def damage_rejected() -> Iterator[None]:
    """Convert the errors of a decoder.

    Raises:
        UnusablePicture: the pixels cannot be decoded.
    """
    try:
        yield
    except (OSError, SyntaxError, ValueError, EOFError, struct.error):
        raise UnusablePicture(Message("image-damaged")) from None
