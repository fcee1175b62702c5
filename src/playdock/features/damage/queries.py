"""All statements on damage."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import ColumnElement, Select, delete, false, func, select, tuple_
from sqlalchemy.orm import Session

from playdock.content.damage import FileProblem
from playdock.db.insertion import insert_or_ignore
from playdock.db.locks import LockLevel, record_lock
from playdock.domain.events import queries as event_queries
from playdock.domain.games import queries as game_queries
from playdock.domain.library_files import queries as file_queries
from playdock.features.damage import rules
from playdock.features.damage.rules import WHOLE_VERSION
from playdock.models import Damage, Game, Library, Version


class DamagedFileRow(Struct, frozen=True):
    """A damaged file with its version and game."""

    game: Game
    version: Version
    damage: Damage


class VersionOnDisk(Struct, frozen=True):
    """A version with its game and library, which determine its location on disk."""

    version: Version
    game: Game
    library: Library


class UnverifiedVersion(Struct, frozen=True):
    """A version to verify: its size in bytes, and when it was last verified, None if never."""

    id: str
    size: int
    verified: datetime | None


class VerifiedLocation(Struct, frozen=True):
    """What was read and where: the name of the version's records, its library and its game's path in it."""

    record_name: str
    library_id: str
    path: str


def is_known(session: Session, version_id: str, path: str) -> bool:
    statement = select(Damage.id).where(Damage.version_id == version_id, Damage.path == path)
    return session.scalar(statement) is not None


def list_all(session: Session) -> Sequence[DamagedFileRow]:
    """Return all damaged files by game, version and path."""
    statement = (
        select(Game, Version, Damage)
        .join(Version, Version.game_id == Game.id)
        .join(Damage, Damage.version_id == Version.id)
        .order_by(Game.sort_name, Game.id, Version.position, Damage.path)
    )
    return [DamagedFileRow(*row) for row in session.execute(statement)]


def count_damaged(session: Session) -> int:
    """Count the damaged versions."""
    return session.scalar(select(func.count()).select_from(Version).where(Version.damaged.isnot(None))) or 0


def paths_of(session: Session, version_id: str) -> set[str]:
    return set(session.scalars(select(Damage.path).where(Damage.version_id == version_id)))


def add(
    session: Session, version_id: str, path: str, fault: FileProblem, *, seen: VerifiedLocation | None, at: datetime
) -> bool:
    """Add a damaged file; False if it is known, or its version was deleted, re-imported or moved since, or is now."""
    present = select(Version, Game).join(Game, Game.id == Version.game_id).where(Version.id == version_id)
    record_lock(session, LockLevel.VERSION, version_id)
    row = session.execute(present.with_for_update(key_share=True, of=Version)).first()
    if (
        row is None
        or file_queries.change_of_game(session, row[1].id)
        or (seen and seen != VerifiedLocation(row[0].record_name, row[1].library_id, row[1].path))
    ):
        return False
    # Of a version that is missing as a whole, a file that is missing says nothing new.
    if fault is FileProblem.MISSING and _is_missing(session, version_id):
        return False
    if not _insert(session, version_id, path, fault, at=at):
        return False
    _mark(session, version_id)
    return True


def _is_missing(session: Session, version_id: str) -> bool:
    whole = select(Damage.id).where(Damage.version_id == version_id, Damage.path == WHOLE_VERSION)
    return session.scalar(whole.where(Damage.fault == FileProblem.MISSING.value)) is not None


def settle(
    session: Session, on_disk: VersionOnDisk, faults: Mapping[str, FileProblem], *, since: datetime, at: datetime
) -> bool:
    """Save the result of verifying a version: the damage found replaces damage recorded before ``since``.

    Return False if the version was deleted, re-imported or moved in the meantime.
    """
    version, game = on_disk.version, on_disk.game
    is_changing = file_queries.change_of_game(session, game.id) is not None
    if is_changing or not game_queries.set_verified(session, version, game, at=at):
        return False
    known = session.scalars(select(Damage).where(Damage.version_id == version.id, Damage.found < since)).all()
    repaired = [each.id for each in known if faults.get(each.path) != each.fault]
    session.execute(delete(Damage).where(Damage.id.in_(repaired)))
    for path, fault in faults.items():
        _insert(session, version.id, path, fault, at=at)
    _mark(session, version.id)
    _end_problems(session, version.id)
    return True


def delete_of_version(session: Session, version_id: str) -> None:
    """Delete the recorded damage of a version."""
    session.execute(delete(Damage).where(Damage.version_id == version_id))
    _mark(session, version_id)
    _end_problems(session, version_id)


def unverified(
    session: Session, *, since: datetime, after: UnverifiedVersion | None, limit: int
) -> Sequence[UnverifiedVersion]:
    """Return versions not verified since a moment, least recently verified first, starting after one of them."""
    never: ColumnElement[bool] = Version.verified.is_(None)
    earlier: ColumnElement[bool] = Version.verified < since
    if after is not None and after.verified is None:
        never &= Version.id > after.id
    if after is not None and after.verified is not None:
        never, position = false(), tuple_(after.verified, after.id, types=(Version.verified.type, Version.id.type))
        earlier &= tuple_(Version.verified, Version.id) > position
    statement = select(Version.id, Version.size, Version.verified)
    found: list[UnverifiedVersion] = []
    for condition in (never, earlier):
        rows = statement.where(condition).order_by(Version.verified, Version.id).limit(limit - len(found))
        found += [UnverifiedVersion(*row) for row in session.execute(rows)]
    return found


def size_verified(session: Session, *, since: datetime) -> int:
    """Return the total size in bytes of the versions verified since a moment."""
    return _sum(session, select(func.sum(Version.size)).where(Version.verified >= since))


def size_of_all(session: Session) -> int:
    """Return the total size in bytes of all versions."""
    return _sum(session, select(func.sum(Version.size)))


def _sum(session: Session, statement: Select[Any]) -> int:
    # PostgreSQL returns sums of bigint as decimals.
    return int(session.scalar(statement) or 0)


def find_on_disk(session: Session, version_id: str) -> VersionOnDisk | None:
    """Return a version with its game and library, or None."""
    statement = (
        select(Version, Game, Library)
        .join(Game, Game.id == Version.game_id)
        .join(Library, Library.id == Game.library_id)
        .where(Version.id == version_id)
    )
    row = session.execute(statement).first()
    return VersionOnDisk(*row) if row else None


def missing_versions(session: Session, *, most: int) -> Sequence[VersionOnDisk]:
    """Return versions that were missing as a whole when they were verified, the latest first."""
    statement = (
        select(Version, Game, Library)
        .join(Game, Game.id == Version.game_id)
        .join(Library, Library.id == Game.library_id)
        .join(Damage, Damage.version_id == Version.id)
        .where(Damage.path == WHOLE_VERSION, Damage.fault == FileProblem.MISSING.value)
        .order_by(Damage.found.desc(), Version.id)
        .limit(most)
    )
    return [VersionOnDisk(*row) for row in session.execute(statement)]


def _insert(session: Session, version_id: str, path: str, fault: FileProblem, *, at: datetime) -> bool:
    values = {"version_id": version_id, "path": path, "fault": fault.value, "found": at}
    return session.scalar(insert_or_ignore(session, Damage, values, returning=(Damage.id,))) is not None


def _end_problems(session: Session, version_id: str) -> None:
    """Let administrators be told again of problems that a version does not have any more."""
    rows = session.execute(select(Damage.path, Damage.fault).where(Damage.version_id == version_id))
    present = rules.problems_of({row.path: FileProblem(row.fault) for row in rows})
    for event_type in event_queries.PROBLEMS:
        if event_type not in present:
            event_queries.end_problem(session, event_type, version_id)


def _mark(session: Session, version_id: str) -> None:
    """Update when damage to a version was last found, None if there is no damage. Files that were added are none."""
    is_damaged = (Damage.version_id == version_id) & (Damage.fault != FileProblem.ADDED.value)
    last = select(func.max(Damage.found)).where(is_damaged).scalar_subquery()
    game_queries.change_version(session, version_id, {"damaged": last})
