"""Every statement on games and their versions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Select, delete, func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, load_only

from playdock.content.naming import sort_name
from playdock.db.insertion import insert_new
from playdock.metadata.providers import MANUAL, Reference
from playdock.models import Game, Library, Version


@dataclass(frozen=True, slots=True)
class NewGame:
    """A game that is about to be: its reference at a provider if it has one, and the run of a plan that imports it."""

    id: str
    library_id: str
    path: str
    name: str
    reference: Reference | None = None
    run_id: str | None = None


def add_game(session: Session, new: NewGame, *, at: datetime) -> bool:
    """Add a game, in one statement; False if its folder or its metadata is that of another game."""
    values = {
        "id": new.id,
        "library_id": new.library_id,
        "path": new.path,
        "name": new.name,
        "sort_name": sort_name(new.name),
        "metadata_source": new.reference.source_id if new.reference else MANUAL,
        "metadata_id": new.reference.id if new.reference else new.id,
        "run_id": new.run_id,
        "created": at,
    }
    statement = insert_new(session, Game, values, returning=(Game.id,))
    return session.scalar(statement) is not None


def move_game(session: Session, game_id: str, *, library_id: str, path: str) -> bool:
    """Say that a game lies elsewhere, in one statement; False if there is no such game or another one lies there."""
    moved = update(Game).where(Game.id == game_id).values(library_id=library_id, path=path).returning(Game.id)
    try:
        with session.begin_nested():
            return session.scalar(moved) is not None
    except IntegrityError:
        return False


def remove_game(session: Session, game_id: str) -> bool:
    """Delete a game with its versions and all that is told of it; the objects of its pictures are left."""
    return session.scalar(delete(Game).where(Game.id == game_id).returning(Game.id)) is not None


def games_of_run(session: Session, run_id: str) -> Sequence[str]:
    """Give the ids of the games that a run imported."""
    return session.scalars(select(Game.id).where(Game.run_id == run_id)).all()


def touch(session: Session, game_id: str, *, at: datetime) -> None:
    """Say that a game's newest version came now."""
    session.execute(update(Game).where(Game.id == game_id).values(updated=at))


def find_game(session: Session, game_id: str) -> Game | None:
    return session.get(Game, game_id)


def find_library_of(session: Session, game_id: str) -> tuple[Game, Library] | None:
    """Give a game with its library."""
    statement = select(Game, Library).join(Library, Library.id == Game.library_id).where(Game.id == game_id)
    row = session.execute(statement).first()
    return (row[0], row[1]) if row else None


def games_by_name(session: Session) -> Sequence[Game]:
    return session.scalars(select(Game).order_by(Game.name, Game.id)).all()


def imported_paths(session: Session, library_id: str) -> set[str]:
    return set(session.scalars(select(Game.path).where(Game.library_id == library_id)))


def game_of_path(session: Session, library_id: str, path: str) -> str | None:
    return session.scalar(select(Game.id).where(Game.library_id == library_id, Game.path == path))


def game_of_metadata(session: Session, source_id: str, metadata_id: str) -> str | None:
    statement = select(Game.id).where(Game.metadata_source == source_id, Game.metadata_id == metadata_id)
    return session.scalar(statement)


def hold_game(session: Session, game_id: str) -> bool:
    """Keep a game's row for this transaction, so that its versions get their positions one after the other."""
    return session.scalar(select(Game.id).where(Game.id == game_id).with_for_update()) is not None


def hold_games(session: Session, among: Select[str]) -> dict[str, dict[str, str]]:
    """Keep the rows of several games for this transaction, in the order of their ids; give their sources by id."""
    held = select(Game.id, Game.sources).where(Game.id.in_(among)).order_by(Game.id)
    return {row.id: row.sources for row in session.execute(held.with_for_update(key_share=True))}


def set_sources(session: Session, sources: Mapping[str, Mapping[str, str]]) -> None:
    """Say of some games who said what stands in their fields."""
    if sources:
        session.execute(update(Game), [{"id": game_id, "sources": dict(said)} for game_id, said in sources.items()])


def versions_of(session: Session, game_id: str) -> Sequence[Version]:
    """Give the versions of a game, oldest first."""
    return session.scalars(select(Version).where(Version.game_id == game_id).order_by(Version.position)).all()


def version_names(session: Session) -> dict[str, set[str]]:
    """Give the names of all imported versions by game."""
    names: dict[str, set[str]] = {}
    for game_id, name in session.execute(select(Version.game_id, Version.name)):
        names.setdefault(game_id, set()).add(name)
    return names


def find_version(session: Session, version_id: str) -> Version | None:
    return session.get(Version, version_id)


def with_bases(session: Session, version: Version | None) -> list[Version]:
    """Give a version and those it is layered over, base first; nothing for none."""
    layers: list[Version] = []
    while version is not None:
        layers.append(version)
        version = find_version(session, version.base_id) if version.base_id else None
    return layers[::-1]


def version_of_name(session: Session, game_id: str, name: str) -> str | None:
    return session.scalar(select(Version.id).where(Version.game_id == game_id, Version.name == name))


def arrange(session: Session, game_id: str, version_ids: Sequence[str]) -> None:
    """Order all versions of a game, oldest first; whoever calls this holds the game.

    No two may have one position even for a moment, so all of them make way first.
    """
    session.execute(
        update(Version).where(Version.game_id == game_id).values(position=-Version.position),
        execution_options={"synchronize_session": False},
    )
    places = [{"id": version_id, "position": place} for place, version_id in enumerate(version_ids, start=1)]
    if places:
        session.execute(update(Version), places)


def change_version(session: Session, version_id: str, values: dict[str, Any]) -> None:
    if values:
        session.execute(update(Version).where(Version.id == version_id).values(values))


def deltas_over(session: Session, version_id: str) -> Sequence[str]:
    """Give the names of the versions that are layered right over one, oldest first."""
    statement = select(Version.name).where(Version.base_id == version_id)
    return session.scalars(statement.order_by(Version.position)).all()


def remove_version(session: Session, version_id: str) -> bool:
    """Delete a version with its links, patches and damage; what is stored of them is left to be swept."""
    return session.scalar(delete(Version).where(Version.id == version_id).returning(Version.id)) is not None


def newest_of_platform(session: Session, game_id: str, platform: str) -> Version | None:
    statement = select(Version).where(Version.game_id == game_id, Version.platform == platform)
    return session.scalar(statement.order_by(Version.position.desc()).limit(1))


def next_position(session: Session, game_id: str) -> int:
    highest = session.scalar(select(func.max(Version.position)).where(Version.game_id == game_id))
    return (highest or 0) + 1


def add_version(session: Session, version: Version) -> None:
    session.add(version)


def record_names(session: Session) -> set[str]:
    """Give what the blobs of all versions are called."""
    only_named = select(Version).options(load_only(Version.id, Version.revision))
    return {version.record_name for version in session.scalars(only_named)}
