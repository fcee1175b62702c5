"""All statements on games and their versions."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import Select, delete, exists, func, select, tuple_, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, load_only

from playdock.content.naming import sort_name
from playdock.db.insertion import insert_or_ignore
from playdock.db.locks import LockLevel, record_lock, record_locked
from playdock.metadata.providers import MANUAL, Reference
from playdock.models import Game, Library, Version


class NewGame(Struct, frozen=True):
    """A game to add: the layout of its folder, its metadata reference, if any, and the import run that adds it."""

    id: str
    library_id: str
    path: str
    name: str
    layout: str | None
    reference: Reference | None = None
    run_id: str | None = None


def add_game(session: Session, new: NewGame, *, at: datetime) -> bool:
    """Add a game, in one statement; False if its folder or metadata belongs to another game."""
    values = {
        "id": new.id,
        "library_id": new.library_id,
        "path": new.path,
        "layout": new.layout,
        "name": new.name,
        "sort_name": sort_name(new.name),
        "metadata_source": new.reference.source_id if new.reference else MANUAL,
        "metadata_id": new.reference.id if new.reference else new.id,
        "run_id": new.run_id,
        "created": at,
    }
    statement = insert_or_ignore(session, Game, values, returning=(Game.id,))
    return session.scalar(statement) is not None


def move_game(session: Session, game_id: str, *, library_id: str, path: str, layout: str | None) -> bool:
    """Change a game's folder, in one statement; False if there is no such game or another game has the folder."""
    values = {"library_id": library_id, "path": path, "layout": layout}
    moved = update(Game).where(Game.id == game_id).values(values).returning(Game.id)
    try:
        with session.begin_nested():
            return session.scalar(moved) is not None
    except IntegrityError:
        return False


def remove_game(session: Session, game_id: str) -> bool:
    """Delete a game with its versions and metadata; the objects of its pictures are kept."""
    return session.scalar(delete(Game).where(Game.id == game_id).returning(Game.id)) is not None


def games_of_run(session: Session, run_id: str) -> Sequence[str]:
    """Return the ids of the games imported by a run, in the order in which games are locked."""
    return session.scalars(select(Game.id).where(Game.run_id == run_id).order_by(Game.id)).all()


def change_game(session: Session, game_id: str, values: dict[str, Any]) -> None:
    if values:
        session.execute(update(Game).where(Game.id == game_id).values(values))


def set_reference(session: Session, game_id: str, reference: Reference) -> bool:
    """Set the provider and id of a game's metadata; False if another game already uses them."""
    values = {"metadata_source": reference.source_id, "metadata_id": reference.id}
    try:
        with session.begin_nested():
            session.execute(update(Game).where(Game.id == game_id).values(values))
    except IntegrityError:
        return False
    return True


def set_updated(session: Session, game_id: str, *, at: datetime) -> None:
    """Set when a game was last updated."""
    session.execute(update(Game).where(Game.id == game_id).values(updated=at))


def find_game(session: Session, game_id: str) -> Game | None:
    return session.get(Game, game_id)


def find_library_of(session: Session, game_id: str) -> tuple[Game, Library] | None:
    """Return a game with its library, or None."""
    statement = select(Game, Library).join(Library, Library.id == Game.library_id).where(Game.id == game_id)
    row = session.execute(statement).first()
    return (row[0], row[1]) if row else None


def games_by_name(session: Session, *, after: Game | None, limit: int) -> Sequence[Game]:
    """Return games in the order of their names, starting after one of them."""
    statement = select(Game).order_by(Game.sort_name, Game.id).limit(limit)
    if after is not None:
        position = tuple_(after.sort_name, after.id, types=(Game.sort_name.type, Game.id.type))
        statement = statement.where(tuple_(Game.sort_name, Game.id) > position)
    return session.scalars(statement).all()


def games_of_ids(session: Session, game_ids: Collection[str]) -> dict[str, Game]:
    """Return games by id; unknown ids are left out."""
    return {game.id: game for game in session.scalars(select(Game).where(Game.id.in_(game_ids)))}


def count_games(session: Session) -> dict[str, int]:
    """Return the number of games of each library by its id; libraries without games are left out."""
    statement = select(Game.library_id, func.count()).group_by(Game.library_id)
    return {row[0]: row[1] for row in session.execute(statement)}


def games_of_library(session: Session, library_id: str) -> Sequence[str]:
    """Return the ids of a library's games."""
    return session.scalars(select(Game.id).where(Game.library_id == library_id).order_by(Game.id)).all()


def change_layout(session: Session, library_id: str, *, before: str, after: str) -> None:
    """Keep the layout of the games of a library that have versions; that of the others becomes ``after``."""
    has_versions = exists().where(Version.game_id == Game.id)
    of_library = update(Game).where(Game.library_id == library_id)
    session.execute(of_library.where(Game.layout.is_(None), has_versions).values(layout=before))
    session.execute(of_library.where(~has_versions).values(layout=after))


def game_of_metadata(session: Session, source_id: str, metadata_id: str) -> str | None:
    statement = select(Game.id).where(Game.metadata_source == source_id, Game.metadata_id == metadata_id)
    return session.scalar(statement)


def lock_game(session: Session, game_id: str) -> bool:
    """Lock a game for this transaction, so that its versions get consecutive positions; False if there is none."""
    record_lock(session, LockLevel.GAME, game_id)
    return session.scalar(select(Game.id).where(Game.id == game_id).with_for_update()) is not None


def keep_game(session: Session, game_id: str) -> bool:
    """Let nobody delete a game until this transaction ends; others may do the same. Return False if there is none."""
    record_lock(session, LockLevel.GAME, game_id)
    statement = select(Game.id).where(Game.id == game_id).with_for_update(read=True, key_share=True)
    return session.scalar(statement) is not None


def lock_games(session: Session, among: Select[str]) -> dict[str, dict[str, str]]:
    """Lock several games for this transaction, in the order of their ids; return their sources by id and field."""
    statement = select(Game.id, Game.sources).where(Game.id.in_(among)).order_by(Game.id)
    sources = {row.id: row.sources for row in session.execute(statement.with_for_update(key_share=True))}
    record_locked(session, LockLevel.GAME, sources)
    return sources


def set_sources(session: Session, sources: Mapping[str, Mapping[str, str]]) -> None:
    """Set the sources of the fields of several games."""
    if sources:
        session.execute(update(Game), [{"id": game_id, "sources": dict(said)} for game_id, said in sources.items()])


def versions_of(session: Session, game_id: str) -> Sequence[Version]:
    """Return the versions of a game, oldest first."""
    return session.scalars(select(Version).where(Version.game_id == game_id).order_by(Version.position)).all()


def names(session: Session) -> dict[str, str]:
    """Return the names of all games by id."""
    return {row.id: row.name for row in session.execute(select(Game.id, Game.name))}


def version_names(session: Session, game_ids: Collection[str]) -> dict[str, set[str]]:
    """Return the names of the imported versions of games by game."""
    names: dict[str, set[str]] = {}
    statement = select(Version.game_id, Version.name).where(Version.game_id.in_(game_ids))
    for game_id, name in session.execute(statement):
        names.setdefault(game_id, set()).add(name)
    return names


def find_version(session: Session, version_id: str) -> Version | None:
    return session.get(Version, version_id)


def with_bases(session: Session, version: Version | None) -> list[Version]:
    """Return a version and the versions it is layered on, base first; an empty list for None."""
    layers: list[Version] = []
    while version is not None:
        layers.append(version)
        version = find_version(session, version.base_id) if version.base_id else None
    return layers[::-1]


def version_of_name(session: Session, game_id: str, name: str) -> str | None:
    return session.scalar(select(Version.id).where(Version.game_id == game_id, Version.name == name))


def arrange(session: Session, game_id: str, version_ids: Sequence[str]) -> None:
    """Set the positions of all versions of a game, oldest first. The caller has locked the game.

    Positions are unique at any moment, so all versions get temporary negative positions first.
    """
    session.execute(
        update(Version).where(Version.game_id == game_id).values(position=-Version.position),
        execution_options={"synchronize_session": False},
    )
    positions = [{"id": version_id, "position": position} for position, version_id in enumerate(version_ids, start=1)]
    if positions:
        session.execute(update(Version), positions)


def change_version(session: Session, version_id: str, values: dict[str, Any]) -> None:
    if values:
        session.execute(update(Version).where(Version.id == version_id).values(values))


def set_verified(session: Session, version: Version, game: Game, *, at: datetime) -> bool:
    """Record that a version was read; return False if since then it was imported again, moved with its game or deleted.

    ``version`` and ``game`` are what was read before.
    """
    unmoved = exists().where(Game.id == game.id, Game.library_id == game.library_id, Game.path == game.path)
    same = (Version.id == version.id, Version.revision == version.revision)
    here = (Version.name == version.name, Version.beside == version.beside)
    unchanged = update(Version).where(*same, *here, unmoved)
    return session.scalar(unchanged.values(verified=at).returning(Version.id)) is not None


def deltas_over(session: Session, version_id: str) -> Sequence[str]:
    """Return the names of the versions layered directly on one, oldest first."""
    statement = select(Version.name).where(Version.base_id == version_id)
    return session.scalars(statement.order_by(Version.position)).all()


def remove_version(session: Session, version_id: str) -> bool:
    """Delete a version with its links, patches and damage; a cleanup deletes its blobs later."""
    return session.scalar(delete(Version).where(Version.id == version_id).returning(Version.id)) is not None


def newest_of_platform(session: Session, game_id: str, platform: str) -> Version | None:
    statement = select(Version).where(Version.game_id == game_id, Version.platform == platform)
    return session.scalar(statement.order_by(Version.position.desc()).limit(1))


def next_position(session: Session, game_id: str) -> int:
    highest = session.scalar(select(func.max(Version.position)).where(Version.game_id == game_id))
    return (highest or 0) + 1


def add_version(session: Session, version: Version) -> None:
    session.add(version)


def add_version_between(session: Session, version: Version, *, older: Sequence[str], newer: Sequence[str]) -> None:
    """Add a version between the others of its game, given by ids, oldest first. The caller has locked the game."""
    version.position = next_position(session, version.game_id)
    session.add(version)
    if newer:
        session.flush()
        arrange(session, version.game_id, [*older, version.id, *newer])
        session.refresh(version)


def existing_record_names(session: Session, names: Collection[str]) -> set[str]:
    """Return which of some names are those of the blobs of a version."""
    # A record name is a version's id, or that with the number of a revision (`Version.record_name`).
    ids = {*names, *(name.rpartition("-")[0] for name in names)}
    only_named = select(Version).options(load_only(Version.id, Version.revision))
    return {version.record_name for version in session.scalars(only_named.where(Version.id.in_(ids)))}
