"""Placeholders of images: a blurred preview that a page shows while the image loads, and a color."""

import io
from base64 import b64encode
from collections.abc import Iterator

from msgspec import Struct
from PIL import Image
from thash import rgba_to_thumb_hash

from playdock.pictures.images import ImagePlaceholder
from playdock.pictures.uploads import damage_rejected

# A ThumbHash stores at most seven frequencies per side, so the allowed 100 pixels would take four times as long for
# almost the same hash.
_SIDE = 48
# Enough to separate the main colors of an image, few enough that similar pixels share one.
_MAX_SHADES = 16
# Two percent of the pixels are visible as an accent; less is noise.
_MIN_SHARE = 0.02
# A quarter of the scale; colors below look grey as the tint of a page.
_MIN_CHROMA = 64
# Pixels with at least half of the full alpha are visible.
_MIN_ALPHA = 128

_Color = tuple[int, int, int]


class _Shade(Struct, frozen=True):
    """One of the colors to which an image is quantized, and its share of the visible pixels from 0 to 1."""

    color: _Color
    share: float

    @property
    def chroma(self) -> int:
        """The distance from grey, 0 to 255."""
        return max(self.color) - min(self.color)


def placeholder_of(data: bytes) -> ImagePlaceholder:
    """Return the placeholder of an image; its smallest rendition is sufficient.

    Raises:
        UnusablePicture: the image is damaged.
    """
    with damage_rejected():
        small = Image.open(io.BytesIO(data)).convert("RGBA")
        small.thumbnail((_SIDE, _SIDE))
    placeholder = bytes(rgba_to_thumb_hash(*small.size, small.tobytes()))
    color = _dominant(list(_shades(small)))
    return ImagePlaceholder(b64encode(placeholder).decode(), f"#{bytes(color).hex()}" if color else None)


def _dominant(shades: list[_Shade]) -> _Color | None:
    """Return the color that tints a page: the most prominent vivid color, or the most common one if none is vivid.

    Prominence is the share times the square of the chroma, so a small area of a strong color outweighs a large area of
    a pale one.
    """
    vivid = [shade for shade in shades if shade.chroma >= _MIN_CHROMA and shade.share >= _MIN_SHARE]
    best = max(vivid, key=lambda shade: shade.share * shade.chroma**2, default=None)
    best = best or max(shades, key=lambda shade: shade.share, default=None)
    return best.color if best else None


def _shades(image: Image.Image) -> Iterator[_Shade]:
    """Yield the colors to which the visible pixels of an image are quantized."""
    visible = _visible_pixels(image)
    if not visible:
        return
    quantized = Image.frombytes("RGB", (len(visible) // 3, 1), visible).quantize(_MAX_SHADES, Image.Quantize.FASTOCTREE)
    colors = zip(*[iter(quantized.getpalette() or [])] * 3, strict=True)
    for color, count in zip(colors, quantized.histogram(), strict=False):
        if count:
            yield _Shade(color, count / quantized.width)


def _visible_pixels(image: Image.Image) -> bytes:
    """Return the RGB values of all pixels that are at least half opaque."""
    data = image.tobytes()
    return b"".join(data[start : start + 3] for start in range(0, len(data), 4) if data[start + 3] >= _MIN_ALPHA)
