"""Tints: what a page shows of a picture before the picture is there: a blurred placeholder and a colour."""

import io
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass

from PIL import Image
from thash import rgba_to_thumb_hash

from playdock.pictures.uploads import damage_refused

# A ThumbHash keeps seven waves a side; it takes up to 100 pixels, in four times the time and hardly another hash.
_SIDE = 48
_SHADES = 16
_LEAST_SHARE = 0.02
_LEAST_CHROMA = 64
_OPAQUE = 128

_Colour = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Tint:
    """A picture's ThumbHash (a format by Evan Wallace), in base64, and its colour as ``#rrggbb``.

    The colour is None where nothing of the picture can be seen.
    """

    placeholder: str
    colour: str | None


@dataclass(frozen=True, slots=True)
class _Shade:
    """One of the few colours that a picture is reduced to, and the share of its pixels that have it, up to 1."""

    colour: _Colour
    share: float

    @property
    def chroma(self) -> int:
        """How far it is from grey, up to 255."""
        return max(self.colour) - min(self.colour)


def tint(data: bytes) -> Tint:
    """Give the tint of a picture of ours; the smallest rendition will do.

    Raises:
        UnusablePicture: it is damaged.
    """
    with damage_refused():
        small = Image.open(io.BytesIO(data)).convert("RGBA")
        small.thumbnail((_SIDE, _SIDE))
    placeholder = bytes(rgba_to_thumb_hash(*small.size, small.tobytes()))
    found = _dominant(list(_shades(small)))
    return Tint(b64encode(placeholder).decode(), f"#{bytes(found).hex()}" if found else None)


def _dominant(shades: list[_Shade]) -> _Colour | None:
    """Choose the colour that a page takes from a picture: a vivid one if there is enough of it, else the most common.

    Of vivid ones that has it which makes most impression: little of a strong colour makes more than much of a pale one.
    """
    vivid = [shade for shade in shades if shade.chroma >= _LEAST_CHROMA and shade.share >= _LEAST_SHARE]
    best = max(vivid, key=lambda shade: shade.share * shade.chroma**2, default=None)
    best = best or max(shades, key=lambda shade: shade.share, default=None)
    return best.colour if best else None


def _shades(picture: Image.Image) -> Iterator[_Shade]:
    """Reduce what can be seen of a picture to a few colours."""
    seen = _seen(picture)
    if not seen:
        return
    few = Image.frombytes("RGB", (len(seen) // 3, 1), seen).quantize(_SHADES, Image.Quantize.FASTOCTREE)
    colours = zip(*[iter(few.getpalette() or [])] * 3, strict=True)
    for colour, count in zip(colours, few.histogram(), strict=False):
        if count:
            yield _Shade(colour, count / few.width)


def _seen(picture: Image.Image) -> bytes:
    """Give the red, green and blue of all pixels that are not see-through."""
    data = picture.tobytes()
    return b"".join(data[start : start + 3] for start in range(0, len(data), 4) if data[start + 3] >= _OPAQUE)
