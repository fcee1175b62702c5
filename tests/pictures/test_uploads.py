"""Uploaded images: re-encoded, or rejected with the reason."""

import io
import struct
import zlib
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from playdock.pictures import artwork, operations, placeholders, uploads
from playdock.pictures.artwork import preview, renditions
from playdock.pictures.images import MAX_UPLOAD_BYTES, UnusablePicture
from playdock.pictures.uploads import MAX_SIDE, profile_picture

SECRET = "52.5200 13.4050"
SVG = b"<svg><script>alert(1)</script></svg>"


def encoded(kind: str, *, mode: str = "RGB", size: tuple[int, int] = (60, 40), **options: Any) -> bytes:
    out = io.BytesIO()
    Image.new(mode, size).save(out, kind, **options)
    return out.getvalue()


def decoded(data: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(data))
    image.load()
    return image


def tagged(*, orientation: int = 1) -> Image.Exif:
    exif = Image.Exif()
    exif[0x010E] = SECRET
    exif[0x0112] = orientation
    return exif


def bomb(width: int, height: int) -> bytes:
    """Return a PNG that declares a size and contains no pixels."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    pieces = [(b"IHDR", header), (b"IDAT", zlib.compress(b"")), (b"IEND", b"")]
    chunks = [
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in pieces
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def icon(image: bytes) -> bytes:
    """Return an icon whose directory declares 16 by 16 pixels, regardless of its only image."""
    return struct.pack("<HHHBBBBHHII", 0, 1, 1, 16, 16, 0, 0, 1, 32, len(image), 22) + image


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_an_image_becomes_a_square_webp(kind: str) -> None:
    result = decoded(profile_picture(encoded(kind)))

    assert (result.format, result.size) == ("WEBP", (40, 40))


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
def test_every_mode_of_a_png_is_accepted(mode: str) -> None:
    assert decoded(profile_picture(encoded("PNG", mode=mode))).format == "WEBP"


@pytest.mark.parametrize("mode", ["L", "RGB", "CMYK"])
def test_every_mode_of_a_jpeg_is_accepted(mode: str) -> None:
    assert decoded(profile_picture(encoded("JPEG", mode=mode))).mode == "RGB"


def test_a_large_image_is_scaled_down() -> None:
    assert decoded(profile_picture(encoded("PNG", size=(3000, 2000)))).size == (512, 512)


def test_the_smallest_image_is_accepted() -> None:
    assert decoded(profile_picture(encoded("PNG", size=(1, 1)))).size == (1, 1)


def test_transparency_is_kept() -> None:
    assert decoded(profile_picture(encoded("PNG", mode="RGBA"))).mode == "RGBA"


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_only_the_pixels_are_kept(kind: str) -> None:
    data = encoded(kind, exif=tagged(), icc_profile=b"profile of a camera", xmp=SECRET.encode())
    assert SECRET.encode() in data

    result = profile_picture(data)

    assert SECRET.encode() not in result
    assert {"exif", "icc_profile", "xmp"}.isdisjoint(decoded(result).info)


def test_an_image_is_rotated_by_its_orientation_tag() -> None:
    hostile = Image.new("RGB", (40, 40), "blue")
    hostile.paste("red", (0, 0, 20, 40))
    out = io.BytesIO()
    hostile.save(out, "PNG", exif=tagged(orientation=6))

    upright = decoded(profile_picture(out.getvalue())).convert("RGB")

    top, bottom = upright.getpixel((20, 5)), upright.getpixel((20, 35))
    assert isinstance(top, tuple)
    assert isinstance(bottom, tuple)
    assert (top[0] > 200, bottom[2] > 200) == (True, True)


@pytest.mark.parametrize(
    "data",
    [b"", b"text", SVG, encoded("GIF"), encoded("TIFF"), encoded("BMP"), b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff"],
    ids=["nothing", "text", "SVG", "GIF", "TIFF", "BMP", "PNG without content", "JPEG without content"],
)
def test_other_formats_are_rejected(data: bytes) -> None:
    with pytest.raises(UnusablePicture, match="Choose an image in PNG, JPEG or WebP"):
        profile_picture(data)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_a_truncated_image_is_rejected(kind: str) -> None:
    whole = encoded(kind, size=(300, 300))

    with pytest.raises(UnusablePicture):
        profile_picture(whole[: len(whole) // 2])


@pytest.mark.parametrize("side", [6_325, 60_000, 2_000_000_000])
def test_an_image_with_too_many_pixels_is_rejected_before_decoding(side: int) -> None:
    with pytest.raises(UnusablePicture, match=r"40 million pixels|cannot be used"):
        profile_picture(bomb(side, side))


@pytest.mark.parametrize("size", [(1, MAX_SIDE + 1), (MAX_SIDE + 1, 1), (1, 39_999_999)])
@pytest.mark.parametrize("process", [profile_picture, renditions, preview])
@pytest.mark.parametrize("wrap", [bytes, icon], ids=["PNG", "icon"])
@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
def test_an_image_with_a_long_side_is_rejected_before_decoding(
    size: tuple[int, int], process: Callable[[bytes], Any], wrap: Callable[[bytes], bytes]
) -> None:
    with pytest.raises(UnusablePicture, match=r"16,384 pixels wide or high|in PNG, JPEG or WebP"):
        process(wrap(bomb(*size)))


@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
def test_a_bitmap_with_a_long_side_in_an_icon_is_rejected_before_decoding() -> None:
    bitmap = struct.pack("<IiiHHIIiiII", 40, 1, 39_999_999, 1, 24, 0, 0, 0, 0, 0, 0)
    with pytest.raises(UnusablePicture, match="16,384 pixels wide or high"):
        renditions(icon(bitmap))


@pytest.mark.parametrize("size", [(1, MAX_SIDE), (MAX_SIDE, 1)])
def test_the_longest_side_is_accepted(size: tuple[int, int]) -> None:
    assert decoded(profile_picture(encoded("PNG", size=size))).size == (1, 1)
    assert max(decoded(renditions(encoded("PNG", size=size))[-1].data).size) == 1920


@pytest.mark.parametrize("data", [b"", b"\0\0", b"\1\0", bytes(3) + b"\x16" * 13], ids=["none", "one", "two", "far"])
def test_an_icon_without_an_image_is_rejected(data: bytes) -> None:
    with pytest.raises(UnusablePicture, match="ICO"):
        renditions(b"\0\0\1\0" + data)


def test_one_image_is_processed_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def process(_: bytes) -> Any:
        return operations._PROCESSING.acquire(blocking=False)

    for module, name in ((uploads, "profile_picture"), (artwork, "renditions"), (artwork, "preview")):
        monkeypatch.setattr(module, name, process)
    monkeypatch.setattr(placeholders, "placeholder_of", process)
    calls = [operations.profile_picture, operations.renditions, operations.preview, operations.placeholder_of]
    assert [call(b"") for call in calls] == [False] * 4


def test_too_many_bytes_are_rejected() -> None:
    with pytest.raises(UnusablePicture, match="larger than 8 MiB"):
        profile_picture(encoded("PNG") + bytes(MAX_UPLOAD_BYTES))


@settings(max_examples=150, deadline=None)
@given(data=st.data(), kind=st.sampled_from(["PNG", "JPEG", "WEBP"]))
@pytest.mark.filterwarnings("ignore::UserWarning:PIL")
def test_a_damaged_image_is_accepted_or_rejected(data: st.DataObject, kind: str) -> None:
    whole = bytearray(encoded(kind, mode="RGB", exif=tagged()))
    for place in data.draw(st.lists(st.integers(0, len(whole) - 1), min_size=1, max_size=4)):
        whole[place] = data.draw(st.integers(0, 255))
    try:
        result = profile_picture(bytes(whole))
    except UnusablePicture:
        return
    assert decoded(result).format == "WEBP"
