"""All statements on the metadata of games."""

from collections.abc import Sequence

from msgspec import Struct
from sqlalchemy import select
from sqlalchemy.orm import Session

from playdock.db.locks import LockLevel, advisory_lock, record_lock
from playdock.domain.artwork import queries as artwork_queries
from playdock.domain.artwork.queries import CardImages
from playdock.domain.companies import queries as company_queries
from playdock.domain.tags import queries as tag_queries
from playdock.models import Company, Game, Picture, PictureUse, Tag


class GameRecord(Struct, frozen=True):
    """A game with all its metadata."""

    game: Game
    developers: Sequence[Company]
    publishers: Sequence[Company]
    tags: Sequence[Tag]
    pictures: Sequence[Picture]
    uses: Sequence[PictureUse]

    @property
    def shown(self) -> CardImages:
        roles: dict[str, list[str]] = {}
        for use in self.uses:
            roles.setdefault(use.role, []).append(use.picture_id)
        return CardImages(roles, [picture.id for picture in self.pictures])


def find_entry(session: Session, game_id: str) -> GameRecord | None:
    """Return a game with all its metadata, or None."""
    game = session.get(Game, game_id)
    if game is None:
        return None
    return GameRecord(
        game=game,
        developers=company_queries.of_game(session, game_id, "developer"),
        publishers=company_queries.of_game(session, game_id, "publisher"),
        tags=tag_queries.of_game(session, game_id),
        pictures=artwork_queries.of_game(session, game_id),
        uses=artwork_queries.uses_of_game(session, game_id),
    )


def lock_names(session: Session) -> None:
    """Take the advisory locks of companies and tags until this transaction ends.

    They are taken before any game is locked, because changing a company or a tag locks its games last.
    """
    advisory_lock(session, company_queries.LOCK)
    advisory_lock(session, tag_queries.LOCK)


def lock(session: Session, game_id: str) -> Game | None:
    """Lock and return a game, after taking the advisory locks; None if there is no such game."""
    lock_names(session)
    record_lock(session, LockLevel.GAME, game_id)
    return session.scalar(select(Game).where(Game.id == game_id).with_for_update())
