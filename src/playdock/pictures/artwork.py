"""Artwork: a game's cover, banner or screenshot becomes a few pictures of ours, each as WebP and in an older format."""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from PIL import Image, ImageCms, ImageOps

from playdock.pictures.uploads import damage_refused, opened

MOST_BYTES = 32 * 1024 * 1024
_FORMATS = ("PNG", "JPEG", "WebP", "GIF", "ICO")

# Measured on screenshots and covers: WebP's next better method takes more than twice as long for 7 % fewer bytes,
# PNG's default level more than twice as long for 9 %.
_WEBP: dict[str, Any] = {"quality": 82, "method": 2}
_JPEG: dict[str, Any] = {"quality": 85, "optimize": True}
_PNG: dict[str, Any] = {"compress_level": 3}


class Size(StrEnum):
    """What a picture is used for."""

    GRID = "grid"
    PAGE = "page"
    BANNER = "banner"


_BOXES = {Size.GRID: 480, Size.PAGE: 960, Size.BANNER: 1920}
_PREVIEW = 320


@dataclass(frozen=True, slots=True)
class Rendition:
    """A picture in one size and format; `width` and `height` in pixels."""

    size: Size
    media_type: str
    width: int
    height: int
    data: bytes


def renditions(data: bytes) -> tuple[Rendition, ...]:
    """Give a picture in every size up to its own, the smallest first; they fit squares of 480, 960 and 1920 pixels.

    Each is there as WebP, followed by PNG if anything of it is transparent or else by JPEG. Only the pixels are kept,
    turned upright and in sRGB; of an animation the first frame, of an icon the largest.

    Raises:
        UnusablePicture: not a PNG, JPEG, WebP, GIF or ICO, damaged, or larger than 32 MiB or 40 million pixels.
    """
    picture = opened(data, formats=_FORMATS, most_bytes=MOST_BYTES)
    with damage_refused():
        largest = _prepared(picture, max(_BOXES.values()))
    return tuple(rendition for size, scaled in _sizes(largest) for rendition in _encoded(scaled, size))


def preview(data: bytes) -> bytes:
    """Give a picture small, as WebP that fits a square of 320 pixels.

    Raises:
        UnusablePicture: as `renditions` has it.
    """
    picture = opened(data, formats=_FORMATS, most_bytes=MOST_BYTES)
    out = io.BytesIO()
    with damage_refused():
        _prepared(picture, _PREVIEW).save(out, "WEBP", **_WEBP)
    return out.getvalue()


def _prepared(picture: Image.Image, box: int) -> Image.Image:
    """Decode a picture no larger than a square, turned upright, in sRGB, opaque unless it has to be."""
    picture.draft(None, _fitting(picture.size, box))
    picture.load()
    scaled = _scaled(_scalable(picture), box)
    ImageOps.exif_transpose(scaled, in_place=True)
    coloured = _in_srgb(scaled)
    coloured.info.clear()  # the encoders write comments and profiles that they find there
    return coloured.convert("RGB") if _is_opaque(coloured) else coloured


def _scalable(picture: Image.Image) -> Image.Image:
    """Give a picture in a mode whose pixels can be averaged."""
    if picture.mode == "I;16":
        return picture.point(lambda value: value / 256).convert("L")
    if picture.has_transparency_data:
        return picture.convert("RGBA")
    return picture if picture.mode in ("L", "RGB", "CMYK") else picture.convert("RGB")


def _in_srgb(picture: Image.Image) -> Image.Image:
    mode = "RGBA" if picture.mode == "RGBA" else "RGB"
    if profile := picture.info.get("icc_profile"):
        try:
            converted = ImageCms.profileToProfile(
                picture, io.BytesIO(profile), ImageCms.createProfile("sRGB"), outputMode=mode
            )
        except ImageCms.PyCMSError:
            return picture.convert(mode)
        assert converted is not None
        return converted
    return picture.convert(mode)


def _is_opaque(picture: Image.Image) -> bool:
    return picture.mode == "RGBA" and picture.getchannel("A").getextrema() == (255, 255)


def _sizes(largest: Image.Image) -> Iterator[tuple[Size, Image.Image]]:
    """Scale a picture down step by step, each from the one before, and give the smallest first."""
    steps = []
    for size, box in reversed(_BOXES.items()):
        smaller = [other for other in _BOXES.values() if other < box]
        if max(largest.size) > max(smaller, default=0):
            largest = _scaled(largest, box)
            steps.append((size, largest))
    return reversed(steps)


def _scaled(picture: Image.Image, box: int) -> Image.Image:
    size = _fitting(picture.size, box)
    return picture if size == picture.size else picture.resize(size, Image.Resampling.LANCZOS)


def _fitting(size: tuple[int, int], box: int) -> tuple[int, int]:
    """Give the size at which a picture just fits a square; never larger than it is."""
    scale = min(1.0, box / max(size))
    return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))


def _encoded(picture: Image.Image, size: Size) -> Iterator[Rendition]:
    fallback = ("PNG", _PNG) if picture.mode == "RGBA" else ("JPEG", _JPEG)
    for kind, settings in (("WEBP", _WEBP), fallback):
        out = io.BytesIO()
        picture.save(out, kind, **settings)
        yield Rendition(size, f"image/{kind.lower()}", *picture.size, out.getvalue())
