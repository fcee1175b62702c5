"""The faults that are injected into a running service, chosen and timed by a seed."""

import errno
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

from msgspec import Struct

from playdock.kit.clock import utc_now
from postgresql import Server
from processes.service import Service
from torture.network import Node

_SOURCE = Path(__file__).with_name("failing_disk.c")
_CHANGES = Path(__file__).with_name("changed_processes")
# Long enough for requests and tasks to meet the fault, and shorter than tasks are retried.
_FAULT_SECONDS = (0.3, 3.0)
# The clock is off by up to three days: maintenance that runs daily becomes due. Sessions last for 90 days.
_CLOCK_OFFSETS = (0.0, 0.0, 120.0, 3600.0, 86400.0 * 1.1, 86400.0 * 3, -120.0, -3600.0, -86400.0)
# Clocks of nodes are kept alike by NTP; a broken one is off by less than people notice.
_CLOCK_OFFSETS_OF_NODES = (0.0, 60.0, -60.0)
# How long a node is away: shorter or longer than its leases of 20 s.
_ABSENCES = ((0.3, 5.0), (0.3, 5.0), (22.0, 35.0))
_PERCENT = (5, 30, 100)
# Usually the service is killed again, up to nine times: while it starts, which takes two seconds on a machine with
# nothing else to do, or while it works.
_AGAIN_SHARE = 0.8
_MAX_AGAIN = 9
_STARTING_SHARE = 0.4
_START_SECONDS = 3.0
_WORK_SECONDS = 2.0


class Fault(Struct, frozen=True):
    """A kind of fault: how it is injected, and how often it is chosen."""

    name: str
    inject: Callable[["Target", Random], str]
    """Injects the fault, ends it, and returns a description for the log."""
    weight: int
    shared: bool = False
    """Whether all nodes meet it."""


class Target(Struct):
    """What faults are injected into: the nodes of the service, their library, and their database server if any.

    A service without a cluster is a single node. Nodes of a cluster can be cut off from the network.
    """

    nodes: Sequence[Service]
    library: Path
    objects: Path
    postgresql: Server | None = None

    @property
    def is_cluster(self) -> bool:
        return any(isinstance(node, Node) for node in self.nodes)

    def prepare(self) -> bool:
        """Let the nodes be started with a disk and a clock that can fail; return whether their disks can."""
        path = os.pathsep.join(filter(None, (str(_CHANGES), os.environ.get("PYTHONPATH"))))
        for node in self.nodes:
            node.more |= {"PYTHONPATH": path, "CLOCK_OFFSET": str(_offset(node))}
            if not _offset(node).exists():
                set_clock(node, 0)
        compiler = shutil.which("cc")
        if compiler is None:
            return False
        for node in self.nodes:
            shim = node.folder / "failing_disk.so"
            command = [compiler, "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", str(shim), str(_SOURCE), "-ldl"]
            subprocess.run(command, check=True)
            _disk_fault(node).unlink(missing_ok=True)
            node.more |= {"LD_PRELOAD": str(shim), "DISK_FAULT": str(_disk_fault(node))}
        return True

    @property
    def clock(self) -> datetime:
        """The time by which tasks are due: that of the database, which is the service's own with SQLite."""
        if self.is_cluster:
            return utc_now()
        return utc_now() + timedelta(seconds=float(_offset(self.nodes[0]).read_text()))

    @property
    def behind(self) -> Mapping[str, timedelta]:
        """By how much the clocks of the nodes of a cluster are behind that of the database, by name."""
        nodes = self.nodes if self.is_cluster else ()
        return {each.folder.name: timedelta(seconds=max(0.0, -float(_offset(each).read_text()))) for each in nodes}

    def restore(self) -> None:
        """End all faults that an interrupted run left behind."""
        for node in self.nodes:
            _disk_fault(node).unlink(missing_ok=True)
        if _hidden(self.library).exists():
            _hidden(self.library).rename(self.library)


@contextmanager
def failing_disk(node: Service, number: int, percent: int, folder: Path) -> Iterator[None]:
    """Let a node's calls for files below a folder fail with an error number."""
    written = _disk_fault(node).with_suffix(".new")
    written.write_text(f"{number} {percent} {folder.resolve()}/")
    written.replace(_disk_fault(node))
    try:
        yield
    finally:
        _disk_fault(node).unlink()


def set_clock(node: Service, offset: float) -> None:
    written = _offset(node).with_suffix(".new")
    written.write_text(str(offset))
    written.replace(_offset(node))


def _disk_fault(node: Service) -> Path:
    return node.folder / "disk-fault"


def _offset(node: Service) -> Path:
    return node.folder / "clock-offset"


def choose(random: Random, faults: Sequence[Fault]) -> Fault:
    """Return a fault, chosen by its weight."""
    return random.choices(faults, [fault.weight for fault in faults])[0]


def possible_faults(target: Target, *, disk_can_fail: bool) -> list[Fault]:
    """Return the faults that can be injected on this system."""
    disk = [Fault("full disk", _fill_disk, 12), Fault("I/O errors", _fail_disk, 12)] if disk_can_fail else []
    database = [Fault("PostgreSQL crash", _crash_postgresql, 15, shared=True)] if target.postgresql else []
    cluster = [Fault("network cut", _cut, 25), Fault("pause", _pause, 25)] if target.is_cluster else []
    always = [
        Fault("kill", _kill, 70),
        Fault("stop", _stop, 5),
        Fault("clock jump", _jump, 8),
        Fault("library away", _hide_library, 8, shared=True),
    ]
    return [*always, *disk, *database, *cluster]


def _kill(target: Target, random: Random) -> str:
    node = random.choice(target.nodes)
    status, described = node.stop(signal.SIGKILL), [f"SIGKILL{_named(target, node)}"]
    # A service that ended by itself or does not start is reported after the fault.
    while status == -signal.SIGKILL and len(described) <= _MAX_AGAIN and random.random() < _AGAIN_SHARE:
        try:
            described.append(_restart(node, random))
        except AssertionError:
            break
        status = node.stop(signal.SIGKILL)
    return ", again ".join(described)


def _restart(node: Service, random: Random) -> str:
    """Start the service, and return when it is to be killed: now.

    Raises:
        AssertionError: it does not start.
    """
    if random.random() < _STARTING_SHARE:
        seconds, since = random.uniform(0, _START_SECONDS), "the start"
        node.launch()
    else:
        seconds, since = random.uniform(0, _WORK_SECONDS), "it was ready"
        node.start()
    time.sleep(seconds)
    return f"{seconds:.1f} s after {since}"


def _stop(target: Target, random: Random) -> str:
    node = random.choice(target.nodes)
    return f"SIGTERM{_named(target, node)}, status {node.stop()}"


def _cut(target: Target, random: Random) -> str:
    node, seconds = random.choice(target.nodes), random.uniform(*random.choice(_ABSENCES))
    assert isinstance(node, Node)
    node.network.cut()
    try:
        time.sleep(seconds)
    finally:
        node.network.mend()
    return f"network{_named(target, node)} cut for {seconds:.1f} s"


def _pause(target: Target, random: Random) -> str:
    """Stop a node without its knowledge, often longer than its leases, so that others take its tasks over."""
    node, seconds = random.choice(target.nodes), random.uniform(*random.choice(_ABSENCES))
    node.signal(signal.SIGSTOP)
    try:
        time.sleep(seconds)
    finally:
        node.signal(signal.SIGCONT)
    return f"SIGSTOP{_named(target, node)} for {seconds:.1f} s"


def _fill_disk(target: Target, random: Random) -> str:
    node = random.choice(target.nodes)
    return _break_disk(target, node, random, number=errno.ENOSPC, folder=_storage(target, node))


def _fail_disk(target: Target, random: Random) -> str:
    node = random.choice(target.nodes)
    folder = random.choice([_storage(target, node), _storage(target, node), target.library])
    return _break_disk(target, node, random, number=errno.EIO, folder=folder, percent=random.choice(_PERCENT))


def _storage(target: Target, node: Service) -> Path:
    return target.objects if target.is_cluster else node.folder / "data"


def _break_disk(target: Target, node: Service, random: Random, *, number: int, folder: Path, percent: int = 100) -> str:
    """Let a disk fail for some time; sometimes the service is killed before it is repaired."""
    seconds, kills = random.uniform(*_FAULT_SECONDS), random.random() < 1 / 3
    with failing_disk(node, number, percent, folder):
        time.sleep(seconds)
        if kills:
            node.stop(signal.SIGKILL)
    where = f"{folder.name}{_named(target, node)}"
    return f"{os.strerror(number)} for {percent} % in {where}, {seconds:.1f} s{', then SIGKILL' * kills}"


def _jump(target: Target, random: Random) -> str:
    node = random.choice(target.nodes)
    offset = random.choice(_CLOCK_OFFSETS_OF_NODES if target.is_cluster else _CLOCK_OFFSETS)
    set_clock(node, offset)
    kills = random.random() < 1 / 3
    if kills:
        node.stop(signal.SIGKILL)
    return f"clock{_named(target, node)} off by {offset:.0f} s{', then SIGKILL' * kills}"


def _hide_library(target: Target, random: Random) -> str:
    seconds = random.uniform(*_FAULT_SECONDS)
    target.library.rename(_hidden(target.library))
    try:
        time.sleep(seconds)
    finally:
        _hidden(target.library).rename(target.library)
    return f"library renamed for {seconds:.1f} s"


def _crash_postgresql(target: Target, random: Random) -> str:
    assert target.postgresql is not None
    seconds = random.uniform(0, 2)
    target.postgresql.stop(signal.SIGQUIT)
    time.sleep(seconds)
    target.postgresql.start()
    return f"PostgreSQL away for {seconds:.1f} s"


def _named(target: Target, node: Service) -> str:
    return f" of {node.folder.name}" if target.is_cluster else ""


def _hidden(library: Path) -> Path:
    return library.with_name(f"{library.name}.away")
