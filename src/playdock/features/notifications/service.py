"""Reading notifications, changing what users want to be notified of, and starting announcements."""

import shutil
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial

from msgspec import Struct, field
from sqlalchemy.orm import Session

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.db.database import Database
from playdock.domain.events import queries as event_queries
from playdock.domain.events import rules as event_rules
from playdock.features.delivery.service import DELIVERING
from playdock.features.notifications import matters, queries, rules
from playdock.features.notifications.errors import NotificationUnknown
from playdock.features.reports import rules as report_rules
from playdock.features.reports.rules import CheckState
from playdock.kit.clock import Clock
from playdock.kit.messages import Message
from playdock.models import Notification, Tag, Task
from playdock.settings import Settings
from playdock.stored import StoredPreferences, TaskArguments
from playdock.tasks import queries as task_queries
from playdock.tasks.new_task import MAX_WAITS, NewTask, Queue

ANNOUNCE = "announce:events"
# An announcement that fails would otherwise be started again each minute.
_PAUSE_AFTER_FAILURE = timedelta(hours=1)
# Each takes about 2 ms, and a page with the bell lists its notifications every minute.
_MAX_LOOKED_UP = 30
# The runner looks each minute; a slow machine may be late.
_MAX_GAP = timedelta(minutes=5)


class UserNotifications(Struct, frozen=True):
    """The notifications of users."""

    db: Database

    def list_own(self, actor: Actor) -> Sequence[Notification]:
        """Return the caller's newest notifications, newest first.

        Of the newest unread ones, those whose matter is settled are marked as read, for all administrators.
        """
        actor.require(Permission.NOTIFICATIONS_READ)
        with self.db.read() as session:
            found = queries.newest(session, actor.user.id)
            unread = [each for each in found if not each.read and each.event_type in rules.SETTLING][:_MAX_LOOKED_UP]
            settled = {each.nonce for each in unread if matters.is_settled(session, each.event_type, each.nonce)}
        if settled:
            self.db.note(lambda session: queries.set_read_by_all(session, settled))
            for each in found:
                each.read = each.read or each.nonce in settled
        return found

    def show(self, actor: Actor, notification_id: str) -> Notification:
        """Return a notification of the caller.

        Raises:
            NotificationUnknown: the caller has none with this id.
        """
        actor.require(Permission.NOTIFICATIONS_READ)
        with self.db.read() as session:
            found = queries.find(session, rules.number_of(notification_id), user_id=actor.user.id)
        if found is None:
            raise NotificationUnknown
        return found

    def mark_read(self, actor: Actor, notification_id: str) -> Notification:
        """Mark a notification of the caller as read, and return it. Raises as `show` does."""
        actor.require(Permission.NOTIFICATIONS_MARK)
        with self.db.write() as session:
            found = queries.set_read(session, actor.user.id, rules.number_of(notification_id))
        if not found:
            raise NotificationUnknown
        return found[0]

    def mark_all_read(self, actor: Actor) -> None:
        """Mark all notifications of the caller as read."""
        actor.require(Permission.NOTIFICATIONS_MARK)
        with self.db.write() as session:
            queries.set_all_read(session, actor.user.id)

    def delete(self, actor: Actor, notification_id: str) -> None:
        """Delete a notification of the caller. Raises as `show` does."""
        actor.require(Permission.NOTIFICATIONS_DELETE)
        with self.db.write() as session:
            if not queries.remove(session, actor.user.id, rules.number_of(notification_id)):
                raise NotificationUnknown

    def preferences(self, actor: Actor) -> tuple[StoredPreferences, Sequence[Tag]]:
        """Return what the caller wants to be notified of, and the tags in it."""
        actor.require(Permission.NOTIFICATIONS_READ)
        with self.db.read() as session:
            found = queries.preferences_of(session, actor.user.id)
            return found, queries.tags_named(session, found.tags)

    def change_preferences(self, actor: Actor, preferences: StoredPreferences) -> None:
        """Replace what the caller wants to be notified of."""
        actor.require(Permission.USER_UPDATE)
        with self.db.write() as session:
            queries.put_preferences(session, actor.user.id, preferences)

    def last_id(self) -> int:
        """Return the id of the newest notification of all users."""
        with self.db.read() as session:
            return queries.last_id(session)

    def added_since(self, last: int, user_ids: Collection[str]) -> Sequence[Notification]:
        """Return the notifications of users after an id, oldest first."""
        with self.db.read() as session:
            return queries.added_since(session, last, user_ids)


class _Uptime(Struct):
    """Since when this process has been looking each minute, without being stopped or asleep with its machine."""

    since: datetime = datetime.min.replace(tzinfo=UTC)
    last: datetime = datetime.min.replace(tzinfo=UTC)

    def at(self, now: datetime) -> timedelta:
        """Return for how long it has, now that it looks again."""
        if not timedelta() <= now - self.last <= _MAX_GAP:
            self.since = now
        self.last = now
        return now - self.since


class Announcements(Struct, frozen=True):
    """Looks for events to announce, and starts the task that does."""

    db: Database
    clock: Clock
    settings: Settings
    notify_runner: Callable[[], None]
    uptime: _Uptime = field(default_factory=_Uptime)

    def start_due(self) -> None:
        """Start the task if there are events to announce. The runner calls this each minute."""
        self._check_space()
        self._check_queues()
        now = self.clock()
        with self.db.read() as session:
            oldest = event_queries.oldest_waiting(session)
            if oldest is None:
                return
            importing = task_queries.any_active(session, event_rules.IMPORTS)
            withheld = event_rules.withheld(importing=importing, oldest=oldest, now=now)
            failed = task_queries.any_failed(session, ANNOUNCE, since=now - _PAUSE_AFTER_FAILURE)
            if failed or not event_queries.any_waiting(session, withheld=withheld):
                return
        with self.db.write() as session:
            task_queries.add(session, _announcement(), at=now)
        self.notify_runner()

    def record_failure(self, session: Session, task: Task, reason: Message) -> None:
        """Record that a task has failed, in the transaction that ends it. Its own failure would announce itself."""
        if task.task_type != ANNOUNCE:
            # Those that deliver are started again until the server works.
            daily = task.task_type in DELIVERING
            event_queries.add_failure(session, task, reason, at=self.clock(), daily=daily)

    def _check_space(self) -> None:
        try:
            disk = shutil.disk_usage(self.settings.data_dir)
        except OSError:
            return
        check = report_rules.free_space(disk.free, disk.total)
        is_low, now = check.state is not CheckState.GOOD, self.clock()
        with self.db.read() as session:
            since = event_queries.low_space_since(session)
        if since is not None and rules.is_over(since, is_low=is_low, now=now):
            self.db.note(event_queries.end_low_space)
            since = None
        if is_low and since is None:
            self.db.note(lambda session: event_queries.add_low_space(session, check.detail, at=now))

    def _check_queues(self) -> None:
        """Record queues that have not started a due task for too long, and end that of those without such a task."""
        now = self.clock()
        uptime = self.uptime.at(now)
        changes: list[Callable[[Session], None]] = []
        with self.db.read() as session:
            for queue, limit in MAX_WAITS.items():
                overdue = queries.overdue_task(session, queue, before=now - limit)
                is_recorded = event_queries.is_queue_stuck(session, queue)
                if overdue is None and is_recorded:
                    changes.append(partial(event_queries.end_stuck_queue, queue=queue))
                # After a start, what was due before is being caught up on; a long queue works on other tasks.
                elif overdue is not None and not is_recorded and uptime >= limit:
                    if queries.any_started(session, queue, since=now - limit):
                        continue
                    running = queries.running_task(session, queue)
                    reason = rules.why_waiting(_name_of(running) if running else None)
                    changes.append(partial(event_queries.add_stuck_queue, task=overdue, reason=reason, at=now))
        for change in changes:
            self.db.note(change)


def _name_of(task: Task) -> Message:
    return Message.worded(task.name_code or "", task.name, task.name_parameters)


def _announcement() -> NewTask:
    return NewTask(
        task_type=ANNOUNCE,
        name=Message("announce-events"),
        subject=ANNOUNCE,
        queue=Queue.NOTIFICATIONS,
        acls=(Permission.TASK_READ,),
        arguments=TaskArguments(),
    )
