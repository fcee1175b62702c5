"""Portraits: the picture every user has before choosing one; the same seed always gives the same picture."""

import colorsys
import hashlib
import io

from PIL import Image, ImageDraw, ImageFilter

MEDIA_TYPE = "image/webp"
_SIDE = 256
_WORK = 64


def draw(seed: str) -> bytes:
    """Draw soft overlapping discs on a ground of one hue, 256 by 256 pixels, as WebP."""
    numbers = hashlib.blake2b(seed.encode(), digest_size=24).digest()
    hue = numbers[0] / 255
    picture = Image.new("RGB", (_WORK, _WORK), _colour(hue, 0.45))
    pen = ImageDraw.Draw(picture)
    for index in range(1, 6):
        x, y, size = (numbers[3 * index + offset] for offset in range(3))
        _disc(pen, x * _WORK // 255, y * _WORK // 255, 10 + size // 12, _colour(hue + 0.07 * index, 0.35 + 0.1 * index))
    soft = picture.resize((_SIDE, _SIDE), Image.Resampling.BICUBIC).filter(ImageFilter.GaussianBlur(6))
    out = io.BytesIO()
    soft.save(out, "WEBP", quality=85, method=2)
    return out.getvalue()


def _disc(pen: ImageDraw.ImageDraw, x: int, y: int, radius: int, colour: tuple[int, int, int]) -> None:
    pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour)


def _colour(hue: float, lightness: float) -> tuple[int, int, int]:
    red, green, blue = colorsys.hls_to_rgb(hue % 1.0, min(lightness, 0.85), 0.55)
    return round(red * 255), round(green * 255), round(blue * 255)
