"""A game with all kinds of files, a player and a Drop client."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from world import Caller, World

from .client import DropClient, sign_in

NAMES = ("bin/game", "a b/ö ü.txt", "empty", "[x]/#%&+;=@ ~.dat", "日本/語.txt", "deep/er/still/deeper")


@dataclass
class Arcade:
    """A library with one game, its admin, and a Drop client of a player."""

    world: World
    admin: Caller
    player: Caller
    client: DropClient
    library: dict[str, object]
    game: str


def open_arcade(world: World) -> Arcade:
    """Import the game and sign a player in."""
    random = Random(7)
    for number, name in enumerate(NAMES):
        world.put(f"Portal/1.0/{name}", b"" if name == "empty" else random.randbytes(number * 1000 + 1))
    world.put("Portal/1.0/bin/game", b"#!/bin/sh\n", mode=0o755)
    for number in range(300):
        world.put(f"Portal/1.0/small/{number}", str(number).encode())
    (world.games / "Portal/1.0/bin/link").symlink_to("game")
    (world.games / "Portal/1.0/copy").symlink_to("a b")
    admin, player = world.admin(), world.person()
    library = world.library(admin)
    game = world.import_game(admin, library, "Portal")
    assert world.import_version(admin, game, "1.0", launch="bin/game", launchArgs="-w 640")["success"]
    return Arcade(world, admin, player, sign_in(world, player), library, game)


def add_version(arcade: Arcade, name: str, **wanted: Any) -> None:
    task = arcade.world.import_version(arcade.admin, arcade.game, name, **{"launch": "program", **wanted})
    assert task["success"], task


def same(installed: Path, source: Path) -> None:
    """Compare an installation with the library, file by file; links are installed as copies."""

    def content(folder: Path) -> dict[str, bytes]:
        found = {}
        for place, _, names in os.walk(folder, followlinks=True):
            for name in names:
                file = Path(place) / name
                found[str(file.relative_to(folder))] = hashlib.sha256(file.read_bytes()).digest()
        return found

    assert content(installed) == content(source)
