"""Every statement on what is told of games."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from playdock.db.turns import take_turn
from playdock.features.artwork import queries as artwork_queries
from playdock.features.artwork.queries import Shown
from playdock.features.companies import queries as company_queries
from playdock.features.tags import queries as tag_queries
from playdock.metadata.providers import Reference
from playdock.models import Company, Game, Picture, PictureUse, Tag


@dataclass(frozen=True, slots=True)
class Entry:
    """Everything that is told of a game."""

    game: Game
    developers: Sequence[Company]
    publishers: Sequence[Company]
    tags: Sequence[Tag]
    pictures: Sequence[Picture]
    uses: Sequence[PictureUse]

    @property
    def shown(self) -> Shown:
        roles: dict[str, list[str]] = {}
        for use in self.uses:
            roles.setdefault(use.role, []).append(use.picture_id)
        return Shown(roles, [picture.id for picture in self.pictures])


def find_entry(session: Session, game_id: str) -> Entry | None:
    """Give everything that is told of a game."""
    game = session.get(Game, game_id)
    if game is None:
        return None
    return Entry(
        game=game,
        developers=company_queries.of_game(session, game_id, "developer"),
        publishers=company_queries.of_game(session, game_id, "publisher"),
        tags=tag_queries.of_game(session, game_id),
        pictures=artwork_queries.of_game(session, game_id),
        uses=artwork_queries.uses_of_game(session, game_id),
    )


def take_turns(session: Session) -> None:
    """Wait until nobody else adds or changes companies and tags, and let nobody until this transaction ends.

    The turns come before any game is held: whoever changes a company or a tag has its turn and goes on to its games.
    """
    take_turn(session, company_queries.TURN)
    take_turn(session, tag_queries.TURN)


def hold(session: Session, game_id: str) -> Game | None:
    """Find a game whose row nobody else changes until this transaction ends, and take the turns before."""
    take_turns(session)
    return session.scalar(select(Game).where(Game.id == game_id).with_for_update())


def change(session: Session, game_id: str, values: dict[str, Any]) -> None:
    if values:
        session.execute(update(Game).where(Game.id == game_id).values(values))


def refer(session: Session, game_id: str, reference: Reference) -> bool:
    """Say where what is told of a game comes from; False if another game has that metadata."""
    values = {"metadata_source": reference.source_id, "metadata_id": reference.id}
    try:
        with session.begin_nested():
            session.execute(update(Game).where(Game.id == game_id).values(values))
    except IntegrityError:
        return False
    return True
