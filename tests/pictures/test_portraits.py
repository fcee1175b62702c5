"""The pictures that users have before they choose one."""

import io

from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from playdock.pictures import portraits


def test_the_same_seed_draws_the_same_picture() -> None:
    assert portraits.draw("ada") == portraits.draw("ada")
    assert portraits.draw("ada") != portraits.draw("bob")


@settings(max_examples=20, deadline=None)
@given(st.text())
def test_every_seed_draws_a_small_webp(seed: str) -> None:
    drawn = portraits.draw(seed)

    with Image.open(io.BytesIO(drawn)) as picture:
        assert (picture.format, picture.size) == ("WEBP", (256, 256))
    assert len(drawn) < 20_000
