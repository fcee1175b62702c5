"""The image, built once."""

from collections.abc import Iterator

import pytest

from deploy.image import Image, built_image


@pytest.fixture(scope="session")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Image]:
    with built_image(tmp_path_factory.mktemp("image")) as image:
        yield image
