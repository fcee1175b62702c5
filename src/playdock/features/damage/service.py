"""Knowing of damage: noting it where it is met, listing it, and letting a version be verified."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

import structlog

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.content.damage import FileFault
from playdock.db.database import Database
from playdock.features.damage import queries
from playdock.features.damage.queries import Seen
from playdock.features.games.errors import VersionUnknown
from playdock.jobs.drafts import Lane, TaskDraft
from playdock.jobs.enqueueing import enqueue
from playdock.kit.clock import Clock
from playdock.models import Damage, Game, Version

ALL = "verify:content"
ONE = "verify:version"

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Spoiled:
    """A version and its damaged files, by path."""

    game: Game
    version: Version
    files: Sequence[Damage]


@dataclass(frozen=True, slots=True)
class Damages:
    """The damage that is known of."""

    db: Database
    clock: Clock
    wake: Callable[[], None]

    def report(self, version_id: str, path: str, fault: FileFault, *, seen: Seen | None = None) -> None:
        """Note that a file is not as it was imported, unless the version is not what was ``seen`` any more.

        The version is that whose layer has the file. What is known costs one short look. Call it with no transaction
        open, from any thread.
        """
        with self.db.read() as session:
            if queries.is_known(session, version_id, path):
                return
        with self.db.write() as session:
            added = queries.add(session, version_id, path, fault, seen=seen, at=self.clock())
        if added:
            _log.warning("a file is not as it was imported", version=version_id, path=path, fault=fault.value)

    def everything(self, actor: Actor) -> list[Spoiled]:
        """List all damaged versions with their damaged files, by the games' names."""
        actor.require(Acl.MAINTENANCE_READ)
        with self.db.read() as session:
            found = queries.everything(session)
        of_version = (list(some) for _, some in groupby(found, key=lambda each: each.version.id))
        return [Spoiled(some[0].game, some[0].version, [each.damage for each in some]) for some in of_version]

    def verify(self, actor: Actor, version_id: str) -> str:
        """Start verifying a version and give the task's id.

        Raises:
            VersionUnknown: there is none.
            TaskAlreadyRunning: it is being verified.
        """
        actor.require(Acl.TASK_START)
        with self.db.read() as session:
            lying = queries.find_lying(session, version_id)
        if lying is None:
            raise VersionUnknown
        draft = TaskDraft(
            group=ONE,
            name=f"Verify {lying.game.name} {lying.version.name}",
            subject=f"verify:{version_id}",
            lane=Lane.HEAVY,
            acls=(Acl.TASK_READ, Acl.TASK_START),
            arguments={"version": version_id},
        )
        with self.db.write() as session:
            task_id = enqueue(session, draft, at=self.clock())
        self.wake()
        return task_id
