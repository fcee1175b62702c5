"""All statements of the reports."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import NamedTuple

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from playdock.db.insertion import insert_or_ignore
from playdock.domain.games import queries as game_queries
from playdock.features.reports.rules import DiskRecord, LastEnds
from playdock.kit.messages import Message
from playdock.metadata.game_metadata import Role
from playdock.models import DiskDay, Game, Picture, PictureUse, PlanRow, Task, Version


class StoredGame(NamedTuple):
    """The size in bytes of a game's versions in its library, and the color of its cover, None without one."""

    library_id: str
    id: str
    name: str
    size: int
    versions: int
    color: str | None


class LibraryTotal(NamedTuple):
    """The number of games and versions of a library, and the size of these in bytes."""

    games: int = 0
    versions: int = 0
    size: int = 0


class Unanswered(NamedTuple):
    """The number of folders about which a provider could not be asked, and why, which is None without such folders."""

    folders: int
    reason: Message | None


def unanswered(session: Session) -> Unanswered:
    """Return the folders of the import plan about which a provider could not be asked."""
    waiting = PlanRow.remark != ""
    count = session.scalar(select(func.count()).select_from(PlanRow).where(waiting)) or 0
    latest = select(PlanRow.remark, PlanRow.remark_code, PlanRow.remark_parameters).where(waiting)
    row = session.execute(latest.order_by(PlanRow.computed.desc(), PlanRow.id).limit(1)).first() if count else None
    return Unanswered(count, Message.worded(row.remark_code or "", row.remark, row.remark_parameters) if row else None)


def library_totals(session: Session) -> dict[str, LibraryTotal]:
    """Return the totals of each library by its id; libraries without games are left out."""
    versions = select(Game.library_id, func.count(), func.sum(Version.size)).join(Version, Version.game_id == Game.id)
    # PostgreSQL returns sums of bigint as decimals.
    stored = {row[0]: (row[1], int(row[2])) for row in session.execute(versions.group_by(Game.library_id))}
    games = game_queries.count_games(session)
    return {library: LibraryTotal(count, *stored.get(library, (0, 0))) for library, count in games.items()}


def largest_games(session: Session, *, most: int) -> Sequence[StoredGame]:
    """Return the largest games that have versions, largest first."""
    counted = select(Version.game_id, func.sum(Version.size).label("size"), func.count().label("versions"))
    of_game = counted.group_by(Version.game_id).subquery()
    largest = select(of_game).order_by(of_game.c.size.desc(), of_game.c.game_id).limit(most).subquery()
    is_cover = (PictureUse.game_id == Game.id) & (PictureUse.role == Role.COVER) & (PictureUse.position == 0)
    statement = (
        select(Game.library_id, Game.id, Game.name, largest.c.size, largest.c.versions, Picture.colour)
        .join(largest, largest.c.game_id == Game.id)
        .outerjoin(PictureUse, is_cover)
        .outerjoin(Picture, Picture.id == PictureUse.picture_id)
        .order_by(largest.c.size.desc(), Game.sort_name, Game.id)
    )
    rows = session.execute(statement)
    return [StoredGame(library, game, name, int(total), *others) for library, game, name, total, *others in rows]


def last_ends(session: Session, task_type: str) -> LastEnds:
    """Return when the last tasks of a type ended, whose subject is their type; canceled ones do not count."""
    # The subject has an index.
    of_type = (Task.subject == task_type) & (Task.task_type == task_type)
    newest = select(Task).where(of_type, Task.ended.is_not(None)).order_by(Task.ended.desc()).limit(1)
    succeeded = session.scalar(newest.where(Task.success))
    failed = session.scalar(newest.where(~Task.success, ~Task.cancelled))
    retried = session.scalar(select(func.max(Task.retries)).where(of_type, Task.ended.is_(None))) or 0
    return LastEnds(
        succeeded=succeeded.ended if succeeded else None,
        failed=failed.ended if failed else None,
        reason=_reason_of(failed) if failed else "",
        retries=retried,
    )


def _reason_of(task: Task) -> str:
    return Message.worded(task.error_code or "", task.error_detail or "", task.error_parameters)


def count_failed(session: Session, *, since: datetime) -> int:
    """Count the tasks that failed since a moment; canceled tasks do not count."""
    failed = Task.success.is_(False) & Task.cancelled.is_(False)
    return session.scalars(select(func.count()).where(Task.ended >= since, failed)).one()


def add_disk_days(session: Session, free: Mapping[str, int], *, day: date) -> None:
    """Record the free bytes of disks on a day, unless they are recorded already."""
    for disk, count in sorted(free.items()):
        session.execute(insert_or_ignore(session, DiskDay, {"day": day, "disk": disk, "free": count}))


def disk_days(session: Session, *, since: date) -> dict[str, list[DiskRecord]]:
    """Return the records of each disk, oldest first."""
    found: dict[str, list[DiskRecord]] = {}
    for row in session.scalars(select(DiskDay).where(DiskDay.day >= since).order_by(DiskDay.day)):
        found.setdefault(row.disk, []).append(DiskRecord(row.day, row.free))
    return found


def delete_disk_days(session: Session, *, before: date) -> None:
    session.execute(delete(DiskDay).where(DiskDay.day < before))
