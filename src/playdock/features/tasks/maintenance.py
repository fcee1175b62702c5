"""Maintenance: what keeps the service tidy, and when it is due."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from playdock.auth.acls import Acl
from playdock.db.database import Database
from playdock.features.damage.service import ALL as CONTENT
from playdock.jobs import queries
from playdock.jobs.drafts import Lane, TaskDraft
from playdock.jobs.enqueueing import enqueue
from playdock.jobs.errors import TaskAlreadyRunning
from playdock.kit.clock import Clock

INVITATIONS = "cleanup:invitations"
SESSIONS = "cleanup:sessions"
OBJECTS = "cleanup:objects"
TASKS = "cleanup:tasks"
STATISTICS = "cleanup:statistics"
TINTS = "tint:pictures"

DAILY = (INVITATIONS, SESSIONS, OBJECTS, TASKS, STATISTICS, TINTS)
WEEKLY = (CONTENT,)
STARTABLE = (*DAILY, *WEEKLY)

_NAMES = {
    INVITATIONS: "Delete expired invitations",
    SESSIONS: "Delete expired sessions, tokens and reset links",
    OBJECTS: "Delete pictures and records that belong to nothing",
    TASKS: "Delete tasks that ended a month ago",
    STATISTICS: "Delete what was written down of downloads three months ago",
    TINTS: "Find the colours of pictures that have none yet",
    CONTENT: "Read all versions again, to find what was damaged since their import",
}


def draft_of(group: str) -> TaskDraft:
    return TaskDraft(
        group=group,
        name=_NAMES[group],
        subject=group,
        lane=Lane.IDLE if group in WEEKLY else Lane.LIGHT,
        acls=(Acl.TASK_READ,),
        arguments={},
    )


@dataclass(frozen=True, slots=True)
class Schedule:
    """Enqueues each maintenance when a day or a week has gone by since it was last enqueued by anybody."""

    db: Database
    clock: Clock

    def enqueue_due(self) -> None:
        now = self.clock()
        for group in STARTABLE:
            with self.db.read() as session:
                last = queries.last_created(session, group)
            if last is None or now - last >= _pause(group):
                self._enqueue(group, now)

    def _enqueue(self, group: str, now: datetime) -> None:
        try:
            with self.db.write() as session:
                enqueue(session, draft_of(group), at=now)
        except TaskAlreadyRunning:
            return


def _pause(group: str) -> timedelta:
    return timedelta(weeks=1) if group in WEEKLY else timedelta(days=1)
