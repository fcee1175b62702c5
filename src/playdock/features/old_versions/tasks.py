"""The task that deletes old versions."""

from msgspec import Struct

from playdock.domain.games import queries as game_queries
from playdock.domain.library_files import queries as change_queries
from playdock.features.library_files.errors import FilesChanging
from playdock.features.library_files.tasks import ChangeExecutor
from playdock.features.old_versions.service import DELETE_OLD, old_versions
from playdock.kit.errors import PlaydockError
from playdock.kit.identifiers import new_id
from playdock.kit.messages import Message
from playdock.models import FileChange, Version
from playdock.stored_file_changes import DeleteOldVersionsArguments
from playdock.tasks.context import TaskContext
from playdock.tasks.errors import TaskFailed


class DeleteOldVersions(Struct, frozen=True):
    """Deletes versions into the trash, one after another, and goes on with the next if one cannot be deleted."""

    executor: ChangeExecutor
    task_type: str = DELETE_OLD

    def run(self, context: TaskContext) -> None:
        arguments = context.arguments(DeleteOldVersionsArguments)
        deleted = 0
        for number, version_id in enumerate(arguments.versions):
            context.advance(number, len(arguments.versions))
            with context.db.read() as session:
                version = game_queries.find_version(session, version_id)
            if version is None:
                continue
            try:
                deleted += self._delete(context, version, keep=arguments.keep)
            except (PlaydockError, TaskFailed) as error:
                reason = error.message() if isinstance(error, PlaydockError) else error.detail
                kept = Message("old-version-kept", version=version.label or version.name, reason=reason)
                context.log(kept, level="warn")
        context.log(Message("old-versions-deleted", count=deleted))

    def _delete(self, context: TaskContext, version: Version, *, keep: int) -> bool:
        """Delete a version if it is still old. Raises why it cannot be deleted."""
        with context.db.read() as session:
            begun = change_queries.change_of_game(session, version.game_id)
            versions = game_queries.versions_of(session, version.game_id)
        if begun is None or begun.task_id != context.task.id:
            if version.id not in old_versions(versions, keep=keep):
                return False
            begun = self._begin(context, version)
        self.executor.carry_out(context, begun)
        return True

    def _begin(self, context: TaskContext, version: Version) -> FileChange:
        change_id = new_id()
        _, place = self.executor.changes.place_of_version(version.id)
        planned = self.executor.changes.planned_deletion(version, place, change_id)
        with context.checkpoint() as session:
            change = self.executor.changes.add(session, planned, change_id, task_id=context.task.id)
        if change is None:
            raise FilesChanging
        return change
