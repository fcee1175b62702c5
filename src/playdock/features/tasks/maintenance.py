"""Scheduled maintenance tasks, and when they are due."""

from datetime import datetime, timedelta

from msgspec import Struct

from playdock.auth.permissions import Permission
from playdock.backups import rules as backup_rules
from playdock.db.database import Database
from playdock.domain.search import queries as search_queries
from playdock.domain.server_settings.service import ServerSettings
from playdock.features.damage.service import ALL as CONTENT
from playdock.features.delivery.service import Deliveries
from playdock.features.library_files.changes import CLEAN_TRASH
from playdock.features.library_scans.service import SCAN, new_scan
from playdock.features.notifications.service import Announcements
from playdock.features.uploads.service import CLEAN_UPLOADS
from playdock.features.webhooks.service import Webhooks
from playdock.kit.clock import Clock, time_of_day
from playdock.kit.messages import Message
from playdock.settings import Settings
from playdock.stored import TaskArguments
from playdock.tasks import queries
from playdock.tasks.enqueueing import enqueue
from playdock.tasks.errors import TaskAlreadyRunning
from playdock.tasks.new_task import NewTask, Queue

INVITATIONS = "cleanup:invitations"
SESSIONS = "cleanup:sessions"
OBJECTS = "cleanup:objects"
TASKS = "cleanup:tasks"
NOTIFICATIONS = "cleanup:notifications"
UPLOADS = CLEAN_UPLOADS
TRASH = CLEAN_TRASH
STATISTICS = "cleanup:statistics"
PLACEHOLDERS = "tint:pictures"
INDEX = "index:games"
BACKUP = backup_rules.TASK_TYPE

DAILY = (INVITATIONS, SESSIONS, OBJECTS, TASKS, NOTIFICATIONS, UPLOADS, TRASH, STATISTICS, PLACEHOLDERS, INDEX)
WEEKLY = (CONTENT,)
STARTABLE = (*DAILY, *WEEKLY)
# These exist only with certain settings.
OPTIONAL = (BACKUP,)

# Long enough that a rebuild that fails again and again does not fill the list of tasks.
_DAY = timedelta(days=1)
_PAUSE_WHEN_PRESSING = timedelta(hours=1)

_NAMES = {
    INVITATIONS: "clean-invitations",
    SESSIONS: "clean-sessions",
    OBJECTS: "clean-objects",
    TASKS: "clean-tasks",
    NOTIFICATIONS: "clean-notifications",
    UPLOADS: "clean-uploads",
    TRASH: "clean-trash",
    STATISTICS: "clean-statistics",
    PLACEHOLDERS: "compute-placeholders",
    INDEX: "rebuild-index",
    CONTENT: "verify-content",
    BACKUP: "back-up",
}


def new_task_for(task_type: str) -> NewTask:
    return NewTask(
        task_type=task_type,
        name=Message(_NAMES[task_type]),
        subject=task_type,
        queue=_queue(task_type),
        acls=(Permission.TASK_READ,),
        arguments=TaskArguments(),
    )


def daily(settings: Settings) -> tuple[str, ...]:
    """Return the tasks that run daily, with the backup if there is a folder for it."""
    return (*DAILY, BACKUP) if settings.backup_folder else DAILY


def startable(settings: Settings) -> tuple[str, ...]:
    """Return the tasks that can be started by their type."""
    return (*daily(settings), *WEEKLY)


class Schedule(Struct, frozen=True):
    """Enqueues each maintenance task when its time has come since it was last enqueued, by any process or user.

    Outdated search entries are not left for a day: they are rebuilt when a release has just changed the rules.
    """

    db: Database
    clock: Clock
    settings: Settings

    def enqueue_due(self) -> None:
        now = self.clock()
        for task_type in startable(self.settings):
            with self.db.read() as session:
                last = queries.last_created(session, task_type)
                pressing = task_type == INDEX and search_queries.has_outdated(session)
            if self._is_due(task_type, now=now, last=last, pressing=pressing):
                self._enqueue(new_task_for(task_type), now)
        with self.db.read() as session:
            last_scan = queries.last_created(session, SCAN)
        if last_scan is None or now - last_scan >= timedelta(minutes=self.settings.library_scan_minutes):
            self._enqueue(new_scan(), now)

    def _is_due(self, task_type: str, *, now: datetime, last: datetime | None, pressing: bool) -> bool:
        if task_type == BACKUP:
            at = time_of_day(self.settings.backup_time)
            return at is not None and backup_rules.is_due(now.astimezone(), at=at, last=last)
        if task_type == CONTENT:
            return _has_passed(last, timedelta(days=self.settings.verify_days), now=now)
        return last is None or now - last >= (_PAUSE_WHEN_PRESSING if pressing else _DAY)

    def _enqueue(self, new_task: NewTask, now: datetime) -> None:
        try:
            with self.db.write() as session:
                enqueue(session, new_task, at=now)
        except TaskAlreadyRunning:
            return


def tick(
    server_settings: ServerSettings,
    schedule: Schedule,
    announcements: Announcements,
    deliveries: Deliveries,
    webhooks: Webhooks,
) -> None:
    """Enqueue what is due by the current settings. A worker has no event loop that follows them."""
    server_settings.refresh()
    schedule.enqueue_due()
    announcements.start_due()
    deliveries.start_due()
    webhooks.start_due()


def _queue(task_type: str) -> Queue:
    if task_type == BACKUP:
        return Queue.LOW
    return Queue.BACKGROUND if task_type in WEEKLY else Queue.DEFAULT


def _has_passed(last: datetime | None, pause: timedelta, *, now: datetime) -> bool:
    """Return whether something is due again; never without a pause."""
    return bool(pause) and (last is None or now - last >= pause)
