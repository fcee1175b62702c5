"""The image, built once."""

from collections.abc import Iterator

import pytest

from deploy.image import PACKAGES, Image, built_image, small_debian


@pytest.fixture(scope="session")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Image]:
    with built_image(tmp_path_factory.mktemp("image"), small_debian("image-base", *PACKAGES)) as image:
        yield image
