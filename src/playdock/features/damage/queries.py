"""Every statement on damage."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, exists, func, select, update
from sqlalchemy.orm import Session

from playdock.content.damage import FileFault
from playdock.db.insertion import insert_new
from playdock.models import Damage, Game, Library, Version


@dataclass(frozen=True, slots=True)
class Found:
    """A damaged file with the version and the game it belongs to."""

    game: Game
    version: Version
    damage: Damage


@dataclass(frozen=True, slots=True)
class Lying:
    """A version and where it lies."""

    version: Version
    game: Game
    library: Library


@dataclass(frozen=True, slots=True)
class Seen:
    """As what, and where, a version was read: what its records were called, its library, its game's path there."""

    record_name: str
    library_id: str
    path: str


def is_known(session: Session, version_id: str, path: str) -> bool:
    statement = select(Damage.id).where(Damage.version_id == version_id, Damage.path == path)
    return session.scalar(statement) is not None


def everything(session: Session) -> Sequence[Found]:
    """Give all damaged files by game, version and path."""
    statement = (
        select(Game, Version, Damage)
        .join(Version, Version.game_id == Game.id)
        .join(Damage, Damage.version_id == Version.id)
        .order_by(Game.sort_name, Game.id, Version.position, Damage.path)
    )
    return [Found(*row) for row in session.execute(statement)]


def count_damaged(session: Session) -> int:
    """Give how many versions are damaged."""
    return session.scalar(select(func.count()).select_from(Version).where(Version.damaged.isnot(None))) or 0


def paths_of(session: Session, version_id: str) -> set[str]:
    return set(session.scalars(select(Damage.path).where(Damage.version_id == version_id)))


def add(session: Session, version_id: str, path: str, fault: FileFault, *, seen: Seen | None, at: datetime) -> bool:
    """Add a damaged file; False if it is known, or its version is gone or not what was seen any more."""
    present = select(Version, Game).join(Game, Game.id == Version.game_id).where(Version.id == version_id)
    row = session.execute(present.with_for_update(key_share=True, of=Version)).first()
    if row is None or (seen and seen != Seen(row[0].record_name, row[1].library_id, row[1].path)):
        return False
    if not _insert(session, version_id, path, fault, at=at):
        return False
    _mark(session, version_id)
    return True


def settle(session: Session, lying: Lying, faults: Mapping[str, FileFault], *, since: datetime, at: datetime) -> bool:
    """Write down what was found when a version was read: these faults and no others that were known before it began.

    False if the version was imported again meanwhile, or its game was moved, or it is gone.
    """
    version, game = lying.version, lying.game
    unmoved = exists().where(Game.id == game.id, Game.library_id == game.library_id, Game.path == game.path)
    unchanged = update(Version).where(Version.id == version.id, Version.revision == version.revision, unmoved)
    if session.scalar(unchanged.values(verified=at).returning(Version.id)) is None:
        return False
    known = session.scalars(select(Damage).where(Damage.version_id == version.id, Damage.found < since)).all()
    gone = [each.id for each in known if faults.get(each.path) != each.fault]
    session.execute(delete(Damage).where(Damage.id.in_(gone)))
    for path, fault in faults.items():
        _insert(session, version.id, path, fault, at=at)
    _mark(session, version.id)
    return True


def forget(session: Session, version_id: str) -> None:
    """Take back that a version is damaged."""
    session.execute(delete(Damage).where(Damage.version_id == version_id))
    _mark(session, version_id)


def unverified(session: Session, *, since: datetime) -> Sequence[Version]:
    """Give the versions that have not been verified since a moment, those first that have not been for longest."""
    statement = select(Version).where(Version.verified.is_(None) | (Version.verified < since))
    return session.scalars(statement.order_by(Version.verified.asc().nulls_first(), Version.id)).all()


def verified_size(session: Session, *, since: datetime) -> int:
    """Give the bytes of the versions that have been verified since a moment."""
    # PostgreSQL's sums of large numbers are decimals.
    return int(session.scalar(select(func.sum(Version.size)).where(Version.verified >= since)) or 0)


def find_lying(session: Session, version_id: str) -> Lying | None:
    """Find a version with its game and library."""
    statement = (
        select(Version, Game, Library)
        .join(Game, Game.id == Version.game_id)
        .join(Library, Library.id == Game.library_id)
        .where(Version.id == version_id)
    )
    row = session.execute(statement).first()
    return Lying(*row) if row else None


def _insert(session: Session, version_id: str, path: str, fault: FileFault, *, at: datetime) -> bool:
    values = {"version_id": version_id, "path": path, "fault": fault.value, "found": at}
    return session.scalar(insert_new(session, Damage, values, returning=(Damage.id,))) is not None


def _mark(session: Session, version_id: str) -> None:
    """Say of a version when damage was last found, or that it has none."""
    last = select(func.max(Damage.found)).where(Damage.version_id == version_id).scalar_subquery()
    session.execute(
        update(Version).where(Version.id == version_id).values(damaged=last),
        execution_options={"synchronize_session": False},
    )
