"""Tints: the same placeholder that other ThumbHash encoders make, and the colour that people would name."""

import io
from base64 import b64decode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from playdock.pictures.tints import tint
from playdock.pictures.uploads import UnusablePicture

GREY, RED, BLUE, PALE = (90, 92, 95), (210, 30, 40), (30, 60, 200), (150, 150, 205)
Colour = tuple[int, ...]


def encoded(picture: Image.Image) -> bytes:
    out = io.BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()


def striped(*stripes: tuple[Colour, int], mode: str = "RGB") -> bytes:
    """A picture of 48 lines: so many of each colour."""
    drawn = Image.new(mode, (40, sum(lines for _, lines in stripes)))
    top = 0
    for colour, lines in stripes:
        drawn.paste(colour, (0, top, 40, top + lines))
        top += lines
    return encoded(drawn)


def hexadecimal(colour: Colour) -> str:
    return f"#{bytes(colour[:3]).hex()}"


@pytest.mark.parametrize(
    ("stripes", "colour"),
    [
        ([(GREY, 48)], GREY),
        ([(GREY, 46), (RED, 2)], RED),
        ([(GREY, 30), (PALE, 18)], GREY),
        ([(BLUE, 10), (RED, 38)], RED),
        ([((255, 255, 255), 24), ((0, 0, 0), 23), (BLUE, 1)], BLUE),
        ([((0, 0, 0), 30), ((255, 255, 255), 18)], (0, 0, 0)),
    ],
)
def test_a_vivid_colour_is_taken_where_there_is_one_and_else_the_most_common(
    stripes: list[tuple[Colour, int]], colour: Colour
) -> None:
    assert tint(striped(*stripes)).colour == hexadecimal(colour)


def test_specks_do_not_tint_a_page() -> None:
    drawn = Image.new("RGB", (48, 48), GREY)
    drawn.paste(RED, (0, 0, 4, 4))
    assert tint(encoded(drawn)).colour == hexadecimal(GREY)


def test_what_cannot_be_seen_does_not_count() -> None:
    logo = striped(((*RED, 0), 40), ((*BLUE, 255), 8), mode="RGBA")
    assert tint(logo).colour == hexadecimal(BLUE)


def test_a_picture_of_nothing_has_a_placeholder_and_no_colour() -> None:
    found = tint(encoded(Image.new("RGBA", (30, 20))))
    assert (found.colour, len(b64decode(found.placeholder))) == (None, 23)


def scene(*, alpha: int = 255) -> Image.Image:
    """A ramp from black to white with a square."""
    drawn = Image.linear_gradient("L").resize((40, 20)).convert("RGBA")
    drawn.paste((*RED, alpha), (5, 5, 15, 15))
    return drawn


@pytest.mark.parametrize(
    ("picture", "placeholder"),
    [
        (scene(), "XigaFIh3iHiAeHeIeHaPiPGIGA=="),
        (scene(alpha=90), "HxiaCoIed4iAeIiPiPGIGHDuiIjOiHc="),
        (scene(alpha=90).rotate(90, expand=True), "HxiaCgIegHh3eIgYcIcBd+h4j4OIF+g="),
    ],
)
def test_placeholders_are_what_other_encoders_make_of_the_same_pixels(picture: Image.Image, placeholder: str) -> None:
    assert tint(encoded(picture)).placeholder == placeholder


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 130), st.integers(1, 130), st.sampled_from(["RGB", "RGBA", "L", "P"]))
def test_pictures_of_every_form_have_a_small_placeholder(width: int, height: int, mode: str) -> None:
    found = tint(encoded(Image.new(mode, (width, height), 7)))
    assert 5 <= len(b64decode(found.placeholder, validate=True)) <= 25


def test_a_damaged_picture_has_no_tint() -> None:
    whole = encoded(Image.new("RGB", (200, 200), RED))
    with pytest.raises(UnusablePicture):
        tint(whole[: len(whole) // 2])
