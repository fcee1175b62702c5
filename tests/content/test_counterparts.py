"""The assignment of newer files to older ones."""

import pytest

from content_trees import installation, noise
from playdock.content.counterparts import Counterparts, shape


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("libs/libSDL2-2-9fb6e4ba.so.0.3000.9", "libs/libSDL2-2-0c1d77aa.so.0.3000.11"),
        ("Game-1.2/data.pak", "game-1.10/Data.pak"),
        ("dist/phaser-3.85.2.min.js", "dist/phaser-3.86.0.min.js"),
        ("textures_v2.bin", "textures_v13.bin"),
    ],
)
def test_names_that_differ_in_numbers_have_the_same_shape(one: str, other: str) -> None:
    assert shape(one) == shape(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("libSDL2_image.so", "libSDL2_mixer.so"),
        ("data.pak", "sound.pak"),
        ("de/facade.txt", "en/facade.txt"),
        ("1/level.map", "level.map"),
    ],
)
def test_other_names_have_different_shapes(one: str, other: str) -> None:
    assert shape(one) != shape(other)


def counterpart(old: dict[str, bytes], new: dict[str, bytes], path: str) -> str | None:
    older, newer = installation(old), installation(new)
    file = next(file for file in newer.files if file.record.path == path)
    found = Counterparts(older, newer).find(file)
    return found.record.path if found else None


@pytest.mark.parametrize(
    "new",
    [
        pytest.param(noise(3), id="shares nothing with any file"),
        pytest.param(noise(1) + noise(3), id="shares something with this file only"),
        pytest.param(noise(4) + noise(3), id="shares as much with both"),
    ],
)
def test_the_file_with_the_same_path_is_preferred(new: bytes) -> None:
    old = {"a": noise(1) + noise(4), "b": noise(2) + noise(4)}
    assert counterpart(old, {"a": new}, "a") == "a"


def test_the_file_that_contains_more_is_preferred_to_the_one_with_the_same_path() -> None:
    old = {"data0": noise(1), "data1": noise(2) + noise(3) + noise(4)}
    new = {"data0": noise(2) + noise(3) + noise(5), "data1": noise(1) + noise(6)}
    assert (counterpart(old, new, "data0"), counterpart(old, new, "data1")) == ("data1", "data0")


def test_the_file_with_most_of_the_chunks_is_preferred_to_similar_names() -> None:
    old = {"little": noise(1) + noise(2), "most": noise(2) + noise(3) + noise(4)}
    assert counterpart(old, {"moved": noise(2) + noise(3) + noise(4) + noise(5)}, "moved") == "most"


def test_a_removed_file_with_a_similar_path_comes_last() -> None:
    old = {"lib-1.0.so": b"old", "lib-2.0.so": b"still there"}
    assert counterpart(old, {"lib-2.0.so": b"new", "lib-3.0.so": b"new too"}, "lib-3.0.so") == "lib-1.0.so"


def test_a_similar_name_in_another_folder_is_found() -> None:
    assert counterpart({"bin/game-1.exe": b"old"}, {"game-2.exe": b"new"}, "game-2.exe") == "bin/game-1.exe"


def test_the_nearest_size_decides_between_similar_names() -> None:
    old = {f"chunk-{number}.js": bytes(size) for number, size in enumerate((10, 200, 3000))}
    assert counterpart(old, {"chunk-9.js": b"x" * 250}, "chunk-9.js") == "chunk-1.js"


def test_a_dissimilar_file_has_no_counterpart() -> None:
    assert counterpart({"a": b"old"}, {"b": b"new"}, "b") is None
