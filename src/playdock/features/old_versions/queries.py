"""The statements on old versions."""

from collections.abc import Collection, Iterator
from itertools import groupby

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from playdock.models import Game, Version


def games_with_more(
    session: Session, library_ids: Collection[str], *, keep: int
) -> Iterator[tuple[Game, list[Version]]]:
    """Yield the games with more versions of a platform than are kept, by name, and their versions, oldest first."""
    counted = select(Version.game_id).group_by(Version.game_id, Version.platform).having(func.count() > keep)
    statement = (
        select(Game, Version)
        .join(Version, Version.game_id == Game.id)
        .where(Game.library_id.in_(library_ids), Game.id.in_(counted))
        .order_by(Game.sort_name, Game.id, Version.position)
    )
    for game, rows in groupby(session.execute(statement), key=lambda row: row[0]):
        yield game, [version for _, version in rows]
