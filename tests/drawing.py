"""Pictures for tests to send."""

import io

from PIL import Image


def png(width: int = 60, height: int = 90, *, colour: tuple[int, int, int] = (120, 40, 200)) -> bytes:
    """A picture of one colour."""
    drawn = io.BytesIO()
    Image.new("RGB", (width, height), colour).save(drawn, "PNG")
    return drawn.getvalue()
