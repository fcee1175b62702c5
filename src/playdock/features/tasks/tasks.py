"""The maintenance tasks."""

from collections.abc import Collection, Sequence
from datetime import timedelta

from msgspec import Struct

from playdock.audit import queries as audit_queries
from playdock.backups.errors import BackupFolderUnset
from playdock.backups.writing import Backups
from playdock.domain.artwork import queries as artwork_queries
from playdock.domain.artwork.service import Artwork
from playdock.domain.events import queries as event_queries
from playdock.domain.games import queries as game_queries
from playdock.domain.installations.service import Installations
from playdock.domain.library_files import queries as trash_queries
from playdock.domain.objects.service import Objects
from playdock.domain.search import queries as search_queries
from playdock.domain.transfers import queries as transfer_queries
from playdock.features.accounts import queries as account_queries
from playdock.features.devices import queries as device_queries
from playdock.features.import_parts import queries as part_queries
from playdock.features.import_parts.tasks import cancel_abandoned
from playdock.features.invitations import queries as invitation_queries
from playdock.features.links import queries as link_queries
from playdock.features.notifications import queries as notification_queries
from playdock.features.openid import queries as openid_queries
from playdock.features.patches.service import Patches
from playdock.features.reports import queries as report_queries
from playdock.features.reports.service import Reports
from playdock.features.saved_games.service import SavedGames
from playdock.features.sessions import queries as session_queries
from playdock.features.tasks import maintenance
from playdock.features.tokens import queries as token_queries
from playdock.kit.messages import Message
from playdock.metadata import queries as metadata_queries
from playdock.models import Picture
from playdock.settings import Settings
from playdock.tasks import queries
from playdock.tasks.context import TaskContext
from playdock.throttle import service as throttle

_YOUNG = timedelta(days=1)
_KEPT = timedelta(days=30)
_RECORDS_KEPT = timedelta(days=90)
_NOTIFICATIONS_KEPT = timedelta(days=90)
_PICTURES_AT_ONCE = 50
# A fifth of a second of work: writers of games wait no longer than that.
_ENTRIES_AT_ONCE = 100


class BackUp(Struct, frozen=True):
    """Makes a backup where the setting BACKUP_FOLDER says."""

    backups: Backups
    task_type: str = maintenance.BACKUP

    def run(self, context: TaskContext) -> None:
        settings = self.backups.settings
        if not settings.backup_folder:
            raise BackupFolderUnset
        made = self.backups.write(
            settings.backup_folder,
            kept=settings.backups_kept,
            progress=lambda share: context.advance(share, 1),
        )
        context.log(Message("backup-copied", count=made.new_objects, size=made.new_bytes))
        if made.prune_fault:
            context.log(Message("backups-not-deleted", reason=made.prune_fault), level="warn")


class CleanInvitations(Struct, frozen=True):
    """Deletes expired invitations."""

    task_type: str = maintenance.INVITATIONS

    def run(self, context: TaskContext) -> None:
        with context.complete() as session:
            invitation_queries.delete_expired(session, at=context.clock())


class CleanSessions(Struct, frozen=True):
    """Deletes expired credentials, unused sessions and failed attempts."""

    session_idle: timedelta
    task_type: str = maintenance.SESSIONS

    def run(self, context: TaskContext) -> None:
        now = context.clock()
        with context.complete() as session:
            session_queries.delete_inactive(session, at=now, idle=self.session_idle)
            openid_queries.delete_expired(session, at=now)
            device_queries.delete_expired(session, at=now)
            token_queries.delete_expired(session, at=now)
            link_queries.delete_expired(session, at=now)
            account_queries.delete_resets(session, before=now)
            throttle.clean(session, at=now)


class CleanObjects(Struct, frozen=True):
    """Deletes unreferenced objects, checkpoints and parts of abandoned imports, and old responses of providers.

    Young bytes may belong to something that is just being made, so they are left alone.
    """

    objects: Objects
    installations: Installations
    patches: Patches
    saved_games: SavedGames
    task_type: str = maintenance.OBJECTS

    def run(self, context: TaskContext) -> None:
        def existing(names: Collection[str]) -> set[str]:
            context.check()
            with context.db.read() as session:
                existing = game_queries.existing_record_names(session, names)
                return existing | trash_queries.record_names_among(session, names)

        before = context.clock() - _YOUNG
        self.saved_games.remove_unused(before=before)
        swept = self.objects.sweep(before=before) + self.installations.sweep(before=before, referenced=existing)
        swept += self.patches.sweep(before=before)
        context.log(Message("objects-deleted", count=swept))
        with context.complete() as session:
            cancel_abandoned(session, at=context.clock())
            part_queries.delete_old_checkpoints(session, before=context.clock() - _KEPT)
            part_queries.delete_abandoned_parts(session)
            metadata_queries.delete_expired_responses(session, before=context.clock())


class CleanTasks(Struct, frozen=True):
    """Deletes tasks that ended a month ago."""

    task_type: str = maintenance.TASKS

    def run(self, context: TaskContext) -> None:
        with context.complete() as session:
            # When the next one is due is counted from the last.
            queries.delete_ended(session, before=context.clock() - _KEPT, but_newest_of=maintenance.WEEKLY)


class CleanNotifications(Struct, frozen=True):
    """Deletes notifications that are older than three months, and the events that were announced then."""

    task_type: str = maintenance.NOTIFICATIONS

    def run(self, context: TaskContext) -> None:
        before = context.clock() - _NOTIFICATIONS_KEPT
        with context.checkpoint() as session:
            event_queries.number(session)
        with context.complete() as session:
            notification_queries.delete_old(session, before=before)
            event_queries.delete_announced(session, before=before)


class CleanStatistics(Struct, frozen=True):
    """Records the free space of disks, and deletes old records.

    Those of downloads and disks are kept for three months, entries of the audit log as long as its setting says.
    """

    settings: Settings
    reports: Reports
    task_type: str = maintenance.STATISTICS

    def run(self, context: TaskContext) -> None:
        now, free = context.clock(), self.reports.record_disks()
        with context.complete() as session:
            report_queries.add_disk_days(session, free, day=now.date())
            report_queries.delete_disk_days(session, before=(now - _RECORDS_KEPT).date())
            transfer_queries.delete_before(session, before=(now - _RECORDS_KEPT).date())
            audit_queries.delete_before(session, before=now - timedelta(days=self.settings.audit_log_days))


class ComputePlaceholders(Struct, frozen=True):
    """Computes the placeholders of pictures that have none, in batches."""

    artwork: Artwork
    task_type: str = maintenance.PLACEHOLDERS

    def run(self, context: TaskContext) -> None:
        tinted, after = 0, ""
        while pictures := self._without_placeholder(context, after=after):
            placeholders = self.artwork.placeholders(pictures)
            with context.checkpoint() as session:
                artwork_queries.set_placeholders(session, placeholders)
            tinted, after = tinted + len(placeholders), pictures[-1].id
        context.log(Message("colors-found", count=tinted))

    def _without_placeholder(self, context: TaskContext, *, after: str) -> Sequence[Picture]:
        with context.db.read() as session:
            return artwork_queries.without_placeholder(session, after=after, most=_PICTURES_AT_ONCE)


class RebuildIndex(Struct, frozen=True):
    """Rewrites search entries that an earlier version of the index wrote, in batches."""

    task_type: str = maintenance.INDEX

    def run(self, context: TaskContext) -> None:
        with context.db.read() as session:
            total = search_queries.count_outdated(session)
        rebuilt, after = 0, ""
        while game_ids := self._outdated(context, after=after):
            with context.checkpoint() as session:
                search_queries.reindex(session, game_ids)
            rebuilt, after = rebuilt + len(game_ids), game_ids[-1]
            context.advance(rebuilt, total)
        context.log(Message("entries-rebuilt", count=rebuilt))

    def _outdated(self, context: TaskContext, *, after: str) -> Sequence[str]:
        with context.db.read() as session:
            return search_queries.outdated(session, after=after, limit=_ENTRIES_AT_ONCE)
