"""The tasks that verify versions."""

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice

from msgspec import Struct

from playdock.content.damage import FileProblem
from playdock.content.errors import UnusableVersion
from playdock.content.layouts import titled
from playdock.content.records import Layer
from playdock.domain.events import queries as event_queries
from playdock.domain.installations.errors import LayerMissing
from playdock.domain.installations.service import Installations, VersionRevision
from playdock.domain.libraries.service import GameFiles, LibraryBackends
from playdock.features.damage import queries, rules
from playdock.features.damage.queries import UnverifiedVersion, VersionOnDisk
from playdock.features.damage.rules import WHOLE_VERSION
from playdock.features.damage.service import ALL, ONE
from playdock.kit.messages import Message
from playdock.kit.storage_failures import retryable_storage_failure, system_error
from playdock.storage.backends import LibraryBackend, NotListed
from playdock.storage.library_policy import LocationUnusable
from playdock.storage.verifying import verify
from playdock.stored import VerifyVersionArguments
from playdock.tasks.context import TaskContext
from playdock.tasks.errors import RetryableFailure, TaskFailed

# A failing disk may damage every file of a large game; this many show the extent.
_MAX_REPORTED = 100
# A list of all versions of a large store would take hundreds of megabytes while they are verified, which takes days.
_BATCH_VERSIONS = 100


class _LibraryUnavailable(Exception):
    """A library currently cannot be read, which is not damage; the message is the reason."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


class VerifyContent(Struct, frozen=True):
    """Verifies all versions, least recently verified first.

    After an interruption, versions verified since the task was created are skipped.
    """

    installations: Installations
    backends: LibraryBackends
    task_type: str = ALL

    def run(self, context: TaskContext) -> None:
        since = context.task.created
        with context.db.read() as session:
            done, total = queries.size_verified(session, since=since), queries.size_of_all(session)
        after = None
        while versions := _unverified(context, since=since, after=after):
            for version in versions:
                self._verify(context, version.id, done=done, total=total)
                done += version.size
            after = versions[-1]

    def _verify(self, context: TaskContext, version_id: str, *, done: int, total: int) -> None:
        with context.db.read() as session:
            on_disk = queries.find_on_disk(session, version_id)
        if on_disk is None:
            return
        try:
            files = self.backends.files_of(on_disk.game, on_disk.library)
            verify_version(self.installations, context, on_disk, files, done=done, total=total)
        except _LibraryUnavailable as reason:
            _log_skipped(context, on_disk, reason.message)
        except LayerMissing as reason:
            _log_skipped(context, on_disk, reason.message())


class VerifyVersion(Struct, frozen=True):
    """Verifies one version."""

    installations: Installations
    backends: LibraryBackends
    task_type: str = ONE

    def run(self, context: TaskContext) -> None:
        with context.db.read() as session:
            on_disk = queries.find_on_disk(session, context.arguments(VerifyVersionArguments).version)
        if on_disk is None:
            raise TaskFailed("Version deleted", Message("version-deleted-before-verifying"))
        try:
            files = self.backends.files_of(on_disk.game, on_disk.library)
            verify_version(self.installations, context, on_disk, files, done=0, total=on_disk.version.size)
        except _LibraryUnavailable as reason:
            raise RetryableFailure("Library unreadable", reason.message) from None


def verify_version(
    installations: Installations,
    context: TaskContext,
    on_disk: VersionOnDisk,
    files: GameFiles,
    *,
    done: int,
    total: int,
) -> None:
    """Read a version and save the damage found; `done` and `total` are bytes of the whole task.

    Raises:
        LayerMissing: the records to compare with are missing.
        _LibraryUnavailable: its library cannot be read.
    """
    began = context.clock()
    layer = installations.layer(VersionRevision.of(on_disk.version))
    problems = _find_damage(context, on_disk, layer, files, done=done, total=total)
    _log_damage(context, on_disk, problems)
    reported = dict(islice(_worst_first(problems), _MAX_REPORTED))
    with context.checkpoint() as session:
        settled = queries.settle(session, on_disk, reported, since=began, at=context.clock())
        for problem in sorted(rules.problems_of(reported) if settled else ()):
            event_queries.add_problem(session, problem, on_disk.version.id, at=context.clock())


def _unverified(
    context: TaskContext, *, since: datetime, after: UnverifiedVersion | None
) -> Sequence[UnverifiedVersion]:
    with context.db.read() as session:
        return queries.unverified(session, since=since, after=after, limit=_BATCH_VERSIONS)


def _find_damage(
    context: TaskContext, on_disk: VersionOnDisk, layer: Layer, files: GameFiles, *, done: int, total: int
) -> dict[str, FileProblem]:
    """Return the damaged files. Damage counts only if the library is still available afterwards."""
    try:
        tree = files.open(on_disk.version)
        problems = verify(
            tree, layer, workers=os.cpu_count() or 1, report=lambda read: context.advance(done + read, total)
        )
    except (NotListed, FileNotFoundError, NotADirectoryError):
        problems = {WHOLE_VERSION: FileProblem.MISSING}
    except UnusableVersion:
        problems = {WHOLE_VERSION: FileProblem.UNREADABLE}
    except LocationUnusable as reason:
        raise _LibraryUnavailable(Message("library-unreadable", reason=reason.message)) from None
    except OSError as error:
        raise _LibraryUnavailable(
            retryable_storage_failure(error) or Message("storage-failed", reason=system_error(error))
        ) from None
    if problems:
        _check_presence(files.backend)
    return problems


def _check_presence(backend: LibraryBackend) -> None:
    try:
        present = backend.games()
    except LocationUnusable as reason:
        raise _LibraryUnavailable(Message("library-unreadable", reason=reason.message)) from None
    if not present:
        raise _LibraryUnavailable(Message("library-empty"))


def _log_skipped(context: TaskContext, on_disk: VersionOnDisk, reason: Message) -> None:
    context.log(Message("version-left-out", version=_name(on_disk), reason=reason), level="warn")


def _log_damage(context: TaskContext, on_disk: VersionOnDisk, problems: Mapping[str, FileProblem]) -> None:
    for line in _lines(_name(on_disk), problems):
        context.log(line, level="warn")


def _lines(version: str, problems: Mapping[str, FileProblem]) -> Iterator[Message]:
    for path, problem in islice(_worst_first(problems), _MAX_REPORTED):
        fault = Message(f"damage-{problem}")
        if path:
            yield Message("file-damaged", version=version, file=path, fault=fault)
        else:
            yield Message("version-damaged", version=version, fault=fault)
    if len(problems) > _MAX_REPORTED:
        yield Message("more-damaged", version=version, count=len(problems) - _MAX_REPORTED)


def _worst_first(problems: Mapping[str, FileProblem]) -> list[tuple[str, FileProblem]]:
    """Return problems by path, those that are damage first: only so many are recorded."""
    return sorted(problems.items(), key=lambda each: (each[1] is FileProblem.ADDED, each[0]))


def _name(on_disk: VersionOnDisk) -> str:
    return titled(on_disk.game.name, on_disk.version.name, on_disk.version.label)
