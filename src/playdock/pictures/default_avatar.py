"""The default profile picture of a user, derived from a seed."""

import colorsys
import hashlib
import io

from PIL import Image, ImageDraw, ImageFilter

# Sharp at 128 CSS pixels on screens with two device pixels per CSS pixel.
_SIDE = 256
# The discs are drawn at a quarter of the size. Scaling up smooths their edges.
_CANVAS_SIDE = 64


def render(seed: str) -> bytes:
    """Return a WebP image of 256 by 256 pixels with blurred discs; equal seeds give equal images."""
    numbers = hashlib.blake2b(seed.encode(), digest_size=24).digest()
    hue = numbers[0] / 255
    image = Image.new("RGB", (_CANVAS_SIDE, _CANVAS_SIDE), _color(hue, 0.45))
    draw = ImageDraw.Draw(image)
    for index in range(1, 6):
        x, y, size = (numbers[3 * index + offset] for offset in range(3))
        _disc(
            draw,
            x * _CANVAS_SIDE // 255,
            y * _CANVAS_SIDE // 255,
            10 + size // 12,
            _color(hue + 0.07 * index, 0.35 + 0.1 * index),
        )
    blurred = image.resize((_SIDE, _SIDE), Image.Resampling.BICUBIC).filter(ImageFilter.GaussianBlur(6))
    out = io.BytesIO()
    blurred.save(out, "WEBP", quality=85, method=2)
    return out.getvalue()


def _disc(draw: ImageDraw.ImageDraw, x: int, y: int, radius: int, color: tuple[int, int, int]) -> None:
    draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=color)


def _color(hue: float, lightness: float) -> tuple[int, int, int]:
    red, green, blue = colorsys.hls_to_rgb(hue % 1.0, min(lightness, 0.85), 0.55)
    return round(red * 255), round(green * 255), round(blue * 255)
