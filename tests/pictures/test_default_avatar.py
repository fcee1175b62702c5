"""The default profile pictures."""

import io

from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from playdock.pictures import default_avatar


def test_equal_seeds_yield_equal_images() -> None:
    assert default_avatar.render("ada") == default_avatar.render("ada")
    assert default_avatar.render("ada") != default_avatar.render("bob")


@settings(max_examples=20, deadline=None)
@given(st.text())
def test_any_seed_yields_a_small_webp(seed: str) -> None:
    drawn = default_avatar.render(seed)

    with Image.open(io.BytesIO(drawn)) as image:
        assert (image.format, image.size) == ("WEBP", (256, 256))
    assert len(drawn) < 20_000
