"""All statements on events."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, String, cast, delete, exists, func, literal, select, update
from sqlalchemy.orm import InstrumentedAttribute, Session

from playdock import stored
from playdock.db.insertion import insert_or_ignore
from playdock.db.locks import LockLevel, advisory_lock, record_lock
from playdock.db.notifying import Channel, notify
from playdock.domain.events.rules import EventType
from playdock.kit.messages import Message
from playdock.models import Event, FoundVersion, Game, GameRequest, Library, NewsArticle, Task, Version
from playdock.stored_events import (
    ArticleEvent,
    EventData,
    FoldersEvent,
    LibraryEvent,
    NewVersionEvent,
    RequestEvent,
    SpaceEvent,
    StoredMessage,
    TaskEvent,
    VersionEvent,
    stored_message,
)

# The types that this release knows. A newer one that runs beside it announces the others.
_KNOWN = tuple(EventType)
# What events are about, by their types: the name of its id in their data, and the column.
_SUBJECTS: Mapping[EventType, tuple[str, InstrumentedAttribute[str]]] = {
    EventType.GAME_ADDED: ("version", Version.id),
    EventType.VERSION_ADDED: ("version", Version.id),
    EventType.VERSION_DAMAGED: ("version", Version.id),
    EventType.VERSION_MISSING: ("version", Version.id),
    EventType.FILES_ADDED: ("version", Version.id),
    EventType.FOLDERS_FOUND: ("library", Library.id),
    EventType.VERSION_FOUND: ("library", Library.id),
    EventType.VERSION_IMPORTED: ("library", Library.id),
    EventType.LIBRARY_UNAVAILABLE: ("library", Library.id),
    EventType.NEWS_PUBLISHED: ("article", NewsArticle.id),
    EventType.REQUEST_ADDED: ("request", GameRequest.id),
    EventType.REQUEST_ANSWERED: ("request", GameRequest.id),
    # If the game is deleted, the request waits again.
    EventType.REQUEST_DONE: ("game", Game.id),
}
# The types of events about the files of a version.
PROBLEMS = (EventType.VERSION_DAMAGED, EventType.VERSION_MISSING, EventType.FILES_ADDED)
# What the nonce of an event has before its id if the state that it is about has ended.
_ENDED = ":ended:"
# Numbering so many takes some milliseconds, for which other writers wait.
_NUMBERED_AT_ONCE = 1000
# Enough to recognize what was found; all of them are in the import plan.
_MAX_NAMES = 20


def add(session: Session, event_type: EventType, data: EventData, *, nonce: str, at: datetime) -> None:
    """Record an event, unless one with the same nonce is recorded."""
    values = {"event_type": event_type.value, "nonce": nonce, "data": stored.encode(data), "created": at}
    session.execute(insert_or_ignore(session, Event, values))
    notify(session, Channel.EVENTS)


def add_version(session: Session, version: Version, *, at: datetime) -> None:
    """Record that a game has a new version, or that it is playable on the platform of its first version."""
    others = exists().where(
        Version.game_id == version.game_id, Version.platform == version.platform, Version.id != version.id
    )
    event_type = EventType.VERSION_ADDED if session.scalar(select(others)) else EventType.GAME_ADDED
    add(session, event_type, _version_event(session, version), nonce=f"{event_type}:{version.id}", at=at)


def add_changed_version(session: Session, version_id: str, *, at: datetime) -> None:
    """Record that the newest version for a platform was imported again with other files, which is an update."""
    version = session.get(Version, version_id)
    if version is not None:
        nonce = f"{EventType.VERSION_ADDED}:{version.record_name}"
        add(session, EventType.VERSION_ADDED, _version_event(session, version), nonce=nonce, at=at)


def add_problem(session: Session, event_type: EventType, version_id: str, *, at: datetime) -> None:
    """Record a problem with the files of a version, once until `end_problem`."""
    version = session.get(Version, version_id)
    if version is not None:
        data = _version_event(session, version)
        add(session, event_type, data, nonce=f"{event_type}:{version_id}", at=at)


def end_problem(session: Session, event_type: EventType, version_id: str) -> None:
    """Let the next `add_problem` of this type record an event about a version again."""
    _end_episode(session, f"{event_type}:{version_id}")


def add_failure(session: Session, task: Task, reason: Message, *, at: datetime, daily: bool = False) -> None:
    """Record that a task has failed; with ``daily``, at most once a day for all tasks of its type."""
    about = f"{task.task_type}:{at.date()}" if daily else task.id
    add(session, EventType.TASK_FAILED, _task_event(task, reason), nonce=f"{EventType.TASK_FAILED}:{about}", at=at)


def add_stuck_queue(session: Session, task: Task, reason: Message, *, at: datetime) -> None:
    """Record that a task waits in a queue that starts none, once for the queue until `end_stuck_queue`."""
    add(session, EventType.TASK_WAITING, _task_event(task, reason), nonce=_stuck(task.queue), at=at)


def is_queue_stuck(session: Session, queue: str) -> bool:
    """Return whether it was recorded that a queue starts no tasks, and that has not ended."""
    return session.scalar(select(Event.id).where(Event.nonce == _stuck(queue))) is not None


def end_stuck_queue(session: Session, queue: str) -> None:
    """Let the next `add_stuck_queue` record an event about a queue again."""
    _end_episode(session, _stuck(queue))


def _stuck(queue: str) -> str:
    return f"{EventType.TASK_WAITING}:{queue}"


def _task_event(task: Task, reason: Message) -> TaskEvent:
    name = StoredMessage(text=task.name, code=task.name_code, parameters=task.name_parameters or {})
    return TaskEvent(task=task.id, task_type=task.task_type, name=name, reason=stored_message(reason))


def add_low_space(session: Session, reason: Message, *, at: datetime, disk: str = "") -> None:
    """Record that there is little space left on a disk with libraries, by its number, or on that of the data folder.

    It is recorded once until `end_low_space`.
    """
    data = SpaceEvent(reason=stored_message(reason))
    add(session, EventType.DISK_LOW, data, nonce=_low_space(disk), at=at)


def low_space_since(session: Session, disk: str = "") -> datetime | None:
    """Return when it was recorded that there is little space left; None if that has ended."""
    return session.scalar(select(Event.created).where(Event.nonce == _low_space(disk)))


def end_low_space(session: Session, disk: str = "") -> None:
    """Let the next `add_low_space` record an event again."""
    _end_episode(session, _low_space(disk))


def _low_space(disk: str) -> str:
    return f"{EventType.DISK_LOW}:disk:{disk}" if disk else EventType.DISK_LOW.value


def _end_episode(session: Session, nonce: str) -> None:
    """Give the event of a state that has ended another nonce."""
    current = update(Event).where(Event.nonce == nonce)
    ended = literal(f"{nonce}{_ENDED}") + cast(Event.id, String)
    session.execute(current.values(nonce=ended), execution_options={"synchronize_session": False})


def has_ended(event: Event) -> bool:
    """Return whether the state that an event is about has ended."""
    return _ENDED in event.nonce


def of_batch(session: Session, batch: str, event_type: str) -> Sequence[Event]:
    """Return the events of a type in a batch, newest first."""
    of_type = select(Event).where(Event.batch == batch, Event.event_type == event_type)
    return session.scalars(of_type.order_by(Event.id.desc())).all()


def add_folders(session: Session, found_id: str, library: Library, folders: Sequence[str], *, at: datetime) -> None:
    """Record new folders of a library, if any; ``found_id`` is an id that no other record of folders has."""
    if folders:
        data = FoldersEvent(
            library=library.id, library_name=library.name, count=len(folders), folders=tuple(folders[:_MAX_NAMES])
        )
        add(session, EventType.FOLDERS_FOUND, data, nonce=f"{EventType.FOLDERS_FOUND}:{found_id}", at=at)


def add_new_version(
    session: Session, event_type: EventType, library: Library, found: FoundVersion, *, at: datetime
) -> None:
    """Record that a library has got a version of an imported game, or that a rule imports it."""
    data = NewVersionEvent(library=library.id, library_name=library.name, folder=found.path, version_name=found.version)
    add(session, event_type, data, nonce=f"{event_type}:{found.id}", at=at)


def add_unavailable(session: Session, library: Library, reason: Message, *, at: datetime) -> None:
    """Record that a library cannot be read, once until `end_unavailable`."""
    data = LibraryEvent(library=library.id, library_name=library.name, reason=stored_message(reason))
    add(session, EventType.LIBRARY_UNAVAILABLE, data, nonce=_unavailable(library.id), at=at)


def is_unavailable(session: Session, library_id: str) -> bool:
    """Return whether it was recorded that a library cannot be read, and that has not ended."""
    return session.scalar(select(Event.id).where(Event.nonce == _unavailable(library_id))) is not None


def last_unavailable(session: Session, library_id: str) -> datetime | None:
    """Return when it was last recorded that a library cannot be read, whether that has ended or not."""
    nonce = Event.nonce
    ended = nonce.startswith(f"{_unavailable(library_id)}{_ENDED}", autoescape=True)
    return session.scalar(select(func.max(Event.created)).where((nonce == _unavailable(library_id)) | ended))


def end_unavailable(session: Session, library_id: str) -> None:
    """Let the next `add_unavailable` record an event again."""
    _end_episode(session, _unavailable(library_id))


def _unavailable(library_id: str) -> str:
    return f"{EventType.LIBRARY_UNAVAILABLE}:{library_id}"


def add_request(session: Session, event_type: EventType, request: GameRequest, *, at: datetime) -> None:
    """Record that a game has been requested, or what has become of the request."""
    data = RequestEvent(
        request=request.id, name=request.name, status=request.status, comment=request.comment, game=request.game_id
    )
    # An administrator may answer again, and a game be deleted and imported again.
    add(session, event_type, data, nonce=f"{event_type}:{request.id}:{at.isoformat()}", at=at)


def add_article(session: Session, article: NewsArticle, *, at: datetime) -> None:
    """Record that an article has been published."""
    data = ArticleEvent(article=article.id, title=article.title, game=article.game_id)
    add(session, EventType.NEWS_PUBLISHED, data, nonce=f"{EventType.NEWS_PUBLISHED}:{article.id}", at=at)


def oldest_waiting(session: Session) -> datetime | None:
    """Return when the first event was recorded that is not announced, None without any."""
    return session.scalar(select(func.min(Event.created)).where(Event.announced.is_(None), _is_known()))


def any_waiting(session: Session, *, withheld: Collection[EventType]) -> bool:
    """Return whether there are events to announce, in an unfinished batch or of types that are not withheld."""
    ready = Event.batch.isnot(None) | Event.event_type.not_in(withheld)
    return session.scalar(select(Event.id).where(Event.announced.is_(None), _is_known(), ready).limit(1)) is not None


def make_batch(session: Session, batch: str, *, withheld: Collection[EventType], limit: int) -> None:
    """Put the oldest events that wait into a batch."""
    waiting = (Event.announced.is_(None), Event.batch.is_(None), _is_known(), Event.event_type.not_in(withheld))
    oldest = select(Event.id).where(*waiting).order_by(Event.id).limit(limit)
    session.execute(
        update(Event).where(Event.id.in_(oldest)).values(batch=batch), execution_options={"synchronize_session": False}
    )


def unfinished_batch(session: Session) -> Sequence[Event]:
    """Return the events of one batch that is not announced, oldest first; empty without any.

    A batch with an event of a type that this release does not know is left to the newer one that has made it.
    """
    unknown = select(Event.batch).where(Event.announced.is_(None), Event.batch.isnot(None), ~_is_known())
    known = (Event.announced.is_(None), Event.batch.not_in(unknown))
    first = select(func.min(Event.batch)).where(*known).scalar_subquery()
    return session.scalars(select(Event).where(Event.batch == first).order_by(Event.id)).all()


def set_announced(session: Session, batch: str, *, at: datetime) -> None:
    statement = update(Event).where(Event.batch == batch).values(announced=at)
    session.execute(statement, execution_options={"synchronize_session": False})


def any_undispatched(session: Session) -> bool:
    """Return whether there are events of which no deliveries have been made."""
    return session.scalar(select(Event.id).where(Event.dispatched.is_(None)).limit(1)) is not None


def undispatched(session: Session, *, limit: int) -> Sequence[Event]:
    """Return the oldest events of which no deliveries have been made."""
    return session.scalars(select(Event).where(Event.dispatched.is_(None)).order_by(Event.id).limit(limit)).all()


def set_dispatched(session: Session, event_ids: Collection[int], *, at: datetime) -> None:
    statement = update(Event).where(Event.id.in_(event_ids)).values(dispatched=at)
    session.execute(statement, execution_options={"synchronize_session": False})


def without_deleted(session: Session, events: Sequence[Event]) -> list[Event]:
    """Leave out events about what has been deleted since, such as an article that was published by mistake."""
    deleted: set[int] = set()
    for event_type, (name, column) in _SUBJECTS.items():
        subjects = {event.id: event.data[name] for event in events if event.event_type == event_type}
        if subjects:
            existing = set(session.scalars(select(column).where(column.in_(subjects.values()))))
            deleted |= {event_id for event_id, subject in subjects.items() if subject not in existing}
    return [event for event in events if event.id not in deleted]


def any_unnumbered(session: Session) -> bool:
    """Return whether there are events without a position."""
    return session.scalar(select(Event.id).where(Event.position.is_(None)).limit(1)) is not None


def number(session: Session) -> None:
    """Give the events that have none the next positions, one transaction at a time.

    Ids are given before a transaction is committed, so a reader could see a later one first. A position is given to
    rows that all readers see, so that a reader who continues after one misses nothing. Rows that another transaction
    has locked are left for the next time.
    """
    advisory_lock(session, LockLevel.EVENTS)
    last = session.scalar(select(func.max(Event.position))) or 0
    new = select(Event.id).where(Event.position.is_(None)).order_by(Event.id).limit(_NUMBERED_AT_ONCE)
    ids = session.scalars(new.with_for_update(skip_locked=True)).all()
    if ids:
        record_lock(session, LockLevel.EVENTS)
        session.execute(update(Event), [{"id": each, "position": last + n} for n, each in enumerate(ids, 1)])


def kept_positions(session: Session) -> tuple[int, int]:
    """Return the positions of the first and the last event that is kept; 1 and 0 without any."""
    first, last = session.execute(select(func.min(Event.position), func.max(Event.position))).one()
    return (first or 1, last or 0)


def after(session: Session, position: int, *, limit: int) -> Sequence[Event]:
    """Return the first events after a position."""
    return session.scalars(select(Event).where(Event.position > position).order_by(Event.position).limit(limit)).all()


def delete_announced(session: Session, *, before: datetime) -> None:
    """Delete old events, but not the last one that has a position: the next positions follow it."""
    last = select(func.max(Event.position)).scalar_subquery()
    session.execute(delete(Event).where(Event.announced < before, Event.position < last))


def _is_known() -> ColumnElement[bool]:
    return Event.event_type.in_(_KNOWN)


def _version_event(session: Session, version: Version) -> VersionEvent:
    game_name = session.scalars(select(Game.name).where(Game.id == version.game_id)).one()
    return VersionEvent(
        game=version.game_id,
        game_name=game_name,
        version=version.id,
        version_name=version.name,
        platform=version.platform,
        label=version.label or "",
    )
