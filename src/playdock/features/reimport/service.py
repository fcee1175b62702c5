"""Letting a version be imported again."""

from collections.abc import Callable
from dataclasses import dataclass

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.db.database import Database
from playdock.features.games.errors import VersionUnknown
from playdock.features.libraries.service import backend_of
from playdock.features.reimport import queries
from playdock.features.version_import.service import explained, subject_of
from playdock.jobs.drafts import Lane, TaskDraft
from playdock.jobs.enqueueing import enqueue
from playdock.kit.clock import Clock
from playdock.models import Game, Version

GROUP = "reimport:version"


@dataclass(frozen=True, slots=True)
class Reimports:
    """The way from changed files to a version that has them."""

    db: Database
    clock: Clock
    wake: Callable[[], None]

    def start(self, actor: Actor, version_id: str) -> str:
        """Start importing a version again and give the task's id.

        Raises:
            VersionUnknown: there is none.
            LibraryOffline, GameFolderUnreadable, VersionNotListed, VersionUnusable: there is nothing to import.
            TaskAlreadyRunning: it is being imported.
        """
        actor.require(Acl.IMPORT_VERSION)
        with self.db.read() as session:
            standing = queries.find_standing(session, version_id)
        if standing is None:
            raise VersionUnknown
        with explained():
            backend_of(standing.library).open(standing.game.path, standing.version.name)
        with self.db.write() as session:
            task_id = enqueue(session, draft_of(standing.game, standing.version), at=self.clock())
        self.wake()
        return task_id


def draft_of(game: Game, version: Version) -> TaskDraft:
    """Give the task that imports a version again."""
    return TaskDraft(
        group=GROUP,
        name=f"Import {game.name} {version.name} again",
        subject=subject_of(game.id, version.name),
        lane=Lane.HEAVY,
        acls=(Acl.IMPORT_VERSION,),
        arguments={"version": version.id},
    )
