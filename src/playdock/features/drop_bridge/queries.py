"""All statements on downloads by Drop's clients, and those that read games with all their images."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from playdock.models import DropContext, Game, Picture, PictureUse, Version

# Stays below SQLite's limit of bound parameters per statement.
_BATCH_GAMES = 1000
Pictures = Mapping[str, Sequence[Picture]]


def games(session: Session, game_ids: Sequence[str]) -> dict[str, tuple[Game, Pictures]]:
    """Return games by id, each with its images by role."""
    found: dict[str, tuple[Game, Pictures]] = {}
    for start in range(0, len(game_ids), _BATCH_GAMES):
        batch = game_ids[start : start + _BATCH_GAMES]
        pictures: defaultdict[str, defaultdict[str, list[Picture]]] = defaultdict(lambda: defaultdict(list))
        uses = select(PictureUse.game_id, PictureUse.role, Picture).join(Picture, Picture.id == PictureUse.picture_id)
        for game_id, role, picture in session.execute(
            uses.where(PictureUse.game_id.in_(batch)).order_by(PictureUse.position)
        ):
            pictures[game_id][role].append(picture)
        for game in session.scalars(select(Game).where(Game.id.in_(batch))):
            found[game.id] = (game, pictures[game.id])
    return found


def find_version(session: Session, game_id: str, name_or_id: str) -> Version | None:
    """Return the version of a game with an id or a name."""
    is_meant = (Version.id == name_or_id) | (Version.name == name_or_id)
    return session.scalars(select(Version).where(Version.game_id == game_id, is_meant)).first()


def all_versions(session: Session) -> dict[str, list[str]]:
    """Return the ids of all versions by the ids of their games."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for row in session.execute(select(Version.game_id, Version.id).order_by(Version.game_id, Version.position)):
        found[row.game_id].append(row.id)
    return found


def add_context(session: Session, context: DropContext) -> None:
    session.add(context)


def find_context(session: Session, context_id: str, *, device_id: str, used_after: datetime) -> DropContext | None:
    is_own = (DropContext.id == context_id) & (DropContext.device_id == device_id)
    return session.scalar(select(DropContext).where(is_own, DropContext.used > used_after))


def note_use(session: Session, context_id: str, *, at: datetime) -> None:
    session.execute(update(DropContext).where(DropContext.id == context_id).values(used=at))


def delete_unused_contexts(session: Session, *, before: datetime) -> None:
    session.execute(delete(DropContext).where(DropContext.used <= before))
