"""Listing old versions, and starting to delete them."""

from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec import Struct

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.domain.libraries import queries as library_queries
from playdock.domain.libraries.service import is_managed
from playdock.features.library_files.changes import FileChanges
from playdock.features.old_versions import queries, rules
from playdock.features.old_versions.schemas import MAX_VERSIONS
from playdock.kit.messages import Message
from playdock.models import Game, Version
from playdock.stored_file_changes import DeleteOldVersionsArguments
from playdock.tasks.enqueueing import enqueue
from playdock.tasks.new_task import NewTask, Queue

DELETE_OLD = "delete:old-versions"


def old_versions(versions: Sequence[Version], *, keep: int) -> list[str]:
    """Return the ids of the old versions of a game, newest first; for tasks too."""
    in_order = [rules.VersionInOrder(version.id, version.platform, version.base_id) for version in versions]
    return rules.old_versions(in_order, keep=keep)


class OldVersions(Struct, frozen=True):
    """The versions of managed libraries that newer ones have superseded."""

    changes: FileChanges

    def list_all(self, actor: Actor, *, keep: int) -> Sequence[tuple[Game, Version]]:
        """Return the old versions, by game and newest first."""
        actor.require(Permission.LIBRARY_WRITE)
        return list(islice(self._all(keep), MAX_VERSIONS))

    def _all(self, keep: int) -> Iterator[tuple[Game, Version]]:
        with self.changes.db.read() as session:
            managed = [library.id for library in library_queries.list_all(session) if is_managed(library)]
            for game, versions in queries.games_with_more(session, managed, keep=keep):
                by_id = {version.id: version for version in versions}
                yield from ((game, by_id[version_id]) for version_id in old_versions(versions, keep=keep))

    def delete(self, actor: Actor, version_ids: Sequence[str], *, keep: int) -> str:
        """Start deleting versions with their files into the trash, and return the task's id.

        Raises:
            TaskAlreadyRunning: old versions are being deleted.
        """
        actor.require(Permission.LIBRARY_WRITE)
        actor.require(Permission.VERSION_DELETE)
        task = NewTask(
            task_type=DELETE_OLD,
            name=Message("old-versions-delete"),
            subject=DELETE_OLD,
            queue=Queue.LOW,
            acls=(Permission.LIBRARY_WRITE, Permission.TASK_READ),
            arguments=DeleteOldVersionsArguments(keep=keep, versions=tuple(version_ids)),
        )
        with self.changes.db.write() as session:
            task_id = enqueue(session, task, at=self.changes.clock())
        self.changes.notify_runner()
        return task_id
