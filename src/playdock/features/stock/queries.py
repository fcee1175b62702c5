"""Statements on what is fetched."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from playdock.models import Game, Library, Version


@dataclass(frozen=True, slots=True)
class Layered:
    """A version with its game and where that lies."""

    version: Version
    game: Game
    library: Library


def layers_of(session: Session, version_id: str) -> list[Layered]:
    """Give a version and its bases, base first; nothing if there is no such version."""
    found: list[Layered] = []
    wanted: Any = version_id
    while wanted is not None:
        statement = (
            select(Version, Game, Library)
            .join(Game, Game.id == Version.game_id)
            .join(Library, Library.id == Game.library_id)
            .where(Version.id == wanted)
        )
        row = session.execute(statement).first()
        if row is None:
            break
        found.append(Layered(row[0], row[1], row[2]))
        wanted = row[0].base_id
    return found[::-1]
