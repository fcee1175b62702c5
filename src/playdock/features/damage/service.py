"""Recording and listing damage, and starting to verify versions."""

from collections.abc import Callable, Sequence
from itertools import groupby

import structlog
from msgspec import Struct

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.content.damage import FileProblem
from playdock.content.layouts import shown_version
from playdock.db.database import Database
from playdock.domain.events import queries as event_queries
from playdock.domain.games.errors import VersionUnknown
from playdock.features.damage import queries, rules
from playdock.features.damage.queries import VerifiedLocation
from playdock.kit.clock import Clock
from playdock.kit.messages import Message
from playdock.models import Damage, Game, Version
from playdock.stored import VerifyVersionArguments, verify_subject
from playdock.tasks.enqueueing import enqueue
from playdock.tasks.new_task import NewTask, Queue

ALL = "verify:content"
ONE = "verify:version"

_log = structlog.get_logger()


class DamagedVersionFiles(Struct, frozen=True):
    """A version and its damaged files, by path."""

    game: Game
    version: Version
    files: Sequence[Damage]


class Damages(Struct, frozen=True):
    """Operations on recorded damage."""

    db: Database
    clock: Clock
    notify_runner: Callable[[], None]

    def report(self, version_id: str, path: str, fault: FileProblem, *, seen: VerifiedLocation | None = None) -> None:
        """Record that a file does not match its import, unless the version was changed since it was ``seen``.

        ``version_id`` is the version whose layer contains the file. Known damage costs only one short query. Call this
        with no transaction open; it is safe to call from any thread.
        """
        with self.db.read() as session:
            if queries.is_known(session, version_id, path):
                return
        with self.db.write() as session:
            added = queries.add(session, version_id, path, fault, seen=seen, at=self.clock())
            if added:
                event_queries.add_problem(session, rules.problem_of(fault, path), version_id, at=self.clock())
        if added:
            _log.warning("a file does not match its import", version=version_id, path=path, fault=fault.value)

    def list_all(self, actor: Actor) -> list[DamagedVersionFiles]:
        """Return all damaged versions with their damaged files, sorted by game name."""
        actor.require(Permission.MAINTENANCE_READ)
        with self.db.read() as session:
            rows = queries.list_all(session)
        of_version = (list(some) for _, some in groupby(rows, key=lambda each: each.version.id))
        return [
            DamagedVersionFiles(some[0].game, some[0].version, [each.damage for each in some]) for some in of_version
        ]

    def verify(self, actor: Actor, version_id: str) -> str:
        """Start verifying a version, and return the task's id.

        Raises:
            VersionUnknown: no version has this id.
            TaskAlreadyRunning: it is already being verified.
        """
        actor.require(Permission.TASK_START)
        return self.begin(version_id)

    def begin(self, version_id: str, *, queue: Queue = Queue.CPU) -> str:
        """Start verifying a version, for a task or after the permission was checked. Raises as `verify`."""
        with self.db.read() as session:
            on_disk = queries.find_on_disk(session, version_id)
        if on_disk is None:
            raise VersionUnknown
        shown = shown_version(on_disk.version.name, on_disk.version.label)
        task = NewTask(
            task_type=ONE,
            name=Message("verify-version", game=on_disk.game.name, version=shown),
            subject=verify_subject(version_id),
            queue=queue,
            acls=(Permission.TASK_READ, Permission.TASK_START),
            arguments=VerifyVersionArguments(version=version_id),
        )
        with self.db.write() as session:
            task_id = enqueue(session, task, at=self.clock())
        self.notify_runner()
        return task_id
