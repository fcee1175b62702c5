"""Placeholders: the results of other ThumbHash encoders, and the expected colors."""

import io
from base64 import b64decode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from playdock.pictures.images import UnusablePicture
from playdock.pictures.placeholders import placeholder_of

GREY, RED, BLUE, PALE = (90, 92, 95), (210, 30, 40), (30, 60, 200), (150, 150, 205)
Color = tuple[int, ...]


def encoded(image: Image.Image) -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def striped(*stripes: tuple[Color, int], mode: str = "RGB") -> bytes:
    """Return an image of 48 lines with the given number of lines per color."""
    drawn = Image.new(mode, (40, sum(lines for _, lines in stripes)))
    top = 0
    for color, lines in stripes:
        drawn.paste(color, (0, top, 40, top + lines))
        top += lines
    return encoded(drawn)


def hexadecimal(color: Color) -> str:
    return f"#{bytes(color[:3]).hex()}"


@pytest.mark.parametrize(
    ("stripes", "color"),
    [
        ([(GREY, 48)], GREY),
        ([(GREY, 46), (RED, 2)], RED),
        ([(GREY, 30), (PALE, 18)], GREY),
        ([(BLUE, 10), (RED, 38)], RED),
        ([((255, 255, 255), 24), ((0, 0, 0), 23), (BLUE, 1)], BLUE),
        ([((0, 0, 0), 30), ((255, 255, 255), 18)], (0, 0, 0)),
    ],
)
def test_the_color_is_the_most_prominent_vivid_one_or_the_most_common(
    stripes: list[tuple[Color, int]], color: Color
) -> None:
    assert placeholder_of(striped(*stripes)).color == hexadecimal(color)


def test_small_specks_do_not_determine_the_color() -> None:
    drawn = Image.new("RGB", (48, 48), GREY)
    drawn.paste(RED, (0, 0, 4, 4))
    assert placeholder_of(encoded(drawn)).color == hexadecimal(GREY)


def test_transparent_pixels_do_not_count() -> None:
    logo = striped(((*RED, 0), 40), ((*BLUE, 255), 8), mode="RGBA")
    assert placeholder_of(logo).color == hexadecimal(BLUE)


def test_a_transparent_image_has_a_placeholder_and_no_color() -> None:
    found = placeholder_of(encoded(Image.new("RGBA", (30, 20))))
    assert (found.color, len(b64decode(found.placeholder))) == (None, 23)


def scene(*, alpha: int = 255) -> Image.Image:
    """Return a gradient from black to white with a square."""
    drawn = Image.linear_gradient("L").resize((40, 20)).convert("RGBA")
    drawn.paste((*RED, alpha), (5, 5, 15, 15))
    return drawn


@pytest.mark.parametrize(
    ("image", "placeholder"),
    [
        (scene(), "XigaFIh3iHiAeHeIeHaPiPGIGA=="),
        (scene(alpha=90), "HxiaCoIed4iAeIiPiPGIGHDuiIjOiHc="),
        (scene(alpha=90).rotate(90, expand=True), "HxiaCgIegHh3eIgYcIcBd+h4j4OIF+g="),
    ],
)
def test_placeholders_equal_those_of_other_encoders(image: Image.Image, placeholder: str) -> None:
    assert placeholder_of(encoded(image)).placeholder == placeholder


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 130), st.integers(1, 130), st.sampled_from(["RGB", "RGBA", "L", "P"]))
def test_images_of_any_shape_have_a_small_placeholder(width: int, height: int, mode: str) -> None:
    found = placeholder_of(encoded(Image.new(mode, (width, height), 7)))
    assert 5 <= len(b64decode(found.placeholder, validate=True)) <= 25


def test_a_damaged_image_has_no_placeholder() -> None:
    whole = encoded(Image.new("RGB", (200, 200), RED))
    with pytest.raises(UnusablePicture):
        placeholder_of(whole[: len(whole) // 2])
