"""Renditions of a game's cover, banner or screenshots in several sizes, each as WebP and in an older format."""

import io
from collections.abc import Iterator
from typing import Any

from PIL import Image, ImageCms, ImageOps

from playdock.pictures.images import Rendition, Size
from playdock.pictures.uploads import damage_rejected, open_image, scalable

# Lossless screenshots of 40 million pixels fit; the pixels are limited separately.
MAX_BYTES = 32 * 1024 * 1024
_FORMATS = ("PNG", "JPEG", "WebP", "GIF", "ICO")

# Measured on screenshots and covers: WebP's next slower method takes more than twice as long and saves 7 % of the
# bytes; PNG's default level takes more than twice as long and saves 9 %.
_WEBP: dict[str, Any] = {"quality": 82, "method": 2}
_JPEG: dict[str, Any] = {"quality": 85, "optimize": True}
_PNG: dict[str, Any] = {"compress_level": 3}


# The longer side in pixels: banners have the width of common screens, each smaller size has half of the next.
_MAX_SIDES = {Size.GRID: 480, Size.PAGE: 960, Size.BANNER: 1920}
# Previews are shown in lists of offered images.
_PREVIEW_SIDE = 320


def renditions(data: bytes) -> tuple[Rendition, ...]:
    """Return an image in all sizes that are not larger than itself, in ascending order.

    The sizes fit squares of 480, 960 and 1920 pixels. Each is encoded as WebP and then as PNG if it has transparency,
    otherwise as JPEG. The images are upright and in sRGB, without metadata. Of an animation the first frame is used, of
    an icon the largest image.

    Raises:
        UnusablePicture: not a PNG, JPEG, WebP, GIF or ICO, damaged, or larger than 32 MiB, 40 million pixels or 16,384
            pixels on one side.
    """
    image = open_image(data, formats=_FORMATS, max_bytes=MAX_BYTES)
    with damage_rejected():
        largest = _normalized(image, max(_MAX_SIDES.values()))
    return tuple(rendition for size, scaled in _sizes(largest) for rendition in _encoded(scaled, size))


def preview(data: bytes) -> bytes:
    """Return an image scaled down to fit a square of 320 pixels, as WebP.

    Raises:
        UnusablePicture: as for `renditions`.
    """
    image = open_image(data, formats=_FORMATS, max_bytes=MAX_BYTES)
    out = io.BytesIO()
    with damage_rejected():
        _normalized(image, _PREVIEW_SIDE).save(out, "WEBP", **_WEBP)
    return out.getvalue()


def _normalized(image: Image.Image, side: int) -> Image.Image:
    """Decode an image scaled to fit a square, upright and in sRGB, without an alpha channel if it is opaque."""
    image.draft(None, _fitting(image.size, side))
    image.load()
    scaled = _scaled(scalable(image), side)
    ImageOps.exif_transpose(scaled, in_place=True)
    in_srgb = _in_srgb(scaled)
    in_srgb.info.clear()  # otherwise the encoders write its comments and profiles
    return in_srgb.convert("RGB") if _is_opaque(in_srgb) else in_srgb


def _in_srgb(image: Image.Image) -> Image.Image:
    mode = "RGBA" if image.mode == "RGBA" else "RGB"
    if profile := image.info.get("icc_profile"):
        try:
            converted = ImageCms.profileToProfile(
                image, io.BytesIO(profile), ImageCms.createProfile("sRGB"), outputMode=mode
            )
        except ImageCms.PyCMSError:
            return image.convert(mode)
        assert converted is not None
        return converted
    return image.convert(mode)


def _is_opaque(image: Image.Image) -> bool:
    return image.mode == "RGBA" and image.getchannel("A").getextrema() == (255, 255)


def _sizes(largest: Image.Image) -> Iterator[tuple[Size, Image.Image]]:
    """Scale an image down step by step, each from the previous one, and return them in ascending order."""
    steps = []
    for size, side in reversed(_MAX_SIDES.items()):
        smaller = [other for other in _MAX_SIDES.values() if other < side]
        if max(largest.size) > max(smaller, default=0):
            largest = _scaled(largest, side)
            steps.append((size, largest))
    return reversed(steps)


def _scaled(image: Image.Image, side: int) -> Image.Image:
    size = _fitting(image.size, side)
    return image if size == image.size else image.resize(size, Image.Resampling.LANCZOS)


def _fitting(size: tuple[int, int], side: int) -> tuple[int, int]:
    """Return the largest size, not above the original one, that fits a square."""
    scale = min(1.0, side / max(size))
    return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))


def _encoded(image: Image.Image, size: Size) -> Iterator[Rendition]:
    fallback = ("PNG", _PNG) if image.mode == "RGBA" else ("JPEG", _JPEG)
    for kind, settings in (("WEBP", _WEBP), fallback):
        out = io.BytesIO()
        image.save(out, kind, **settings)
        yield Rendition(size, f"image/{kind.lower()}", *image.size, out.getvalue())
