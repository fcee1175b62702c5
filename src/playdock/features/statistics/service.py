"""Writing down what is sent, and telling administrators how the service is."""

import shutil
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from pathlib import Path

import structlog

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.db.database import Database
from playdock.features.damage.queries import count_damaged
from playdock.features.libraries.queries import everything
from playdock.features.libraries.service import fault_of
from playdock.features.statistics import queries, rules
from playdock.features.statistics.queries import StoredGame
from playdock.features.statistics.rules import Check, Day, Download
from playdock.kit.clock import Clock
from playdock.metadata.providers import MANUAL, Providers
from playdock.models import Library
from playdock.settings import Settings
from playdock.storage.lookout import Lookout

_PAUSE_SECONDS = 5.0
_LOOK_SECONDS = 1.0
_LATELY = timedelta(days=1)

_log = structlog.get_logger()


def _one_thread() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, thread_name_prefix="transfer-books")


@dataclass(slots=True)
class TransferBooks:
    """What is sent: gathered in memory, and written down every few seconds by a thread of its own.

    What cannot be written is kept, and tried again with what comes next.
    """

    db: Database
    clock: Clock
    pause: float = _PAUSE_SECONDS
    _sent: Counter[Download] = field(default_factory=Counter)
    _due: bool = False
    _closing: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _thread: ThreadPoolExecutor = field(default_factory=_one_thread)

    def add(self, user_id: str, version_id: str, sent: int) -> None:
        """Count bytes of a version that a user was sent. It waits for nothing."""
        if not sent:
            return
        with self._lock:
            self._sent[Download(self.clock().date(), user_id, version_id)] += sent
            if not (self._due or self._closing.is_set()):
                self._due = True
                self._thread.submit(self._write_soon)

    def write(self) -> None:
        """Write down what was gathered, now."""
        with self._lock:
            sent, self._sent, self._due = self._sent, Counter(), False
        if not sent:
            return
        try:
            with self.db.write() as session:
                users = queries.hold_users(session, {download.user_id for download in sent})
                queries.add(session, sent, users=users)
        except Exception as error:  # noqa: BLE001 - nobody waits for the answer
            _log.error("what was sent could not be written down", bytes=sent.total(), reason=str(error))
            with self._lock:
                self._sent.update(sent)

    def close(self) -> None:
        """Write down all that is left."""
        with self._lock:
            self._closing.set()
        self._thread.shutdown()
        self.write()

    def _write_soon(self) -> None:
        self._closing.wait(self.pause)
        self.write()


@dataclass(frozen=True, slots=True)
class Seen:
    """What is wrong with a library's place, empty if nothing is, and the bytes free there, None if nobody can tell."""

    fault: str
    free: int | None


@dataclass(frozen=True, slots=True)
class Stored:
    """What a library holds, the largest games first."""

    library: Library
    seen: Seen
    games: Sequence[StoredGame]


@dataclass(frozen=True, slots=True)
class Overview:
    """How the service is: what it holds, what it sent, and what is wrong with it."""

    storage: Sequence[Stored]
    days: Sequence[Day]
    checks: Sequence[Check]


@dataclass(frozen=True, slots=True)
class Statistics:
    """The numbers that administrators look at."""

    db: Database
    clock: Clock
    settings: Settings
    providers: Providers
    lookout: Lookout[Seen] = field(default_factory=Lookout)

    def overview(self, actor: Actor) -> Overview:
        """Tell how the service is. A library whose disk hangs is told of, and not waited for."""
        actor.require(Acl.MAINTENANCE_READ)
        now = self.clock()
        with self.db.read() as session:
            libraries = everything(session)
            games = queries.stored_games(session)
            days = queries.days(session, since=rules.first_day(now.date()))
            damaged = count_damaged(session)
            failed = queries.count_failed(session, since=now - _LATELY)
        storage = self._storage(libraries, games)
        checks = [*_judged(storage), *self._space(), rules.versions(damaged), rules.tasks(failed), *self._set_up()]
        return Overview(storage, rules.padded(days, today=now.date()), checks)

    def _storage(self, libraries: Sequence[Library], games: Sequence[StoredGame]) -> list[Stored]:
        by_library: dict[str, list[StoredGame]] = {library.id: [] for library in libraries}
        for game in games:
            by_library[game.library_id].append(game)
        places = {library.options["baseDir"]: partial(_look_at, library) for library in libraries}
        seen = self.lookout.look(places, seconds=_LOOK_SECONDS)
        away = Seen(rules.NO_ANSWER, None)
        return [
            Stored(library, seen.get(library.options["baseDir"], away), by_library[library.id]) for library in libraries
        ]

    def _space(self) -> Iterator[Check]:
        if self.settings.needs_data_dir:
            yield _space_in(self.settings.data_dir)

    def _set_up(self) -> Iterator[Check]:
        """Judge what the settings say."""
        yield rules.address(self.settings.address)
        yield rules.providers([name for name in self.providers.names if name != MANUAL])
        yield from map(rules.provider_without_keys, self.providers.missing(self.settings.named_providers))
        yield rules.database(embedded=self.db.embedded)


def _space_in(folder: Path) -> Check:
    try:
        disk = shutil.disk_usage(folder)
    except OSError as error:
        return rules.no_data_folder(error.strerror or str(error))
    return rules.free_space(disk.free, disk.total)


def _judged(storage: Sequence[Stored]) -> list[Check]:
    return [rules.library(each.library.name, each.seen.fault) for each in storage] or [rules.no_library()]


def _look_at(library: Library) -> Seen:
    fault = fault_of(library)
    try:
        return Seen(fault, shutil.disk_usage(library.options["baseDir"]).free)
    except OSError:
        return Seen(fault, None)
