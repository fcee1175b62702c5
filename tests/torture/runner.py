"""A run: cycles of work, faults and an examination, until its time is over or an invariant is violated."""

import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
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
from torture.lanes import Lane, lanes
from torture.network import HOST, Node, NodeNetwork, networks
from torture.workload import KINDS, Client, Importers, Workload

ADMIN = "admin"
# All nodes of a cluster have the same.
_KEY = "0123456789abcdef" * 2
# A large file has a dozen parts of this size, so that all nodes read each of them.
_PART_BYTES = 2 * 1024**2
# A fault comes at any time after the clients have begun or after the fault before it, also while the service is still
# busy with their first requests or with its start.
_MAX_WORK_SECONDS = 2.5
# For which the clients use the service after the last fault.
_MAX_AFTERWARDS_SECONDS = 1.0
# PostgreSQL recovers in a second; a disk that works again is used at once.
_MAX_RECOVERY_SECONDS = 60.0
# Every so many cycles everything is checked instead of a sample.
_THOROUGH_EVERY = 25
# A task is retried for up to eleven minutes after it failed.
_MAX_DRAIN_SECONDS = 900.0
# SIGTERM ends the service with status 0, SIGKILL with -9. Any other status means that it ended by itself.
_EXPECTED_STATUS = (None, 0, -9)


class Progress(Struct):
    """How far a run is, stored after each cycle. Each SIGKILL of a series is a fault."""

    seed: str
    database: str
    nodes: int = 0
    starts: int = 0
    cycles: int = 0
    faults: int = 0
    kills: int = 0
    seconds: float = 0.0
    counts: dict[str, int] = field(default_factory=dict)


class Limits(Struct, frozen=True):
    """When a run ends, counted from its first start; 0 for no limit."""

    seconds: float = 0.0
    faults: int = 0

    def reached(self, progress: Progress) -> bool:
        counted = (progress.seconds, self.seconds), (progress.faults, self.faults)
        return any(limit and reached >= limit for reached, limit in counted)


class Violated(Exception):
    """An invariant does not hold."""

    def __init__(self, violations: list[str]) -> None:
        super().__init__("\n".join(violations))
        self.violations = violations


class Run:
    """A run in a folder, which is kept. Use it as a context manager.

    With a number of ``nodes`` it is that of a cluster on PostgreSQL, otherwise of a single process.
    """

    def __init__(
        self, folder: Path, *, seed: str, database: str, nodes: int = 0, report: Callable[[str], None] = print
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder.resolve()
        self.responses = Responses()
        self._report = report
        self._checked: set[str] = set()
        self._lock = threading.Lock()
        self._exit = ExitStack()
        self.progress = self._load(Progress(seed, database, nodes))

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self.journal = stack.enter_context(closing(Journal(self.folder / "journal.jsonl")))
            # PostgreSQL listens in the network of the nodes, which must be there.
            own = stack.enter_context(networks(self.folder, self.progress.nodes)) if self.progress.nodes else []
            postgresql = self._start_postgresql(stack) if self.progress.database == "postgresql" else None
            nodes, objects, url = self._nodes(own, postgresql)
            self.target = Target(nodes, self.folder / "library", objects, postgresql)
            self.target.library.mkdir(exist_ok=True)
            self.target.restore()
            self.lanes = lanes(self.target, possible_faults(self.target, disk_can_fail=self.target.prepare()))
            for node in nodes:
                stack.callback(node.end)
            self.database = stack.enter_context(
                closing(Database(url.replace("postgresql://", "postgresql+psycopg://")))
            )
            # The first one creates the tables.
            for node in nodes:
                node.start()
            self.admins = [Connection(node.address) for node in nodes]
            for admin in self.admins:
                stack.callback(admin.close)
            self.library_id = self._set_up(nodes[0])
            self._exit = stack.pop_all()
        return self

    def _nodes(self, own: Sequence[NodeNetwork], postgresql: Server | None) -> tuple[Sequence[Service], Path, str]:
        """Return the nodes, the folder of their objects, and the address of their database."""
        url = f"{postgresql.address}/playdock" if postgresql else f"sqlite:///{self.folder}/data/playdock.sqlite3"
        if not own:
            (self.folder / "data").mkdir(mode=0o700, exist_ok=True)
            return [Service(self.folder, url)], self.folder / "data/objects", url
        objects = self.folder / "objects"
        objects.mkdir(mode=0o700, exist_ok=True)
        shared = {"SECRET_KEY": _KEY, "OBJECTS_URL": str(objects), "PART_BYTES": str(_PART_BYTES)}
        nodes = []
        for network in own:
            node = Node(self.folder / f"node{network.number}", url.replace("127.0.0.1", HOST), program=network.program)
            (node.folder / "data").mkdir(mode=0o700, parents=True, exist_ok=True)
            node.network, node.more = network, {**shared, "NODE": node.folder.name}
            nodes.append(node)
        return nodes, objects, url

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
            self._cycle(self.progress.cycles + 1)
            self.progress.seconds += time.monotonic() - began
            self._save()
        self._drain()
        self._raise(self._examine(thorough=True, random=Random(self.progress.seed)))

    def _cycle(self, number: int) -> None:
        random = Random(f"{self.progress.seed}/{number}")
        workload = Workload([self._client(kind, number) for kind in KINDS])
        workload.start()
        try:
            with ThreadPoolExecutor(len(self.lanes)) as threads:
                injected = [threads.submit(self._inject, lane, number) for lane in self.lanes]
            violations = [violation for each in injected for violation in each.result()]
            # Those that had no fault, or ended after their last one.
            violations += self.revive(self.target.nodes)
            time.sleep(random.uniform(0, _MAX_AFTERWARDS_SECONDS))
        finally:
            workload.stop()
        self.progress.cycles = number
        violations += workload.violations
        self._raise(violations or list(self._recover()))
        self._raise(self._examine(thorough=number % _THOROUGH_EVERY == 0, random=random))
        self._log(f"{number} nothing lost; {self._summary()}; {dict(workload.steps)}")

    def _inject(self, lane: Lane, number: int) -> list[str]:
        """Inject the faults of one lane in a cycle; return violations."""
        random = Random(f"{self.progress.seed}/{number}/{lane.name}")
        violations: list[str] = []
        for _ in range(lane.count(random)):
            time.sleep(random.uniform(0, _MAX_WORK_SECONDS))
            fault = choose(random, lane.faults)
            description = fault.inject(lane.target, random)
            self._count(fault, description)
            self._log(f"{number} {fault.name}: {description}")
            violations += self.revive(lane.target.nodes)
        return violations

    def _client(self, kind: type[Client], number: int) -> Client:
        # A cycle that was interrupted is repeated by the next start, with other names of users.
        random = Random(f"{self.progress.seed}/{number}/{self.progress.starts}/{kind.__name__}")
        client = kind(random.choice(self.admins).address, self.journal, random, self.responses)
        client.admin.token = self.admins[0].token
        if isinstance(client, Importers):
            client.library, client.library_id = self.target.library, self.library_id
        return client

    def _count(self, fault: Fault, description: str) -> None:
        kills, series = description.count("SIGKILL"), description.count("again")
        with self._lock:
            self.progress.kills += kills + series
            self.progress.faults += 1 + series
            self.progress.counts[fault.name] = self.progress.counts.get(fault.name, 0) + 1 + series

    def revive(self, nodes: Sequence[Service]) -> Iterator[str]:
        """Start the nodes that have ended; yield a violation if it was not a fault that ended one."""
        for node in nodes:
            assert node.process is not None
            status = node.process.poll()
            if status not in _EXPECTED_STATUS:
                yield f"The service ended by itself with status {status}."
            if status is not None:
                try:
                    node.start()
                except AssertionError as error:
                    yield f"The service cannot be started: {error}"

    def _recover(self) -> Iterator[str]:
        """Wait until every node accepts changes; yield a violation if one does not."""
        deadline = time.monotonic() + _MAX_RECOVERY_SECONDS
        for admin in self.admins:
            if reason := _reason_for_refusing(admin, deadline):
                yield f"The service does not recover: {reason}"

    def _examine(self, *, thorough: bool, random: Random) -> list[str]:
        admin, objects = random.choice(self.admins), self.target.objects
        examination = Examination(admin, self.database, objects, self.journal, random, self._checked, thorough=thorough)
        violations: list[str] = []
        for invariant in OVER_HTTP:
            try:
                violations += invariant(examination)
            except (Refused, Unanswered) as error:
                violations.append(f"{invariant.__name__}: {error}")
        violations += no_task_is_stuck(examination, now=self.target.clock, behind=self.target.behind)
        # A task may delete something between two queries, so what is missing is looked up again.
        first = [violation for invariant in OF_STORAGE for violation in invariant(examination)]
        again = {violation for invariant in OF_STORAGE for violation in invariant(examination)} if first else set()
        return violations + [violation for violation in first if violation in again]

    def _drain(self) -> None:
        """Wait until all tasks have ended."""
        deadline = time.monotonic() + _MAX_DRAIN_SECONDS
        while running := self.admins[0].get("/api/v1/admin/task")["runningTasks"]:
            if time.monotonic() > deadline:
                self._raise([f"Tasks do not end: {[task['name'] for task in running]}"])
            time.sleep(0.2)

    def _raise(self, violations: list[str]) -> None:
        if violations:
            for violation in violations:
                self._log(f"{self.progress.cycles} VIOLATED: {violation}")
            raise Violated(violations)

    def _summary(self) -> str:
        state = self.journal.state
        numbers: dict[str, Any] = {
            "faults": self.progress.faults,
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
        return f"{self.progress.cycles} cycles ({faults}); {self._summary()}; responses: {responses}"

    def _log(self, line: str) -> None:
        with self._lock, (self.folder / "faults.log").open("a") as log:
            log.write(f"{datetime.now(UTC):%H:%M:%S} {line}\n")
        self._report(line)

    def _set_up(self, service: Service) -> str:
        """Create the administrator and the library, unless an earlier start has; return the library's id."""
        if service.invitations:
            service.sign_up(service.invitations[0], username=ADMIN)
        first = self.admins[0]
        first.sign_in(ADMIN, PASSWORD)
        for admin in self.admins:
            admin.token = first.token
        path = "/api/v1/admin/library/sources"
        options = {"name": "Games", "backend": "Filesystem", "options": {"baseDir": str(self.target.library)}}
        listed = first.get(path) or [first.post(path, options)]
        return str(listed[0]["id"])

    def _start_postgresql(self, stack: ExitStack) -> Server:
        programs = find_programs()
        if programs is None:
            raise SystemExit("PostgreSQL's programs are missing: install Debian's postgresql.")
        # PostgreSQL does not run as root, and another user may not reach the state.
        link = self.folder / "postgresql"
        new = not link.exists()
        folder = Path(tempfile.mkdtemp(prefix="playdock-torture-")) if new else link.readlink()
        addresses = {"listen_addresses": f"127.0.0.1,{HOST}"} if self.progress.nodes else {}
        server = Server(programs, folder, {**LOCAL_SETTINGS, **addresses})
        if new:
            server.initialize()
            if self.progress.nodes:
                with (folder / "data/pg_hba.conf").open("a") as rules:
                    rules.write(f"host all all {HOST}/24 trust\n")
        server.start()
        stack.callback(server.stop)
        if new:
            execute(server.address, "CREATE DATABASE playdock")
            link.symlink_to(folder)
        return server

    def _load(self, new: Progress) -> Progress:
        file = self.folder / "progress.json"
        if not file.exists():
            return new
        return msgspec.json.decode(file.read_bytes(), type=Progress)

    def _save(self) -> None:
        written = self.folder / "progress.new"
        written.write_bytes(msgspec.json.encode(self.progress))
        written.replace(self.folder / "progress.json")


def _reason_for_refusing(admin: Connection, deadline: float) -> str:
    """Wait until a node accepts changes; return why it does not if it takes too long."""
    reason = ""
    while time.monotonic() < deadline:
        try:
            admin.call("PATCH", "/api/v1/user", json={"displayName": "The admin"})
        except (Refused, Unanswered) as error:
            reason = str(error)
            time.sleep(0.1)
        else:
            return ""
    return reason or "it was not asked in time"
