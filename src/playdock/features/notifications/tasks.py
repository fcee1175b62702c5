"""The task that announces events."""

from collections.abc import Sequence

from msgspec import Struct

from playdock.domain.events import queries as event_queries
from playdock.domain.events import rules as event_rules
from playdock.features.delivery.service import Deliveries
from playdock.features.notifications import matters, queries, rules
from playdock.features.notifications.rules import Notice
from playdock.features.notifications.service import ANNOUNCE
from playdock.kit.identifiers import new_id
from playdock.kit.messages import Message
from playdock.models import Event
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
            current = matters.current(session, events)
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
