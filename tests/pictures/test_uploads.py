"""Pictures from outside: taken and re-encoded, or refused with the reason."""

import io
import struct
import zlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from playdock.pictures import uploads
from playdock.pictures.uploads import UnusablePicture, portrait

SECRET = "52.5200 13.4050"
SVG = b"<svg><script>alert(1)</script></svg>"


def encoded(kind: str, *, mode: str = "RGB", size: tuple[int, int] = (60, 40), **wanted: Any) -> bytes:
    out = io.BytesIO()
    Image.new(mode, size).save(out, kind, **wanted)
    return out.getvalue()


def opened(data: bytes) -> Image.Image:
    picture = Image.open(io.BytesIO(data))
    picture.load()
    return picture


def tagged(*, orientation: int = 1) -> Image.Exif:
    exif = Image.Exif()
    exif[0x010E] = SECRET
    exif[0x0112] = orientation
    return exif


def bomb(side: int) -> bytes:
    """A PNG that claims to have side times side pixels and has none."""
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    pieces = [(b"IHDR", header), (b"IDAT", zlib.compress(b"")), (b"IEND", b"")]
    chunks = [
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in pieces
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_a_picture_becomes_a_square_webp(kind: str) -> None:
    taken = opened(portrait(encoded(kind)))

    assert (taken.format, taken.size) == ("WEBP", (40, 40))


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
def test_every_mode_of_a_png_is_taken(mode: str) -> None:
    assert opened(portrait(encoded("PNG", mode=mode))).format == "WEBP"


@pytest.mark.parametrize("mode", ["L", "RGB", "CMYK"])
def test_every_mode_of_a_jpeg_is_taken(mode: str) -> None:
    assert opened(portrait(encoded("JPEG", mode=mode))).mode == "RGB"


def test_a_large_picture_is_scaled_down() -> None:
    assert opened(portrait(encoded("PNG", size=(3000, 2000)))).size == (512, 512)


def test_the_smallest_picture_is_taken() -> None:
    assert opened(portrait(encoded("PNG", size=(1, 1)))).size == (1, 1)


def test_transparency_stays() -> None:
    assert opened(portrait(encoded("PNG", mode="RGBA"))).mode == "RGBA"


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_nothing_but_the_pixels_is_kept(kind: str) -> None:
    data = encoded(kind, exif=tagged(), icc_profile=b"profile of a camera", xmp=SECRET.encode())
    assert SECRET.encode() in data

    taken = portrait(data)

    assert SECRET.encode() not in taken
    assert {"exif", "icc_profile", "xmp"}.isdisjoint(opened(taken).info)


def test_a_picture_is_turned_as_its_camera_was_held() -> None:
    lying = Image.new("RGB", (40, 40), "blue")
    lying.paste("red", (0, 0, 20, 40))
    out = io.BytesIO()
    lying.save(out, "PNG", exif=tagged(orientation=6))

    upright = opened(portrait(out.getvalue())).convert("RGB")

    top, bottom = upright.getpixel((20, 5)), upright.getpixel((20, 35))
    assert isinstance(top, tuple)
    assert isinstance(bottom, tuple)
    assert (top[0] > 200, bottom[2] > 200) == (True, True)


@pytest.mark.parametrize(
    "data",
    [b"", b"text", SVG, encoded("GIF"), encoded("TIFF"), encoded("BMP"), b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff"],
    ids=["nothing", "text", "SVG", "GIF", "TIFF", "BMP", "PNG without content", "JPEG without content"],
)
def test_other_formats_are_refused(data: bytes) -> None:
    with pytest.raises(UnusablePicture, match="not a picture in PNG, JPEG or WebP"):
        portrait(data)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_a_picture_that_is_cut_off_is_refused(kind: str) -> None:
    whole = encoded(kind, size=(300, 300))

    with pytest.raises(UnusablePicture):
        portrait(whole[: len(whole) // 2])


@pytest.mark.parametrize("side", [6_325, 60_000, 2_000_000_000])
def test_a_bomb_of_pixels_is_refused_before_it_goes_off(side: int) -> None:
    with pytest.raises(UnusablePicture, match=r"40 million pixels|not a picture"):
        portrait(bomb(side))


def test_too_many_bytes_are_refused() -> None:
    with pytest.raises(UnusablePicture, match="larger than 8 MiB"):
        portrait(encoded("PNG") + bytes(uploads.MOST_BYTES))


@settings(max_examples=150, deadline=None)
@given(data=st.data(), kind=st.sampled_from(["PNG", "JPEG", "WEBP"]))
@pytest.mark.filterwarnings("ignore::UserWarning:PIL")
def test_a_damaged_picture_is_taken_or_refused(data: st.DataObject, kind: str) -> None:
    whole = bytearray(encoded(kind, mode="RGB", exif=tagged()))
    for place in data.draw(st.lists(st.integers(0, len(whole) - 1), min_size=1, max_size=4)):
        whole[place] = data.draw(st.integers(0, 255))
    try:
        taken = portrait(bytes(whole))
    except UnusablePicture:
        return
    assert opened(taken).format == "WEBP"
