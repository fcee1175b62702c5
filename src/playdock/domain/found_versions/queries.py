"""All statements on found versions."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from msgspec import Struct
from sqlalchemy import Row, delete, exists, func, insert, select, update
from sqlalchemy.orm import Session

from playdock import stored
from playdock.content.archive_names import is_installer, unpacked_name
from playdock.content.layouts import DEFAULT_VERSION
from playdock.kit.identifiers import new_id
from playdock.kit.messages import Message
from playdock.models import FoundVersion, Game, Library, Task, TrashItem, Upload, Version
from playdock.stored_events import StoredMessage, stored_message

# Bounds the parameters of a statement.
_ROWS_AT_ONCE = 500


# How long the files of a version must be unchanged before people can import it.
OFFERED_AFTER = timedelta(seconds=4)
# Two looks at the same files, this far apart, must agree, in case the clock of a file server is slow.
MIN_DISTANCE = timedelta(seconds=2)


class Place(NamedTuple):
    """Where a version is in its library: the folder of its game, and its name."""

    path: str
    version: str


class Look(Struct, frozen=True):
    """What a scan found out about a version: see `FoundVersion`. The fingerprint is empty if it could not be read."""

    fingerprint: str
    seen: datetime
    changed: datetime
    due: datetime | None

    @property
    def offered_at(self) -> datetime:
        """When a person can decide about the version, if it does not change until then."""
        return max(self.changed + OFFERED_AFTER, self.seen + MIN_DISTANCE)

    @property
    def is_offered(self) -> bool:
        """Whether a person can decide about it. Rules wait longer, because nobody sees what they do."""
        return self.due is None or (bool(self.fingerprint) and self.due > self.offered_at)


class KnownVersion(NamedTuple):
    """A row, without what only decisions need."""

    id: str
    look: Look
    undone: bool
    checked: datetime | None
    decided: datetime | None
    is_tried: bool
    """Whether it was left out, or its import by the rules has failed."""


class WhyNotImported(NamedTuple):
    """When the files of a version have changed, and why it is not imported together with others, if that is known."""

    changed: datetime
    reason: StoredMessage | None


def of_library(session: Session, library_id: str) -> dict[Place, KnownVersion]:
    """Return what is known of a library."""
    found = FoundVersion
    columns = (found.id, found.path, found.version, found.fingerprint, found.seen, found.changed, found.due)
    has_failed = exists().where(Task.id == found.task_id, Task.ended.is_not(None), Task.success.is_(False))
    is_tried = ((found.left_out.is_not(None) | has_failed) & found.undone.is_(None)).label("is_tried")
    others = (found.undone, found.checked, found.decided, is_tried)
    rows = session.execute(select(*columns, *others).where(found.library_id == library_id))
    return {
        Place(path, version): KnownVersion(
            row_id, Look(fingerprint, seen, changed, due), undone is not None, checked, decided, is_tried
        )
        for row_id, path, version, fingerprint, seen, changed, due, undone, checked, decided, is_tried in rows
    }


def placed(session: Session, library_id: str) -> dict[Place, datetime]:
    """Return what the service has put into a library, uploaded or unpacked, and when that was complete."""
    latest: dict[Place, datetime] = {}
    for place, at in (*_uploaded(session, library_id), *_unpacked(session, library_id)):
        latest[place] = max(at, latest.get(place, at))
    return latest


def _uploaded(session: Session, library_id: str) -> Iterator[tuple[Place, datetime]]:
    rows = session.execute(
        select(Upload.game, Upload.version, Upload.placed).where(
            Upload.library_id == library_id, Upload.placed.is_not(None)
        )
    )
    return ((Place(game, version or DEFAULT_VERSION), placed) for game, version, placed in rows if placed)


def _unpacked(session: Session, library_id: str) -> Iterator[tuple[Place, datetime]]:
    # The archives are in the trash, as items of versions that were never imported.
    is_packed = TrashItem.version_id.is_(None) & TrashItem.version_name.is_not(None)
    rows = session.execute(
        select(TrashItem.paths, TrashItem.deleted).where(TrashItem.library_id == library_id, is_packed)
    )
    return ((place, deleted) for paths, deleted in rows for path in paths for place in _unpacked_places(path))


def _unpacked_places(archive: str) -> tuple[Place, ...]:
    """Return the version that an archive or installer has become, or the folder that an installer was alone in."""
    folder, _, name = archive.rpartition("/")
    if not folder:
        return (Place(unpacked_name(name), DEFAULT_VERSION),)
    unpacked, (game, _, version) = Place(folder, unpacked_name(name)), folder.partition("/")
    return (unpacked, Place(game, version or DEFAULT_VERSION)) if is_installer(name) else (unpacked,)


def add(session: Session, library_id: str, looks: Iterable[tuple[Place, Look]], *, decided: datetime | None) -> None:
    """Add versions; what is imported already is decided."""
    rows = [
        {
            "id": new_id(),
            "library_id": library_id,
            "path": place.path,
            "version": place.version,
            "fingerprint": look.fingerprint,
            "seen": look.seen,
            "changed": look.changed,
            "due": look.due,
            "decided": decided,
        }
        for place, look in looks
    ]
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        session.execute(insert(FoundVersion), rows[start : start + _ROWS_AT_ONCE])


def set_looks(session: Session, looks: Iterable[tuple[str, Look]]) -> None:
    """Set what was found out about versions, by id."""
    rows = [
        {"id": row_id, "fingerprint": look.fingerprint, "seen": look.seen, "changed": look.changed, "due": look.due}
        for row_id, look in looks
    ]
    if rows:
        session.execute(update(FoundVersion), rows)


def set_checked(session: Session, looks: Collection[tuple[str, Look]], *, at: datetime) -> None:
    """Record what was found out about imported versions, by id, and when."""
    set_looks(session, looks)
    session.execute(update(FoundVersion).where(FoundVersion.id.in_([row_id for row_id, _ in looks])).values(checked=at))


def remove(session: Session, row_ids: Sequence[str]) -> None:
    for start in range(0, len(row_ids), _ROWS_AT_ONCE):
        batch = row_ids[start : start + _ROWS_AT_ONCE]
        session.execute(delete(FoundVersion).where(FoundVersion.id.in_(batch)))


def changing(session: Session, library_id: str, *, at: datetime) -> set[Place]:
    """Return the versions with files that have changed so recently that they may still be copied."""
    found = FoundVersion
    unsettled = (found.library_id == library_id) & (found.due > at)
    columns = (found.path, found.version, found.fingerprint, found.seen, found.changed, found.due)
    return {
        Place(path, version)
        for path, version, fingerprint, seen, changed, due in session.execute(select(*columns).where(unsettled))
        if not Look(fingerprint, seen, changed, due).is_offered
    }


def undecided(session: Session, library_id: str) -> Sequence[FoundVersion]:
    """Return the versions of a library that rules have to be applied to: never yet, or not since they have changed."""
    found = FoundVersion
    has_changed = (found.changed > found.decided) & found.undone.is_(None)
    waiting = found.due.is_(None) & (found.decided.is_(None) | has_changed)
    ordered = select(found).where(found.library_id == library_id, waiting)
    return session.scalars(ordered.order_by(found.path, found.version)).all()


def waiting_since(session: Session, *, after: datetime) -> datetime | None:
    """Return when the first version was found, later than ``after``, that rules were never applied to."""
    waiting = (FoundVersion.due.is_(None), FoundVersion.decided.is_(None), FoundVersion.seen > after)
    return session.scalar(select(func.min(FoundVersion.seen)).where(*waiting))


def decided_paths(session: Session, library_id: str, paths: Collection[str]) -> set[str]:
    """Return which folders of games have a version that the rules were applied to."""
    ordered, found = sorted(paths), set[str]()
    for start in range(0, len(ordered), _ROWS_AT_ONCE):
        here = FoundVersion.path.in_(ordered[start : start + _ROWS_AT_ONCE])
        decided = (FoundVersion.library_id == library_id) & FoundVersion.decided.is_not(None) & here
        found.update(session.scalars(select(FoundVersion.path).where(decided)))
    return found


def decide(session: Session, row_ids: Collection[str], *, at: datetime, left_out: Message | None = None) -> None:
    """Record that the rules were applied to versions, and why they do not import them, if that is known."""
    ids, values = sorted(row_ids), dict[str, Any](decided=at)
    if left_out is not None:
        values["left_out"] = stored.encode(stored_message(left_out))
    for start in range(0, len(ids), _ROWS_AT_ONCE):
        batch = ids[start : start + _ROWS_AT_ONCE]
        session.execute(update(FoundVersion).where(FoundVersion.id.in_(batch)).values(values))


def leave_out(session: Session, row_ids: Collection[str], reason: Message | None) -> None:
    """Record why versions are not imported together with others; None if nothing is known."""
    ids, left_out = sorted(row_ids), stored.encode(stored_message(reason)) if reason else None
    for start in range(0, len(ids), _ROWS_AT_ONCE):
        some = FoundVersion.id.in_(ids[start : start + _ROWS_AT_ONCE])
        session.execute(update(FoundVersion).where(some).values(left_out=left_out))


def leave_out_at(session: Session, library_id: str, place: Place, reason: Message | None) -> None:
    """Record why what is at a place is not imported together with others; None once it is imported."""
    found = find_at(session, library_id, place)
    leave_out(session, [found.id] if found else [], reason)


def left_out_as(session: Session, library_id: str, codes: Collection[str]) -> dict[Place, str]:
    """Return the ids of the versions of a library that were left out for one of some reasons, by place."""
    columns = (FoundVersion.id, FoundVersion.path, FoundVersion.version, FoundVersion.left_out)
    rows = select(*columns).where(FoundVersion.library_id == library_id, FoundVersion.left_out.is_not(None))
    return {
        Place(path, version): row_id
        for row_id, path, version, reason in session.execute(rows)
        if stored.decode(reason, StoredMessage).code in codes
    }


def consider_again(session: Session, row_ids: Collection[str]) -> None:
    """Let the rules be applied again to versions, except those of which a person has undone the import."""
    ids = sorted(row_ids)
    for start in range(0, len(ids), _ROWS_AT_ONCE):
        some = FoundVersion.id.in_(ids[start : start + _ROWS_AT_ONCE])
        session.execute(update(FoundVersion).where(some).values(left_out=None))
        session.execute(update(FoundVersion).where(some, FoundVersion.undone.is_(None)).values(decided=None))


def forget_reasons(session: Session, row_ids: Collection[str]) -> None:
    """Forget why versions were left out."""
    ids = sorted(row_ids)
    for start in range(0, len(ids), _ROWS_AT_ONCE):
        some = FoundVersion.id.in_(ids[start : start + _ROWS_AT_ONCE])
        session.execute(update(FoundVersion).where(some, FoundVersion.left_out.is_not(None)).values(left_out=None))


def in_folders(session: Session, paths: Collection[str]) -> dict[tuple[str, Place], WhyNotImported]:
    """Return when versions in folders of some names have changed, and why they are not imported."""
    columns, ordered = (FoundVersion.library_id, FoundVersion.path, FoundVersion.version), sorted(paths)
    found: dict[tuple[str, Place], WhyNotImported] = {}
    for start in range(0, len(ordered), _ROWS_AT_ONCE):
        here = FoundVersion.path.in_(ordered[start : start + _ROWS_AT_ONCE])
        rows = select(*columns, FoundVersion.changed, FoundVersion.left_out).where(here)
        for library_id, path, version, changed, reason in session.execute(rows):
            known = stored.decode(reason, StoredMessage) if reason else None
            found[library_id, Place(path, version)] = WhyNotImported(changed, known)
    return found


def set_task(session: Session, row_id: str, task_id: str, *, at: datetime) -> None:
    """Record that a task imports a version because of the rules."""
    session.execute(
        update(FoundVersion).where(FoundVersion.id == row_id).values(decided=at, task_id=task_id, left_out=None)
    )


def find(session: Session, row_id: str) -> FoundVersion | None:
    return session.get(FoundVersion, row_id)


def paths_among(session: Session, library_id: str, paths: Collection[str]) -> set[str]:
    """Return those of some folders that the last scan has found."""
    rows = (FoundVersion.library_id == library_id, FoundVersion.path.in_(paths))
    return set(session.scalars(select(FoundVersion.path).where(*rows)))


def any_unowned(session: Session, library_id: str, *, before: datetime) -> bool:
    """Return whether a library has a folder since before a moment that belongs to no game."""
    found, own = FoundVersion, exists().where(Game.library_id == library_id, Game.path == FoundVersion.path)
    in_library = exists().where(Game.id == Version.game_id, Game.library_id == library_id)
    beside = exists().where(Version.beside, Version.name == found.path, in_library)
    free = select(found.id).where(found.library_id == library_id, found.seen <= before, ~own, ~beside)
    return session.scalar(free.limit(1)) is not None


def find_at(session: Session, library_id: str, place: Place) -> FoundVersion | None:
    """Return what scans know of a place, None if it is gone."""
    here = (FoundVersion.library_id == library_id, FoundVersion.path == place.path)
    return session.scalar(select(FoundVersion).where(*here, FoundVersion.version == place.version))


def imported_by_rules(session: Session, *, most: int) -> Sequence[Row[FoundVersion, Library]]:
    """Return the versions that were imported because of rules, newest first, and their libraries."""
    statement = select(FoundVersion, Library).join(Library, Library.id == FoundVersion.library_id)
    newest = statement.where(FoundVersion.task_id.is_not(None)).order_by(FoundVersion.decided.desc(), FoundVersion.id)
    return session.execute(newest.limit(most)).all()


def undo(session: Session, row_id: str, *, at: datetime) -> None:
    session.execute(update(FoundVersion).where(FoundVersion.id == row_id).values(undone=at))
