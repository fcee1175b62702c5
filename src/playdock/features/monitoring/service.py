"""Collecting the figures."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial

from msgspec import Struct, field

from playdock.db.database import Database
from playdock.domain.libraries.queries import has_games, list_all
from playdock.domain.libraries.service import LibraryBackends
from playdock.features.damage.queries import count_damaged
from playdock.features.monitoring import queries
from playdock.features.monitoring.queries import ActiveTasks
from playdock.features.reports.queries import count_failed
from playdock.kit.clock import Clock
from playdock.models import Library
from playdock.nodes.queries import list_alive
from playdock.settings import Settings
from playdock.storage.archives import Archives
from playdock.storage.probes import ProbePool

# A library that takes longer counts as unavailable. Prometheus waits ten seconds for all figures.
_PROBE_SECONDS = 2.0
_RECENT = timedelta(days=1)


class TaskFigure(Struct, frozen=True):
    """How many tasks of a type wait or run, and the seconds for which the first of them has been doing so."""

    queue: str
    task_type: str
    state: str
    count: int
    oldest_seconds: float


class LibraryFigure(Struct, frozen=True):
    """Whether a library can be used now."""

    name: str
    is_available: bool


class CacheFigure(Struct, frozen=True):
    """The size of a cache on disk and its limit, in bytes."""

    name: str
    size: int
    limit: int


class NodeFigure(Struct, frozen=True):
    """How many processes of a release run on a node."""

    name: str
    release: str
    processes: int


class ServerFigures(Struct, frozen=True):
    """All figures. ``failed_tasks`` are those of the last day."""

    nodes: Sequence[NodeFigure]
    tasks: Sequence[TaskFigure]
    failed_tasks: int
    damaged_versions: int
    libraries: Sequence[LibraryFigure]
    caches: Sequence[CacheFigure]


class Monitoring(Struct, frozen=True):
    """The figures of the whole service."""

    db: Database
    clock: Clock
    settings: Settings
    backends: LibraryBackends
    archives: Archives
    probes: ProbePool[bool] = field(default_factory=ProbePool)

    def figures(self) -> ServerFigures:
        """Return all figures. A library whose disk hangs is unavailable; this does not wait for it."""
        now = self.clock()
        with self.db.read() as session:
            active = queries.active_tasks(session)
            failed = count_failed(session, since=now - _RECENT)
            damaged = count_damaged(session)
            libraries = {library: has_games(session, library.id) for library in list_all(session)}
            patches = queries.patch_bytes(session)
            processes = Counter((node.name, node.release) for node in list_alive(session, at=now))
        unpacked = self.archives.unpacked.used_bytes
        return ServerFigures(
            nodes=[NodeFigure(*key, count) for key, count in processes.items()],
            tasks=[figure for each in active for figure in _tasks(each, now)],
            failed_tasks=failed,
            damaged_versions=damaged,
            libraries=self._libraries(libraries),
            caches=[
                CacheFigure("patches", patches, self.settings.patches_max_bytes),
                CacheFigure("unpacked", unpacked, self.settings.unpacked_max_bytes),
            ],
        )

    def _libraries(self, libraries: Mapping[Library, bool]) -> list[LibraryFigure]:
        """Return which libraries can be read, of which it is known whether they have games."""
        probes = {row.id: partial(self._is_available, row, has_games=known) for row, known in libraries.items()}
        found = self.probes.probe(probes, seconds=_PROBE_SECONDS)
        return [LibraryFigure(library.name, found.get(library.id, False)) for library in libraries]

    def _is_available(self, library: Library, *, has_games: bool) -> bool:
        return self.backends.fault_of(library, has_games=has_games) is None


def _tasks(active: ActiveTasks, now: datetime) -> Iterator[TaskFigure]:
    waiting = active.total - active.running
    for state, count, since in (("waiting", waiting, active.due), ("running", active.running, active.started)):
        if count:
            # A task that is due later, because it is retried, does not wait yet.
            seconds = max(0.0, (now - since).total_seconds()) if since else 0.0
            yield TaskFigure(active.queue, active.task_type, state, count, seconds)
