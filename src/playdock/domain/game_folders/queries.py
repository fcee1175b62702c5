"""All statements on where games and their versions are: in the folder of a game, or beside it.

A version beside its game's folder is a whole folder or archive of the library, which a scan finds as a game with the
one version ``default``.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, exists, select, tuple_
from sqlalchemy.orm import Session

from playdock.content.layouts import DEFAULT_VERSION
from playdock.domain.libraries.schemas import BackendKind
from playdock.models import Game, Library, Version


class GameFolder(NamedTuple):
    """The folder of a game: its library and its path there."""

    game_id: str
    library_id: str
    path: str


class ImportedFolder(NamedTuple):
    """The game that a folder belongs to, and the ids of its imported versions there by their names on disk."""

    game_id: str
    versions: dict[str, str]


def game_folders(session: Session) -> Sequence[GameFolder]:
    """Return the folders of all games, by name, without the versions beside them."""
    statement = select(Game.id, Game.library_id, Game.path).order_by(Game.sort_name, Game.id)
    return [GameFolder(*row) for row in session.execute(statement)]


def games_without_own_versions(session: Session, game_ids: Collection[str] | None = None) -> set[str]:
    """Return which games, or all, have versions, all of them beside their folders, which are not needed then."""
    beside = select(Version.game_id).where(Version.beside).distinct()
    own = exists().where(Version.game_id == Game.id, ~Version.beside)
    games = select(Game.id).where(Game.id.in_(beside), ~own)
    return set(session.scalars(games if game_ids is None else games.where(Game.id.in_(game_ids))))


def folders_beside(session: Session) -> Sequence[GameFolder]:
    """Return the folders of all versions beside the folders of their games."""
    return [
        GameFolder(*row)
        for row in session.execute(
            select(Game.id, Game.library_id, Version.name)
            .join(Version, Version.game_id == Game.id)
            .where(Version.beside)
        )
    ]


def imported_paths(session: Session, library_id: str) -> set[str]:
    """Return the folders of a library that belong to a game."""
    own = session.scalars(select(Game.path).where(Game.library_id == library_id))
    return {*own, *session.scalars(select(Version.name).where(_is_beside(library_id)).join(Game))}


def paths_of_other_layouts(session: Session, library: Library) -> set[str]:
    """Return the folders of a library's games that were imported with another layout than the library has now."""
    return {path for path, layout in layouts(session, library.id).items() if layout not in {None, library.backend}}


def paths_added(session: Session, library_id: str, *, since: datetime) -> set[str]:
    """Return the folders of a library that belong to a game since a moment."""
    own = session.scalars(select(Game.path).where(Game.library_id == library_id, Game.created >= since))
    beside = select(Version.name).where(_is_beside(library_id), Version.created >= since).join(Game)
    return {*own, *session.scalars(beside)}


def imported_versions(session: Session, library_id: str) -> dict[str, ImportedFolder]:
    """Return the folders of a library that belong to a game, by path."""
    found: dict[str, ImportedFolder] = {}
    columns = (Game.path, Game.id, Version.id, Version.name, Version.beside)
    rows = select(*columns).outerjoin(Version, Version.game_id == Game.id).where(Game.library_id == library_id)
    for path, game_id, version_id, name, beside in session.execute(rows):
        versions = found.setdefault(path, ImportedFolder(game_id, {})).versions
        if beside:
            found[name] = ImportedFolder(game_id, {DEFAULT_VERSION: version_id})
        elif name is not None:
            versions[name] = version_id
    return found


def damaged_version_ids(session: Session, library_id: str) -> dict[tuple[str, str], str]:
    """Return the ids of the damaged versions of a library, by the folder of the game and the name there."""
    found = select(Game.path, Version.name, Version.beside, Version.id).join(Version, Version.game_id == Game.id)
    rows = session.execute(found.where(Game.library_id == library_id, Version.damaged.is_not(None)))
    return {
        ((name, DEFAULT_VERSION) if beside else (path, name)): version_id for path, name, beside, version_id in rows
    }


def any_undamaged(session: Session, version_ids: Collection[str], *, before: datetime) -> bool:
    """Return whether one of a few versions was not known to be damaged before a moment."""
    later = Version.damaged.is_(None) | (Version.damaged >= before)
    return session.scalar(select(Version.id).where(Version.id.in_(version_ids), later).limit(1)) is not None


def layouts(session: Session, library_id: str) -> dict[str, str | None]:
    """Return the layouts of the imported folders of a library by path."""
    statement = select(Game.path, Game.layout).where(Game.library_id == library_id)
    own = {row.path: row.layout for row in session.execute(statement)}
    beside = session.scalars(select(Version.name).where(_is_beside(library_id)).join(Game))
    return dict.fromkeys(beside, BackendKind.FLAT_FILESYSTEM.value) | own


def game_of_path(session: Session, library_id: str, path: str) -> str | None:
    """Return the id of the game whose folder it is, and not that of a version beside it."""
    return session.scalar(select(Game.id).where(Game.library_id == library_id, Game.path == path))


def owner_of_path(session: Session, library_id: str, path: str) -> str | None:
    """Return the id of the game that a folder belongs to, as its folder or as a version beside that."""
    beside = select(Version.game_id).where(_is_beside(library_id), Version.name == path).join(Game)
    return game_of_path(session, library_id, path) or session.scalar(beside)


def version_at(session: Session, library_id: str, path: str, version: str) -> str | None:
    """Return the id of the imported version with a name on disk in a folder of a library."""
    here = (Game.library_id == library_id) & (Game.path == path) & (Version.name == version) & ~Version.beside
    beside = _is_beside(library_id) & (Version.name == path)
    condition = here | beside if version == DEFAULT_VERSION else here
    return session.scalar(select(Version.id).join(Game, Game.id == Version.game_id).where(condition))


def games_of_paths(session: Session, places: Collection[tuple[str, str]]) -> dict[tuple[str, str], Game]:
    """Return the games that folders belong to, by library and path."""
    if not places:
        return {}
    own = session.scalars(select(Game).where(tuple_(Game.library_id, Game.path).in_(places)))
    found = {(game.library_id, game.path): game for game in own}
    beside = select(Game, Version.name).join(Version, Version.game_id == Game.id).where(Version.beside)
    rows = session.execute(beside.where(tuple_(Game.library_id, Version.name).in_(places)))
    return {(game.library_id, name): game for game, name in rows} | found


def _is_beside(library_id: str) -> ColumnElement[bool]:
    return Version.beside & (Game.library_id == library_id)
