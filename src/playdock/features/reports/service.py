"""Collecting the figures of a report."""

import platform
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from time import monotonic
from urllib.parse import urlsplit

from msgspec import Struct, field

from playdock import __version__
from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.backups.rules import TASK_TYPE as BACKUP
from playdock.db.database import Database
from playdock.db.migrate import server_version
from playdock.domain.libraries.queries import list_all
from playdock.domain.libraries.service import LibraryBackends, base_dir_of, is_managed
from playdock.domain.transfers import queries as transfer_queries
from playdock.domain.transfers.rules import Day
from playdock.features.damage.queries import count_damaged
from playdock.features.delivery.rules import channels_set_up
from playdock.features.delivery.service import TASK_TYPES
from playdock.features.reports import queries, rules
from playdock.features.reports.queries import LibraryTotal, StoredGame, Unanswered
from playdock.features.reports.rules import Check, DiskRecord
from playdock.fetching.certificates import expiry_of
from playdock.kit.clock import Clock
from playdock.kit.messages import Message
from playdock.kit.storage_failures import system_error
from playdock.metadata.providers import MANUAL, Providers
from playdock.models import Library
from playdock.settings import Settings
from playdock.storage.probes import ProbePool

# The dashboard opens within this time even if a library's file server hangs; a working disk responds in milliseconds.
_PROBE_SECONDS = 1.0
# The disk of the data folder in the records; others have the id of a library.
DATA = "data"
_HTTPS_PORT = 443
# The check of tasks says "in the last day".
_RECENT = timedelta(days=1)


class DiskProbe(Struct, frozen=True):
    """What is wrong with a library's folder, None if nothing, its free bytes, None if unknown, and the probe's time.

    ``total`` are the bytes of the disk of a managed library.
    """

    fault: Message | None
    free: int | None
    seconds: float = 0.0
    total: int = 0


class LibraryUsage(Struct, frozen=True):
    """A library, the state of its disk, its totals, and those of its games that are among the largest of all."""

    library: Library
    disk: DiskProbe
    total: LibraryTotal
    largest: Sequence[StoredGame]


class ServerOverview(Struct, frozen=True):
    """What the service stores, what it sent by day, and its health checks."""

    storage: Sequence[LibraryUsage]
    days: Sequence[Day]
    checks: Sequence[Check]


class Reports(Struct, frozen=True):
    """The figures of the administrators' dashboard."""

    db: Database
    clock: Clock
    settings: Settings
    providers: Providers
    backends: LibraryBackends
    probes: ProbePool[DiskProbe] = field(default_factory=ProbePool)
    certificates: ProbePool[datetime | None] = field(default_factory=ProbePool)

    def overview(self, actor: Actor, *, address: str) -> ServerOverview:
        """Return all figures; ``address`` is what links begin with.

        A library whose disk hangs is reported as not responding; this does not wait for it.
        """
        actor.require(Permission.MAINTENANCE_READ)
        now = self.clock()
        with self.db.read() as session:
            libraries = list_all(session)
            totals = queries.library_totals(session)
            largest = queries.largest_games(session, most=rules.MAX_GAMES)
            days = transfer_queries.days(session, since=rules.first_day(now.date()))
            damaged = count_damaged(session)
            failed = queries.count_failed(session, since=now - _RECENT)
            backups = queries.last_ends(session, BACKUP)
            deliveries = {
                channel: queries.last_ends(session, TASK_TYPES[channel]) for channel in channels_set_up(self.settings)
            }
            disks = queries.disk_days(session, since=rules.first_day(now.date()))
            unanswered = queries.unanswered(session)
            database_version = server_version(session)
        storage = self._storage(libraries, totals, largest)
        checks = [
            *_check_libraries(storage, disks),
            _check_folder(self.settings.data_dir, disks.get(DATA, ())),
            rules.versions(damaged),
            rules.tasks(failed),
            *([rules.backups(backups, now=now)] if self.settings.backup_folder else ()),
            *filter(None, (rules.delivery(channel, last) for channel, last in deliveries.items())),
            *self._check_settings(address, unanswered),
            *self._check_certificate(now),
            rules.software(__version__, platform.python_version(), database_version),
        ]
        return ServerOverview(storage, rules.padded(days, today=now.date()), checks)

    def record_disks(self) -> dict[str, int]:
        """Return the free bytes of the disks that can be read, to be recorded daily."""
        with self.db.read() as session:
            libraries = list_all(session)
        folders = {library.id: partial(_probe, self.backends, library, has_games=False) for library in libraries}
        found = self.probes.probe(folders, seconds=_PROBE_SECONDS)
        free = {library_id: probe.free for library_id, probe in found.items() if probe.free is not None}
        with suppress(OSError):
            free[DATA] = shutil.disk_usage(self.settings.data_dir).free
        return free

    def _check_certificate(self, now: datetime) -> Iterator[Check]:
        """Yield the check of the certificate that others see, unless this machine cannot see it."""
        address = self.settings.address
        if not self.settings.secure:
            return
        parts = urlsplit(address)
        read = partial(expiry_of, parts.hostname or "", parts.port or _HTTPS_PORT, seconds=_PROBE_SECONDS)
        expires = self.certificates.probe({address: read}, seconds=_PROBE_SECONDS).get(address)
        if expires is not None:
            yield rules.certificate(expires, now=now)

    def _storage(
        self, libraries: Sequence[Library], totals: Mapping[str, LibraryTotal], largest: Sequence[StoredGame]
    ) -> list[LibraryUsage]:
        folders = {
            base_dir_of(library): partial(
                _probe, self.backends, library, has_games=library.id in totals and totals[library.id].games > 0
            )
            for library in libraries
        }
        disks = self.probes.probe(folders, seconds=_PROBE_SECONDS)
        unavailable = DiskProbe(rules.NOT_RESPONDING, None)
        return [
            LibraryUsage(
                library,
                disks.get(base_dir_of(library), unavailable),
                totals.get(library.id, LibraryTotal()),
                [game for game in largest if game.library_id == library.id],
            )
            for library in libraries
        ]

    def _check_settings(self, address: str, unanswered: Unanswered) -> Iterator[Check]:
        yield rules.address(address)
        names = [name for name in self.providers.names if name != MANUAL]
        yield rules.providers(names, unanswered=unanswered.folders, reason=unanswered.reason)
        yield from map(rules.provider_without_keys, self.providers.missing(self.settings.named_providers))
        yield rules.database(embedded=self.db.embedded)


def _check_folder(folder: Path, records: Sequence[DiskRecord]) -> Check:
    try:
        disk = shutil.disk_usage(folder)
    except OSError as error:
        return rules.no_data_folder(system_error(error))
    return rules.free_space(disk.free, disk.total, left=rules.days_left(records, free=disk.free))


def _check_libraries(storage: Sequence[LibraryUsage], disks: Mapping[str, Sequence[DiskRecord]]) -> list[Check]:
    return [_check_library(usage, disks.get(usage.library.id, ())) for usage in storage] or [rules.no_library()]


def _check_library(usage: LibraryUsage, records: Sequence[DiskRecord]) -> Check:
    free = usage.disk.free
    left = None if free is None else rules.days_left(records, free=free)
    return rules.library(
        usage.library.name, usage.disk.fault, seconds=usage.disk.seconds, free=free, total=usage.disk.total, left=left
    )


def _probe(backends: LibraryBackends, library: Library, *, has_games: bool) -> DiskProbe:
    start = monotonic()
    fault = backends.fault_of(library, has_games=has_games)
    try:
        disk = shutil.disk_usage(base_dir_of(library))
    except OSError:
        return DiskProbe(fault, None, monotonic() - start)
    return DiskProbe(fault, disk.free, monotonic() - start, disk.total if is_managed(library) else 0)
