"""Generated pictures, which differ by game and role so that they can be distinguished in a demonstration."""

import io
import struct
import zlib
from colorsys import hsv_to_rgb
from functools import cache

from PIL import Image, ImageDraw

from providers.games import Game
from providers.standin import Answer

_FORMATS = {"jpg": "JPEG", "jpeg": "JPEG", "png": "PNG", "webp": "WEBP"}


def picture(game: Game, label: str, *, size: tuple[int, int], suffix: str = "jpg") -> Answer:
    """Return a picture of a game with its colour, its name and the use of the picture."""
    kind = _FORMATS[suffix]
    return Answer(200, {"Content-Type": f"image/{kind.lower()}"}, _drawn(game.name, game.number, label, size, kind))


def svg() -> Answer:
    drawing = b'<svg width="9" height="9"><script>alert(1)</script></svg>'
    return Answer(200, {"Content-Type": "image/svg+xml"}, drawing)


def bomb() -> Answer:
    """Return a PNG of a few bytes that declares 60,000 by 60,000 pixels."""
    head = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    chunks = _chunk(b"IHDR", head) + _chunk(b"IDAT", zlib.compress(bytes(1_000_000), 9)) + _chunk(b"IEND", b"")
    return Answer(200, {"Content-Type": "image/png"}, b"\x89PNG\r\n\x1a\n" + chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


@cache
def _drawn(name: str, number: int, label: str, size: tuple[int, int], kind: str) -> bytes:
    transparent = kind != "JPEG" and label == "logo"
    hue = number * 0.618 % 1
    canvas = Image.new("RGBA", size, (0, 0, 0, 0) if transparent else _color(hue, 0.45))
    draw = ImageDraw.Draw(canvas)
    width, height = size
    shift = sum(label.encode()) % 7 / 7
    disc = (width * shift * 0.5, height * 0.1, width * (0.5 + shift * 0.5), height * 0.9)
    draw.ellipse(disc, fill=_color(hue, 0.75))
    draw.text((width * 0.06, height * 0.4), name, fill="white", font_size=max(8, width // max(10, len(name))))
    draw.text((width * 0.06, height * 0.75), label, fill="white", font_size=max(8, width // 20))
    written = io.BytesIO()
    (canvas if kind != "JPEG" else canvas.convert("RGB")).save(written, kind)
    return written.getvalue()


def _color(hue: float, value: float) -> tuple[int, int, int, int]:
    red, green, blue = hsv_to_rgb(hue, 0.6, value)
    return round(red * 255), round(green * 255), round(blue * 255), 255
