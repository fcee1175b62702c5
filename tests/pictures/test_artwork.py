"""Renditions of game images: all sizes in two formats, without metadata, and rejection of invalid files."""

import io
import struct
import zlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageCms

from playdock.pictures import artwork
from playdock.pictures.artwork import preview, renditions
from playdock.pictures.images import Rendition, Size, UnusablePicture

SECRET = b"52.5200 13.4050"
KINDS = ["PNG", "JPEG", "WEBP", "GIF", "ICO"]
Color = tuple[int, ...]


def encoded(image: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def plain(size: tuple[int, int] = (60, 40), *, mode: str = "RGB", color: Any = 0) -> Image.Image:
    return Image.new(mode, size, color)


def decoded(rendition: Rendition) -> Image.Image:
    image = Image.open(io.BytesIO(rendition.data))
    image.load()
    return image


def color_at(rendition: Rendition, place: tuple[int, int]) -> Color:
    color = decoded(rendition).getpixel(place)
    assert isinstance(color, tuple)
    return color


def is_near(color: Color, options: Color) -> bool:
    return all(abs(one - other) <= 8 for one, other in zip(color, options, strict=True))


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png_with(*chunks: bytes, side: int = 10) -> bytes:
    """Return a black PNG that declares a size, with additional chunks and the pixels of a 10 by 10 image."""
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    pixels = chunk(b"IDAT", zlib.compress(bytes(31 * 10)))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + b"".join(chunks) + pixels + chunk(b"IEND", b"")


def icon_with(frame: bytes) -> bytes:
    """Return an icon whose directory declares 16 by 16 pixels, regardless of its only image."""
    return struct.pack("<HHHBBBBHHII", 0, 1, 1, 16, 16, 0, 0, 1, 32, len(frame), 22) + frame


def animation(frames: int) -> list[Image.Image]:
    return [plain((30, 30), mode="RGB", color=(200 - number, number, 0)) for number in range(frames)]


@pytest.mark.parametrize(
    ("size", "made"),
    [
        ((1, 1), {"grid": (1, 1)}),
        ((480, 300), {"grid": (480, 300)}),
        ((481, 300), {"grid": (480, 299), "page": (481, 300)}),
        ((600, 900), {"grid": (320, 480), "page": (600, 900)}),
        ((960, 960), {"grid": (480, 480), "page": (960, 960)}),
        ((1280, 720), {"grid": (480, 270), "page": (960, 540), "banner": (1280, 720)}),
        ((3840, 2160), {"grid": (480, 270), "page": (960, 540), "banner": (1920, 1080)}),
        ((5000, 1), {"grid": (480, 1), "page": (960, 1), "banner": (1920, 1)}),
    ],
)
@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_renditions_have_every_size_up_to_that_of_the_image(
    kind: str, size: tuple[int, int], made: dict[str, tuple[int, int]]
) -> None:
    found = renditions(encoded(plain(size), kind))

    assert {each.size.value: (each.width, each.height) for each in found} == made
    assert [each.size for each in found] == [size for size in Size if size.value in made for _ in range(2)]
    assert all(decoded(each).size == (each.width, each.height) for each in found)


@pytest.mark.parametrize("kind", KINDS)
def test_every_size_is_encoded_as_webp_and_in_an_older_format(kind: str) -> None:
    found = renditions(encoded(plain((64, 64), color=(250, 120, 10)), kind))

    assert [each.media_type for each in found] == ["image/webp", "image/jpeg"]
    assert [decoded(each).format for each in found] == ["WEBP", "JPEG"]
    assert all(is_near(color_at(each, (5, 5)), (250, 120, 10)) for each in found)


def test_transparency_is_kept_in_both_formats() -> None:
    image = plain((600, 600), mode="RGBA", color=(255, 0, 0, 255))
    image.paste((0, 0, 0, 0), (0, 0, 300, 600))

    found = renditions(encoded(image))

    assert [each.media_type for each in found] == ["image/webp", "image/png"] * 2
    assert all(color_at(each, (10, 10))[3] == 0 for each in found)
    assert all(is_near(color_at(each, (each.width - 10, 10)), (255, 0, 0, 255)) for each in found)


@pytest.mark.parametrize("mode", ["P", "LA", "RGBA"])
def test_an_opaque_image_with_an_alpha_channel_becomes_opaque(mode: str) -> None:
    assert renditions(encoded(plain(color="white").convert(mode)))[1].media_type == "image/jpeg"


@pytest.mark.parametrize(
    ("kind", "mode"),
    [("PNG", mode) for mode in ("1", "L", "LA", "P", "RGB", "RGBA")]
    + [("JPEG", mode) for mode in ("L", "RGB", "CMYK")]
    + [("GIF", "P"), ("GIF", "L"), ("WEBP", "RGBA"), ("ICO", "P")],
)
def test_every_mode_keeps_its_colors(kind: str, mode: str) -> None:
    found = renditions(encoded(plain((64, 64), color="white").convert(mode), kind))

    assert all(is_near(color_at(each, (5, 5))[:3], (255, 255, 255)) for each in found)


def test_sixteen_bit_gray_keeps_its_brightness() -> None:
    found = renditions(encoded(plain(mode="I;16", color=0x8000)))

    assert all(is_near(color_at(each, (5, 5)), (128, 128, 128)) for each in found)


def test_the_first_frame_of_an_animation_is_used() -> None:
    first, *others = animation(100)
    for kind in ("GIF", "WEBP", "PNG"):
        found = renditions(encoded(first, kind, save_all=True, append_images=others, duration=50))

        assert is_near(color_at(found[0], (5, 5)), (200, 0, 0))
        assert getattr(decoded(found[0]), "n_frames", 1) == 1


@pytest.mark.parametrize("bitmap_format", ["png", "bmp"])
def test_the_largest_image_of_an_icon_is_used(bitmap_format: str) -> None:
    icon = encoded(plain((64, 64), mode="RGBA"), "ICO", sizes=[(16, 16), (48, 48)], bitmap_format=bitmap_format)

    assert [(each.width, each.height, each.media_type) for each in renditions(icon)] == [
        (48, 48, "image/webp"),
        (48, 48, "image/png"),
    ]


@pytest.mark.parametrize("size", [(400, 200), (4000, 2000)])
def test_an_image_is_rotated_by_its_orientation_tag(size: tuple[int, int]) -> None:
    hostile, exif = plain(size, color="blue"), Image.Exif()
    hostile.paste("red", (0, 0, size[0] // 2, size[1]))
    exif[0x0112] = 6

    found = renditions(encoded(hostile, "JPEG", exif=exif))

    assert all(each.height == 2 * each.width for each in found)
    assert all(is_near(color_at(each, (each.width // 2, 20)), (254, 0, 0)) for each in found)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_only_the_pixels_are_kept(kind: str) -> None:
    exif = Image.Exif()
    exif[0x010E] = SECRET.decode()
    data = encoded(plain(), kind, exif=exif, icc_profile=SECRET, xmp=SECRET)
    assert SECRET in data

    for each in renditions(data):
        assert SECRET not in each.data
        assert {"exif", "icc_profile", "xmp", "comment"}.isdisjoint(decoded(each).info)


@pytest.mark.parametrize("kind", ["JPEG", "GIF"])
def test_comments_are_not_kept(kind: str) -> None:
    data = encoded(plain(), kind, comment=SECRET)
    assert SECRET in data

    assert all(SECRET not in each.data for each in renditions(data))


def test_colors_of_other_profiles_are_converted_to_srgb() -> None:
    lab = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    swapped = lab.replace(b"rXYZ", b"?XYZ").replace(b"gXYZ", b"rXYZ").replace(b"?XYZ", b"gXYZ")

    found = renditions(encoded(plain(color=(255, 0, 0)), "PNG", icc_profile=swapped))

    assert all(is_near(color_at(each, (5, 5)), (0, 255, 0)) for each in found)


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA", "CMYK"])
def test_an_invalid_profile_is_ignored(mode: str) -> None:
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("LAB")).tobytes()
    kind = "JPEG" if mode == "CMYK" else "PNG"

    assert len(renditions(encoded(plain(mode=mode), kind, icc_profile=profile))) == 2


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"text",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        b"PK\3\4",
        b"\0\0\1\0",
        b"\0\0\1\0\xff\xff",
        b"GIF89a",
        b"GIF89a\1\0\1\0\0\0\0;",
    ]
    + [encoded(plain(), kind) for kind in ("TIFF", "BMP", "PPM", "PDF", "AVIF")],
)
def test_other_formats_are_rejected(data: bytes) -> None:
    with pytest.raises(UnusablePicture, match="Choose an image in PNG, JPEG, WebP, GIF or ICO format"):
        renditions(data)


@pytest.mark.parametrize("kind", KINDS)
def test_a_truncated_image_is_rejected(kind: str) -> None:
    whole = encoded(Image.effect_noise((200, 200), 90).convert("RGB"), kind)

    with pytest.raises(UnusablePicture):
        renditions(whole[: len(whole) // 2])


@pytest.mark.parametrize("length", [7, 10, 12])
def test_an_image_with_truncated_tags_is_rejected(length: int) -> None:
    with pytest.raises(UnusablePicture, match="damaged"):
        renditions(encoded(plain(), "PNG", exif=Image.Exif().tobytes()[:length]))


@pytest.mark.parametrize("wrap", [bytes, icon_with], ids=["PNG", "ICO"])
@pytest.mark.parametrize("side", [6_325, 60_000])
def test_an_image_with_too_many_pixels_is_rejected_before_decoding(wrap: Any, side: int) -> None:
    with pytest.raises(UnusablePicture, match="40 million pixels"):
        renditions(wrap(png_with(side=side)))


@pytest.mark.parametrize("kind", ["GIF", "WEBP"])
def test_an_image_that_declares_too_many_pixels_is_rejected(kind: str) -> None:
    small = bytearray(encoded(plain(mode="RGBA", color=(1, 2, 3, 4)), kind))
    if kind == "GIF":
        small[6:10] = b"\xff\xff\xff\xff"
    else:
        assert small[12:16] == b"VP8X"
        small[24:30] = b"\xff\xff\x00\xff\xff\x00"

    with pytest.raises(UnusablePicture, match="40 million pixels"):
        renditions(bytes(small))


@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
def test_the_largest_allowed_image_is_accepted() -> None:
    assert renditions(encoded(plain((8_000, 5_000), mode="L"), "JPEG"))[-1].width == 1920


def test_too_many_bytes_are_rejected() -> None:
    with pytest.raises(UnusablePicture, match="larger than 32 MiB"):
        renditions(encoded(plain()) + bytes(artwork.MAX_BYTES))


@pytest.mark.parametrize(
    "bomb",
    [
        chunk(b"iTXt", b"a\0\1\0\0\0" + zlib.compress(bytes(50_000_000))),
        chunk(b"zTXt", b"a\0\0" + zlib.compress(bytes(1_000_000))) * 100,
        chunk(b"iCCP", b"a\0\0" + zlib.compress(bytes(50_000_000))),
    ],
    ids=["one text", "many texts", "profile"],
)
def test_a_compressed_text_bomb_is_rejected(bomb: bytes) -> None:
    with pytest.raises(UnusablePicture):
        renditions(png_with(bomb))


def test_a_compressed_text_bomb_after_the_pixels_is_rejected() -> None:
    bomb = chunk(b"zTXt", b"a\0\0" + zlib.compress(bytes(1_000_000))) * 100

    with pytest.raises(UnusablePicture, match="damaged"):
        renditions(png_with().replace(chunk(b"IEND", b""), bomb))


def test_surplus_pixels_are_not_decompressed() -> None:
    assert (
        len(renditions(png_with().replace(chunk(b"IEND", b""), chunk(b"IDAT", zlib.compress(bytes(50_000_000)))))) == 2
    )


def test_a_jpeg_with_too_many_scans_is_rejected() -> None:
    whole = encoded(plain(), "JPEG", progressive=True)
    last_scan = whole[whole.rindex(b"\xff\xda") : -2]

    assert renditions(whole[:-2] + last_scan * 10 + whole[-2:])
    with pytest.raises(UnusablePicture, match="too many scans"):
        renditions(whole[:-2] + last_scan * 1_000 + whole[-2:])


@settings(max_examples=200, deadline=None)
@given(data=st.data(), kind=st.sampled_from(KINDS))
@pytest.mark.filterwarnings("ignore::UserWarning:PIL", "ignore::PIL.Image.DecompressionBombWarning")
def test_a_damaged_image_is_accepted_or_rejected(data: st.DataObject, kind: str) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    whole = bytearray(encoded(plain((32, 32)), kind, **({"exif": exif} if kind in ("PNG", "JPEG", "WEBP") else {})))
    for place in data.draw(st.lists(st.integers(0, len(whole) - 1), min_size=1, max_size=4)):
        whole[place] = data.draw(st.integers(0, 255))
    try:
        found = renditions(bytes(whole))
    except UnusablePicture:
        return
    assert [decoded(each).size for each in found] == [(each.width, each.height) for each in found]


@settings(max_examples=60, deadline=None)
@given(width=st.integers(1, 2500), height=st.integers(1, 2500))
def test_every_size_fits_its_square_and_none_exceeds_the_image(width: int, height: int) -> None:
    found = renditions(encoded(plain((width, height), mode="L"), "JPEG"))

    assert all(max(each.width, each.height) <= {"grid": 480, "page": 960, "banner": 1920}[each.size] for each in found)
    assert max(found[-1].width, found[-1].height) == min(1920, max(width, height))


@pytest.mark.parametrize(
    ("size", "expected"), [((1000, 500), (320, 160)), ((100, 400), (80, 320)), ((60, 40), (60, 40))]
)
def test_a_preview_keeps_its_shape_and_fits_its_square(size: tuple[int, int], expected: tuple[int, int]) -> None:
    visible = Image.open(io.BytesIO(preview(encoded(plain(size), "JPEG"))))
    assert (visible.format, visible.size) == ("WEBP", expected)


def test_a_preview_of_another_format_is_rejected() -> None:
    with pytest.raises(UnusablePicture):
        preview(b"<svg></svg>")
