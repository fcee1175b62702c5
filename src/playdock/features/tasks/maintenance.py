"""Maintenance: what keeps the service tidy, and when it is due."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from playdock.auth.acls import Acl
from playdock.db.database import Database
from playdock.jobs import queries
from playdock.jobs.drafts import Lane, TaskDraft
from playdock.jobs.enqueueing import enqueue
from playdock.jobs.errors import TaskAlreadyRunning
from playdock.kit.clock import Clock

INVITATIONS = "cleanup:invitations"
SESSIONS = "cleanup:sessions"
OBJECTS = "cleanup:objects"
TASKS = "cleanup:tasks"

DAILY = (INVITATIONS, SESSIONS, OBJECTS, TASKS)

_NAMES = {
    INVITATIONS: "Delete expired invitations",
    SESSIONS: "Delete expired sessions, tokens and reset links",
    OBJECTS: "Delete pictures and records that belong to nothing",
    TASKS: "Delete tasks that ended a month ago",
}


def draft_of(group: str) -> TaskDraft:
    return TaskDraft(
        group=group,
        name=_NAMES[group],
        subject=group,
        lane=Lane.LIGHT,
        acls=(Acl.TASK_READ,),
        arguments={},
    )


@dataclass(frozen=True, slots=True)
class Schedule:
    """Enqueues each maintenance when a day has gone by since it was last enqueued by anybody."""

    db: Database
    clock: Clock

    def enqueue_due(self) -> None:
        now = self.clock()
        for group in DAILY:
            with self.db.read() as session:
                due = _is_due(queries.last_created(session, group), now)
            if due:
                self._enqueue(group, now)

    def _enqueue(self, group: str, now: datetime) -> None:
        try:
            with self.db.write() as session:
                enqueue(session, draft_of(group), at=now)
        except TaskAlreadyRunning:
            return


def _is_due(last: datetime | None, now: datetime) -> bool:
    return last is None or now - last >= timedelta(days=1)
