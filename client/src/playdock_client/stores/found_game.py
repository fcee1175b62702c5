"""A game that a store has installed."""

from enum import StrEnum
from pathlib import Path

import msgspec


class Store(StrEnum):
    """A store, by the name that its ids have in Playdock."""

    STEAM = "Steam"
    GOG = "GOG"
    EPIC = "Epic"


class FoundGame(msgspec.Struct, frozen=True):
    """A game in a folder on this machine; without a store, its name is that of the folder.

    `id` is the game's id in the store: the application of Steam, the product of GOG, the application name of Epic.
    `problem` says why it cannot be uploaded as it is; `needs_store` whether the store says that it checks ownership.
    """

    name: str
    folder: Path
    store: Store | None = None
    id: str = ""
    version: str = ""
    problem: str = ""
    needs_store: bool = False

    @property
    def tagged_name(self) -> str:
        """Return the name with the id as servers recognize it: ``Portal 2 (steam-620)``."""
        return f"{self.name} ({self.store.lower()}-{self.id})" if self.store and self.id else self.name
