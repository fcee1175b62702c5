"""The tasks that read versions again."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from playdock.content.damage import FileFault
from playdock.content.errors import UnusableVersion
from playdock.content.records import Layer
from playdock.features.damage import queries
from playdock.features.damage.queries import Lying
from playdock.features.damage.service import ALL, ONE
from playdock.features.installations.errors import LayerLost
from playdock.features.installations.service import Installations, Revision
from playdock.features.libraries.service import backend_of
from playdock.jobs.errors import PassingFault, TaskFailed
from playdock.jobs.work import Work
from playdock.kit.faults import passing_fault
from playdock.storage.backends import LibraryBackend, NotListed, PlaceUnusable
from playdock.storage.verifying import verify

_MOST_TOLD = 100
_WHOLE_VERSION = ""


class _Away(Exception):
    """A library cannot be read now, which says nothing of its versions; the message says why."""


@dataclass(frozen=True, slots=True)
class VerifyContent:
    """Verifies all versions, those first that have not been for longest.

    What is verified since the task was called for is not read again after an interruption.
    """

    installations: Installations
    group: str = ALL

    def run(self, work: Work) -> None:
        since = work.task.created
        with work.db.read() as session:
            done = queries.verified_size(session, since=since)
            waiting = queries.unverified(session, since=since)
        total = done + sum(version.size for version in waiting)
        for version in waiting:
            self._verify(work, version.id, done=done, total=total)
            done += version.size

    def _verify(self, work: Work, version_id: str, *, done: int, total: int) -> None:
        with work.db.read() as session:
            lying = queries.find_lying(session, version_id)
        if lying is None:
            return
        try:
            verify_version(self.installations, work, lying, done=done, total=total)
        except (_Away, LayerLost) as reason:
            work.log(f"Left out {_name(lying)}. {reason}", level="warn")


@dataclass(frozen=True, slots=True)
class VerifyVersion:
    """Verifies one version."""

    installations: Installations
    group: str = ONE

    def run(self, work: Work) -> None:
        with work.db.read() as session:
            lying = queries.find_lying(session, work.arguments["version"])
        if lying is None:
            raise TaskFailed("Version gone", "The version was deleted before it was verified.")
        try:
            verify_version(self.installations, work, lying, done=0, total=lying.version.size)
        except _Away as reason:
            raise PassingFault("Library unreadable", str(reason)) from None


def verify_version(installations: Installations, work: Work, lying: Lying, *, done: int, total: int) -> None:
    """Read a version and write down what was found; `done` and `total` are bytes of the whole task.

    Raises:
        LayerLost: there is nothing to hold it to.
        _Away: its library cannot be read.
    """
    began = work.clock()
    layer = installations.layer(Revision.of(lying.version))
    faults = _faults(work, lying, layer, done=done, total=total)
    _tell(work, lying, faults)
    told = dict(islice(sorted(faults.items()), _MOST_TOLD))
    with work.checkpoint() as session:
        queries.settle(session, lying, told, since=began, at=work.clock())


def _faults(work: Work, lying: Lying, layer: Layer, *, done: int, total: int) -> dict[str, FileFault]:
    """Read what there is. What seems broken is only believed if the library is there afterwards."""
    backend = backend_of(lying.library)
    try:
        tree = backend.open(lying.game.path, lying.version.name)
        faults = verify(tree, layer, workers=os.cpu_count() or 1, tell=lambda read: work.advance(done + read, total))
    except (NotListed, FileNotFoundError, NotADirectoryError):
        faults = {_WHOLE_VERSION: FileFault.MISSING}
    except UnusableVersion:
        faults = {_WHOLE_VERSION: FileFault.UNREADABLE}
    except PlaceUnusable as reason:
        raise _Away(f"The library cannot be read. {reason}") from None
    except OSError as error:
        raise _Away(passing_fault(error) or f"The storage failed: {error.strerror}.") from None
    if faults:
        _check_presence(backend)
    return faults


def _check_presence(backend: LibraryBackend) -> None:
    try:
        present = backend.games()
    except PlaceUnusable as reason:
        raise _Away(f"The library cannot be read. {reason}") from None
    if not present:
        raise _Away("The library's folder is empty, as if its disk were not mounted.")


def _tell(work: Work, lying: Lying, faults: Mapping[str, FileFault]) -> None:
    for line in _lines(faults):
        work.log(f"{_name(lying)}: {line}", level="warn")


def _lines(faults: Mapping[str, FileFault]) -> Iterator[str]:
    for path, fault in islice(sorted(faults.items()), _MOST_TOLD):
        yield f"{path or 'the whole version'}: {fault}"
    if len(faults) > _MOST_TOLD:
        yield f"{len(faults) - _MOST_TOLD:,} more files"


def _name(lying: Lying) -> str:
    return f"{lying.game.name} {lying.version.name}"
