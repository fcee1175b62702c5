"""Images for tests."""

import io

from PIL import Image


def png(width: int = 60, height: int = 90, *, color: tuple[int, int, int] = (120, 40, 200)) -> bytes:
    """Return an image of a single color."""
    drawn = io.BytesIO()
    Image.new("RGB", (width, height), color).save(drawn, "PNG")
    return drawn.getvalue()
