"""Validation and re-encoding of uploaded images.

An upload is decoded and encoded again, so that nothing but its pixels is stored and served.
"""

import io
import struct
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from PIL import Image, ImageOps
from PIL.JpegImagePlugin import JpegImageFile

from playdock.kit.messages import Message
from playdock.pictures.images import MAX_UPLOAD_BYTES, UnusablePicture

# Decoded, 40 million pixels take 160 MB of memory.
MAX_PIXELS = 40_000_000
# Each scan of a JPEG takes a pass over all pixels. Encoders write about ten; a small file can contain a million.
_MAX_SCANS = 500
_START_OF_SCAN = b"\xff\xda"
_FORMATS = ("PNG", "JPEG", "WebP")

# Pillow warns above this number of pixels and raises an error above twice as many, before it allocates memory for them.
Image.MAX_IMAGE_PIXELS = MAX_PIXELS // 2
warnings.simplefilter("ignore", Image.DecompressionBombWarning)


def profile_picture(data: bytes, *, side: int = 512) -> bytes:
    """Return an image cropped to a square, scaled down to ``side`` pixels and encoded as WebP, without metadata.

    Raises:
        UnusablePicture: not a PNG, JPEG or WebP, damaged, or too large.
    """
    image = open_image(data, formats=_FORMATS, max_bytes=MAX_UPLOAD_BYTES)
    with damage_rejected():
        upright_image = ImageOps.exif_transpose(image).convert("RGBA" if image.has_transparency_data else "RGB")
    square = ImageOps.fit(upright_image, (min(side, *upright_image.size),) * 2)
    out = io.BytesIO()
    square.save(out, "WEBP", quality=88, method=3)
    return out.getvalue()


def open_image(data: bytes, *, formats: tuple[str, ...], max_bytes: int) -> Image.Image:
    """Open an image of one of the formats, which is detected by its content, without decoding its pixels.

    Raises:
        UnusablePicture: it has another format, too many bytes or pixels, or so many scans that decoding takes hours.
    """
    if len(data) > max_bytes:
        raise UnusablePicture(Message("image-too-large", size=max_bytes // 1024**2))
    try:
        image = Image.open(io.BytesIO(data), formats=formats)
    except Image.DecompressionBombError:
        raise UnusablePicture(Message("image-too-many-pixels")) from None
    except (OSError, ValueError):
        message = Message("image-format", formats=", ".join(formats[:-1]), last=formats[-1])
        raise UnusablePicture(message) from None
    if isinstance(image, JpegImageFile) and data.count(_START_OF_SCAN) > _MAX_SCANS:
        raise UnusablePicture(Message("image-scans"))
    return image


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
