"""Installations of both clients that are large in some way: many files, all characters, more than 4 GiB."""

from collections.abc import Callable
from pathlib import Path

import pytest

from playdock.content.names import unsafe_reason
from world import World

from . import test_depot
from .arcade import Arcade, add_version, open_arcade, same

MIB = 1024 * 1024
_FILES = 3010
# What a file system of Linux takes in one name, in bytes, without a name of three bytes for each character.
_CHARACTERS_PER_NAME = 60
_Install = Callable[[Arcade, str, Path], object]


@pytest.fixture
def arcade(embedded_world: World) -> Arcade:
    return open_arcade(embedded_world)


def _with_0_3(arcade: Arcade, version: str, folder: Path) -> None:
    arcade.client.install(arcade.game, version, folder)


def _with_0_4(arcade: Arcade, version: str, folder: Path) -> None:
    test_depot.install(arcade, test_depot.version_ids(arcade)[version], folder)


_BOTH = pytest.mark.parametrize("install", [_with_0_3, _with_0_4], ids=["0.3", "0.4"])


def _names_with_every_character() -> list[str]:
    """Return names that together contain each allowed character of most alphabets, in lower case."""
    codes = (*range(0x20, 0x3000), *range(0x4E00, 0x4F00), *range(0x1F600, 0x1F650))
    allowed = [
        character
        for character in map(chr, codes)
        if character.isprintable() and character != "/" and unsafe_reason(f"_{character}_") is None
    ]
    allowed = [character for character in allowed if character == character.lower()]
    return [
        f"_{''.join(allowed[start : start + _CHARACTERS_PER_NAME])}_"
        for start in range(0, len(allowed), _CHARACTERS_PER_NAME)
    ]


@_BOTH
def test_a_client_installs_thousands_of_files_with_all_characters(
    arcade: Arcade, tmp_path: Path, install: _Install
) -> None:
    names = _names_with_every_character()
    assert len(names) > 100
    assert set("!#$%&'()+,-;=@[]^_`{}~ äßж一😀") <= set("".join(names))
    names += [f"small/{number}" for number in range(_FILES - len(names) - 1)]
    arcade.world.put("Portal/5.0/program", b"#!/bin/sh\n", mode=0o755)
    for number, name in enumerate(names):
        arcade.world.put(f"Portal/5.0/{name}", str(number).encode() if number % 100 else b"")
    add_version(arcade, "5.0", launch="program")

    install(arcade, "5.0", tmp_path / "installed")

    installed = [each for each in (tmp_path / "installed").rglob("*") if each.is_file()]
    assert len(installed) == _FILES
    same(tmp_path / "installed", arcade.world.games / "Portal/5.0")


@pytest.mark.heavy
@_BOTH
def test_a_client_installs_a_file_of_more_than_4_gib(arcade: Arcade, tmp_path: Path, install: _Install) -> None:
    with arcade.world.put("Portal/4.0/large").open("r+b") as large:
        large.truncate(4 * 1024 * MIB + 3)
        large.seek(4 * 1024 * MIB)
        large.write(b"end")
    add_version(arcade, "4.0", launch="large")

    install(arcade, "4.0", tmp_path / "large")

    installed = tmp_path / "large/large"
    assert installed.stat().st_size == 4 * 1024 * MIB + 3
    with installed.open("rb") as content, (arcade.world.games / "Portal/4.0/large").open("rb") as source:
        assert all(content.read(MIB) == source.read(MIB) for _ in range(4 * 1024 + 1))
