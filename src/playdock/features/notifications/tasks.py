"""The task that announces events."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct
from sqlalchemy.orm import Session

from playdock import stored
from playdock.domain.events import queries as event_queries
from playdock.domain.events import rules as event_rules
from playdock.domain.events.rules import EventType
from playdock.domain.found_versions import queries as found_queries
from playdock.domain.found_versions.queries import Place
from playdock.domain.game_folders import queries as folder_queries
from playdock.features.delivery.service import Deliveries
from playdock.features.notifications import queries, rules
from playdock.features.notifications.rules import Notice, Occurrence
from playdock.features.notifications.service import ANNOUNCE
from playdock.kit.identifiers import new_id
from playdock.kit.messages import Message
from playdock.models import Event
from playdock.stored_library_events import NewVersionEvent
from playdock.tasks import queries as task_queries
from playdock.tasks.context import TaskContext

# A month of a large server; what is left is announced with the next batch.
_MAX_EVENTS = 1000
# They take some milliseconds, for which other writers wait.
_ROWS_AT_ONCE = 250


class AnnounceEvents(Struct, frozen=True):
    """Writes notifications and plans their deliveries, in batches that an interrupted announcement continues with."""

    deliveries: Deliveries
    task_type: str = ANNOUNCE

    def run(self, context: TaskContext) -> None:
        written = 0
        while events := self._next_batch(context):
            batch = events[0].batch or ""
            written += self._announce(context, batch, self._notices(context, events, batch))
        context.log(Message("notifications-written", count=written))

    def _next_batch(self, context: TaskContext) -> Sequence[Event]:
        """Return the events of an unfinished batch, or of a new one; nothing if all are announced or withheld."""
        with context.db.read() as session:
            events = event_queries.unfinished_batch(session)
        if events:
            return events
        with context.checkpoint() as session:
            oldest = event_queries.oldest_waiting(session)
            if oldest is None:
                return ()
            importing = task_queries.any_active(session, event_rules.IMPORTS)
            withheld = event_rules.withheld(importing=importing, oldest=oldest, now=context.clock())
            event_queries.make_batch(session, new_id(), withheld=withheld, limit=_MAX_EVENTS)
            return event_queries.unfinished_batch(session)

    def _notices(self, context: TaskContext, events: Sequence[Event], batch: str) -> list[Notice]:
        with context.db.read() as session:
            kept = event_queries.without_deleted(session, events)
            current = [each for event in kept if (each := _occurrence(session, event))]
            games = rules.games_of(current)
            recipients = queries.recipients(session, games, request_ids=rules.requests_of(current))
            tags = queries.tags_of(session, games)
        return list(rules.notices(current, recipients, tags, batch=batch))

    def _announce(self, context: TaskContext, batch: str, notices: Sequence[Notice]) -> int:
        """Write the notifications about a batch, except those that are written already, and return their number."""
        rows = [row for notice in notices for row in queries.rows_of(notice, at=context.clock())]
        for start in range(0, max(1, len(rows)), _ROWS_AT_ONCE):
            context.check()
            with context.checkpoint() as session:
                written = queries.add(session, rows[start : start + _ROWS_AT_ONCE])
                self.deliveries.plan(session, written, at=context.clock())
                if start + _ROWS_AT_ONCE >= len(rows):
                    event_queries.set_announced(session, batch, at=context.clock())
        return len(rows)


def _occurrence(session: Session, event: Event) -> Occurrence | None:
    """Decode an event; None if nothing of it is worth telling any more."""
    event_type = EventType(event.event_type)
    data: stored.EventData | None = stored.decode(event.data, rules.DATA[event_type])
    if isinstance(data, stored.FoldersEvent):
        data = rules.still_new(data, _settled(session, data, since=event.created))
    if isinstance(data, NewVersionEvent) and not _is_current(session, event_type, data):
        data = None
    return Occurrence(event.id, event_type, data) if data else None


def _settled(session: Session, found: stored.FoldersEvent, *, since: datetime) -> set[str]:
    """Return the folders that belong to a game by now, and those of an event that are gone."""
    added = folder_queries.paths_added(session, found.library, since=since)
    named = {(found.library, folder) for folder in found.folders}
    owned = {folder for _, folder in folder_queries.games_of_paths(session, named)}
    present = found_queries.paths_among(session, found.library, found.folders)
    return added | owned | (set(found.folders) - present)


def _is_current(session: Session, event_type: EventType, found: NewVersionEvent) -> bool:
    """Return whether a version is still there, and neither imported by a person nor undone."""
    row = found_queries.find_at(session, found.library, Place(found.folder, found.version_name))
    if row is None or row.undone is not None:
        return False
    is_imported = folder_queries.version_at(session, found.library, found.folder, found.version_name) is not None
    return event_type is not EventType.VERSION_FOUND or not is_imported
