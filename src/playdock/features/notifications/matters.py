"""What events are about: whether there is still something to tell of, or to do."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import ValidationError
from sqlalchemy.orm import Session

from playdock import stored, stored_events
from playdock.domain.events import queries as event_queries
from playdock.domain.events.rules import EventType
from playdock.domain.found_versions import queries as found_queries
from playdock.domain.found_versions.queries import Place
from playdock.domain.game_folders import queries as folder_queries
from playdock.domain.game_requests import queries as request_queries
from playdock.domain.game_requests.rules import RequestStatus
from playdock.features.notifications import rules
from playdock.features.notifications.rules import Occurrence
from playdock.models import Event
from playdock.stored_events import NewVersionEvent
from playdock.tasks import queries as task_queries


def current(session: Session, events: Sequence[Event]) -> list[Occurrence]:
    """Decode events, without those of which nothing is worth telling any more."""
    kept = event_queries.without_deleted(session, events)
    return [each for event in kept if (each := _occurrence(session, event))]


def is_settled(session: Session, event_type: str, nonce: str) -> bool:
    """Return whether a notification is about something to do, and none of its events leaves anything of that."""
    if event_type not in rules.SETTLING:
        return False
    events = event_queries.of_batch(session, *rules.events_of(nonce))
    return bool(events) and not any(
        _leaves_something(session, event) for event in event_queries.without_deleted(session, events)
    )


def _leaves_something(session: Session, event: Event) -> bool:
    try:
        if event.event_type != EventType.FOLDERS_FOUND:
            return _occurrence(session, event) is not None
        found: stored_events.FoldersEvent = stored.decode(event.data, stored_events.FoldersEvent)
    except ValidationError:
        # A newer release has recorded it.
        return True
    if set(found.folders) - _settled_folders(session, found, since=event.created):
        return True
    # The event has the names of its first folders only.
    is_named = found.count <= len(found.folders)
    return not is_named and found_queries.any_unowned(session, found.library, before=event.created)


def _occurrence(session: Session, event: Event) -> Occurrence | None:
    event_type = EventType(event.event_type)
    data: stored_events.EventData | None = stored.decode(event.data, rules.DATA[event_type])
    if isinstance(data, stored_events.FoldersEvent):
        data = rules.still_new(data, _settled_folders(session, data, since=event.created))
    elif event_type in _STILL and not _STILL[event_type](session, event, data):
        data = None
    return Occurrence(event.id, event_type, data) if data else None


def _settled_folders(session: Session, found: stored_events.FoldersEvent, *, since: datetime) -> set[str]:
    """Return the folders that belong to a game by now, and those of an event that are gone."""
    added = folder_queries.paths_added(session, found.library, since=since)
    named = {(found.library, folder) for folder in found.folders}
    owned = {folder for _, folder in folder_queries.games_of_paths(session, named)}
    present = found_queries.paths_among(session, found.library, found.folders)
    return added | owned | (set(found.folders) - present)


def _is_new(session: Session, _event: Event, found: NewVersionEvent) -> bool:
    version = folder_queries.version_at(session, found.library, found.folder, found.version_name)
    row = found_queries.find_at(session, found.library, Place(found.folder, found.version_name))
    return version is None and row is not None and row.undone is None


def _is_imported(session: Session, _event: Event, found: NewVersionEvent) -> bool:
    """Return whether a rule has imported a version, or is about to: a failure is told of on its own."""
    row = found_queries.find_at(session, found.library, Place(found.folder, found.version_name))
    task = task_queries.find(session, row.task_id) if row and row.task_id else None
    return row is not None and row.undone is None and not (task and task.ended and not task.success)


def _is_state(_session: Session, event: Event, _about: stored_events.EventData) -> bool:
    return not event_queries.has_ended(event)


def _has_failed(session: Session, _event: Event, about: stored_events.TaskEvent) -> bool:
    return task_queries.is_unresolved(session, about.task)


def _is_open(session: Session, _event: Event, about: stored_events.RequestEvent) -> bool:
    request = request_queries.find(session, about.request)
    return request is not None and request.status == RequestStatus.OPEN


_STILL: Mapping[EventType, Callable[[Session, Event, Any], bool]] = {
    EventType.VERSION_FOUND: _is_new,
    EventType.VERSION_IMPORTED: _is_imported,
    EventType.VERSION_DAMAGED: _is_state,
    EventType.VERSION_MISSING: _is_state,
    EventType.FILES_ADDED: _is_state,
    EventType.TASK_FAILED: _has_failed,
    EventType.TASK_WAITING: _is_state,
    EventType.LIBRARY_UNAVAILABLE: _is_state,
    EventType.DISK_LOW: _is_state,
    EventType.REQUEST_ADDED: _is_open,
}
