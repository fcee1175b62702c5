"""A run: cycles of work, a fault and an examination, until its time is over or an invariant is violated."""

import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any, Self

import msgspec
from msgspec import Struct, field

from playdock.db.database import Database
from postgresql import LOCAL_SETTINGS, Server, execute, find_programs
from processes.service import Service
from torture.acknowledged import Journal
from torture.connection import PASSWORD, Connection, Refused, Responses, Unanswered
from torture.consistency import OF_STORAGE, no_task_is_stuck
from torture.faults import Fault, Target, choose, possible_faults
from torture.invariants import OVER_HTTP, Examination
from torture.workload import KINDS, Client, Importers, Workload

ADMIN = "admin"
# Faults come at any time after the clients have begun, also while the service is still busy with their first requests.
_MAX_WORK_SECONDS = 2.5
# For which the clients use the service after the fault.
_MAX_AFTERWARDS_SECONDS = 1.0
# PostgreSQL recovers in a second; a disk that works again is used at once.
_MAX_RECOVERY_SECONDS = 60.0
# Every so many faults everything is checked instead of a sample.
_THOROUGH_EVERY = 25
# A task is retried for up to eleven minutes after it failed.
_MAX_DRAIN_SECONDS = 900.0
# SIGTERM ends the service with status 0, SIGKILL with -9. Any other status means that it ended by itself.
_EXPECTED_STATUS = (None, 0, -9)


class Progress(Struct):
    """How far a run is, stored after each fault."""

    seed: str
    database: str
    starts: int = 0
    faults: int = 0
    kills: int = 0
    seconds: float = 0.0
    counts: dict[str, int] = field(default_factory=dict)


class Limits(Struct, frozen=True):
    """When a run ends, counted from its first start; 0 for no limit."""

    seconds: float = 0.0
    kills: int = 0
    faults: int = 0

    def reached(self, progress: Progress) -> bool:
        counted = (progress.seconds, self.seconds), (progress.kills, self.kills), (progress.faults, self.faults)
        return any(limit and reached >= limit for reached, limit in counted)


class Violated(Exception):
    """An invariant does not hold."""

    def __init__(self, violations: list[str]) -> None:
        super().__init__("\n".join(violations))
        self.violations = violations


class Run:
    """A run in a folder, which is kept. Use it as a context manager."""

    def __init__(self, folder: Path, *, seed: str, database: str, report: Callable[[str], None] = print) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder.resolve()
        self.responses = Responses()
        self._report = report
        self._checked: set[str] = set()
        self._exit = ExitStack()
        self.progress = self._load(seed, database)

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self.journal = stack.enter_context(closing(Journal(self.folder / "journal.jsonl")))
            postgresql = self._start_postgresql(stack) if self.progress.database == "postgresql" else None
            (self.folder / "data").mkdir(mode=0o700, exist_ok=True)
            url = f"{postgresql.address}/playdock" if postgresql else f"sqlite:///{self.folder}/data/playdock.sqlite3"
            service = Service(self.folder, url)
            self.target = Target(service, self.folder / "library", postgresql)
            self.target.library.mkdir(exist_ok=True)
            self.target.restore()
            self.faults = possible_faults(self.target, disk_can_fail=self.target.prepare())
            stack.callback(service.end)
            self.database = stack.enter_context(
                closing(Database(url.replace("postgresql://", "postgresql+psycopg://")))
            )
            service.start()
            self.admin = Connection(f"http://127.0.0.1:{service.port}")
            stack.callback(self.admin.close)
            self.library_id = self._set_up(service)
            self._exit = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._exit.close()

    def resume(self, limits: Limits) -> None:
        """Inject faults until a limit is reached, then check everything.

        Raises:
            Violated: an invariant does not hold.
        """
        self.progress.starts += 1
        self._save()
        self._report(f"seed {self.progress.seed}, {self.progress.faults} faults so far, state in {self.folder}")
        while not limits.reached(self.progress):
            began = time.monotonic()
            self._cycle(self.progress.faults + 1)
            self.progress.seconds += time.monotonic() - began
            self._save()
        self._drain()
        self._raise(self._examine(thorough=True, random=Random(self.progress.seed)))

    def _cycle(self, number: int) -> None:
        random = Random(f"{self.progress.seed}/{number}")
        workload = Workload([self._client(kind, number) for kind in KINDS])
        workload.start()
        try:
            time.sleep(random.uniform(0, _MAX_WORK_SECONDS))
            fault = choose(random, self.faults)
            description = fault.inject(self.target, random)
            self._count(fault, description)
            self._log(f"{number} {fault.name}: {description}")
            violations = list(self.revive())
            time.sleep(random.uniform(0, _MAX_AFTERWARDS_SECONDS))
        finally:
            workload.stop()
        self.progress.faults = number
        violations += workload.violations
        self._raise(violations or list(self._recover()))
        self._raise(self._examine(thorough=number % _THOROUGH_EVERY == 0, random=random))
        self._log(f"{number} nothing lost; {self._summary()}; {dict(workload.steps)}")

    def _client(self, kind: type[Client], number: int) -> Client:
        # A cycle that was interrupted is repeated by the next start, with other names of users.
        random = Random(f"{self.progress.seed}/{number}/{self.progress.starts}/{kind.__name__}")
        client = kind(self.admin.address, self.journal, random, self.responses)
        client.admin.token = self.admin.token
        if isinstance(client, Importers):
            client.library, client.library_id = self.target.library, self.library_id
        return client

    def _count(self, fault: Fault, description: str) -> None:
        self.progress.kills += description.count("SIGKILL") + description.count("again")
        self.progress.counts[fault.name] = self.progress.counts.get(fault.name, 0) + 1

    def revive(self) -> Iterator[str]:
        """Start the service if it has ended; yield a violation if it was not the fault that ended it."""
        process = self.target.service.process
        assert process is not None
        status = process.poll()
        if status not in _EXPECTED_STATUS:
            yield f"The service ended by itself with status {status}."
        if status is not None:
            try:
                self.target.service.start()
            except AssertionError as error:
                yield f"The service cannot be started: {error}"

    def _recover(self) -> Iterator[str]:
        """Wait until the service accepts changes; yield a violation if it does not."""
        deadline = time.monotonic() + _MAX_RECOVERY_SECONDS
        reason = ""
        while time.monotonic() < deadline:
            try:
                self.admin.call("PATCH", "/api/v1/user", json={"displayName": "The admin"})
            except (Refused, Unanswered) as error:
                reason = str(error)
                time.sleep(0.1)
            else:
                return
        yield f"The service does not recover: {reason}"

    def _examine(self, *, thorough: bool, random: Random) -> list[str]:
        objects = self.target.data / "objects"
        examination = Examination(
            self.admin, self.database, objects, self.journal, random, self._checked, thorough=thorough
        )
        violations: list[str] = []
        for invariant in OVER_HTTP:
            try:
                violations += invariant(examination)
            except (Refused, Unanswered) as error:
                violations.append(f"{invariant.__name__}: {error}")
        violations += no_task_is_stuck(examination, now=self.target.clock)
        # A task may delete something between two queries, so what is missing is looked up again.
        first = [violation for invariant in OF_STORAGE for violation in invariant(examination)]
        again = {violation for invariant in OF_STORAGE for violation in invariant(examination)} if first else set()
        return violations + [violation for violation in first if violation in again]

    def _drain(self) -> None:
        """Wait until all tasks have ended."""
        deadline = time.monotonic() + _MAX_DRAIN_SECONDS
        while running := self.admin.get("/api/v1/admin/task")["runningTasks"]:
            if time.monotonic() > deadline:
                self._raise([f"Tasks do not end: {[task['name'] for task in running]}"])
            time.sleep(0.2)

    def _raise(self, violations: list[str]) -> None:
        if violations:
            for violation in violations:
                self._log(f"{self.progress.faults} VIOLATED: {violation}")
            raise Violated(violations)

    def _summary(self) -> str:
        state = self.journal.state
        numbers: dict[str, Any] = {
            "kills": self.progress.kills,
            "users": len(state.accounts),
            "invitations": len(state.invitations),
            "versions": len(state.versions),
            "images": len(state.images),
            "tasks": len(state.tasks),
        }
        return ", ".join(f"{name} {number}" for name, number in numbers.items())

    def result(self) -> str:
        """Describe the run: its faults, what was acknowledged, and the kinds of responses since it was started."""
        faults = ", ".join(f"{name} {count}" for name, count in sorted(self.progress.counts.items()))
        responses = ", ".join(f"{name}: {count}" for name, count in Counter(self.responses.counts).most_common())
        return f"{self.progress.faults} faults ({faults}); {self._summary()}; responses: {responses}"

    def _log(self, line: str) -> None:
        with (self.folder / "faults.log").open("a") as log:
            log.write(f"{datetime.now(UTC):%H:%M:%S} {line}\n")
        self._report(line)

    def _set_up(self, service: Service) -> str:
        """Create the administrator and the library, unless an earlier start has; return the library's id."""
        if service.invitations:
            service.sign_up(service.invitations[0], username=ADMIN)
        self.admin.sign_in(ADMIN, PASSWORD)
        path = "/api/v1/admin/library/sources"
        options = {"name": "Games", "backend": "Filesystem", "options": {"baseDir": str(self.target.library)}}
        listed = self.admin.get(path) or [self.admin.post(path, options)]
        return str(listed[0]["id"])

    def _start_postgresql(self, stack: ExitStack) -> Server:
        programs = find_programs()
        if programs is None:
            raise SystemExit("PostgreSQL's programs are missing: install Debian's postgresql.")
        # PostgreSQL does not run as root, and another user may not reach the state.
        link = self.folder / "postgresql"
        new = not link.exists()
        folder = Path(tempfile.mkdtemp(prefix="playdock-torture-")) if new else link.readlink()
        server = Server(programs, folder, LOCAL_SETTINGS)
        if new:
            server.initialize()
        server.start()
        stack.callback(server.stop)
        if new:
            execute(server.address, "CREATE DATABASE playdock")
            link.symlink_to(folder)
        return server

    def _load(self, seed: str, database: str) -> Progress:
        file = self.folder / "progress.json"
        if not file.exists():
            return Progress(seed, database)
        return msgspec.json.decode(file.read_bytes(), type=Progress)

    def _save(self) -> None:
        written = self.folder / "progress.new"
        written.write_bytes(msgspec.json.encode(self.progress))
        written.replace(self.folder / "progress.json")
