"""Applying an administrator's change of an attribute to the games that have it."""

from collections.abc import Mapping

from sqlalchemy.orm import Session

from playdock.domain.games import queries as game_queries
from playdock.domain.search import queries as search_queries
from playdock.kit.errors import FieldError, InvalidInput
from playdock.kit.messages import Message


def save_sources(session: Session, sources: Mapping[str, Mapping[str, str]]) -> None:
    """Save the sources of locked games (by game id, then field), and index these games again."""
    game_queries.set_sources(session, sources)
    reindex(session, sources)


def reindex(session: Session, games: Mapping[str, object]) -> None:
    """Index games again, in the order of their ids, in which other transactions lock them too."""
    search_queries.reindex(session, sorted(games))


def reject_self_merge(row_id: str, *, into: str, error: Message) -> None:
    """Raise InvalidInput if an attribute would be merged into itself."""
    if row_id == into:
        raise InvalidInput([FieldError("into", error)])
