"""The faults that are injected into a running service, chosen and timed by a seed."""

import errno
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

from msgspec import Struct

from playdock.kit.clock import utc_now
from postgresql import Server
from processes.service import Service

_SOURCE = Path(__file__).with_name("failing_disk.c")
_CLOCK = Path(__file__).with_name("shifted_clock")
# Long enough for requests and tasks to meet the fault, and shorter than tasks are retried.
_FAULT_SECONDS = (0.3, 3.0)
# The clock is off by up to three days: maintenance that runs daily becomes due. Sessions last for 90 days.
_CLOCK_OFFSETS = (0.0, 0.0, 120.0, 3600.0, 86400.0 * 1.1, 86400.0 * 3, -120.0, -3600.0, -86400.0)
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


class Target(Struct):
    """What faults are injected into: the service, its library, and its database server if it has one."""

    service: Service
    library: Path
    postgresql: Server | None

    @property
    def data(self) -> Path:
        return self.service.folder / "data"

    def prepare(self) -> bool:
        """Let the service be started with a disk and a clock that can fail; return whether its disk can."""
        path = os.pathsep.join(filter(None, (str(_CLOCK), os.environ.get("PYTHONPATH"))))
        self.service.more |= {"PYTHONPATH": path, "CLOCK_OFFSET": str(self._offset)}
        if not self._offset.exists():
            self.set_clock(0)
        compiler = shutil.which("cc")
        if compiler is None:
            return False
        shim = self.service.folder / "failing_disk.so"
        command = [compiler, "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", str(shim), str(_SOURCE), "-ldl"]
        subprocess.run(command, check=True)
        self.disk_fault.unlink(missing_ok=True)
        self.service.more |= {"LD_PRELOAD": str(shim), "DISK_FAULT": str(self.disk_fault)}
        return True

    @property
    def disk_fault(self) -> Path:
        return self.service.folder / "disk-fault"

    @contextmanager
    def failing_disk(self, number: int, percent: int, folder: Path) -> Iterator[None]:
        """Let calls for files below a folder fail with an error number."""
        written = self.disk_fault.with_suffix(".new")
        written.write_text(f"{number} {percent} {folder.resolve()}/")
        written.replace(self.disk_fault)
        try:
            yield
        finally:
            self.disk_fault.unlink()

    @property
    def clock(self) -> datetime:
        """The time of the service's clock."""
        return utc_now() + timedelta(seconds=float(self._offset.read_text()))

    def set_clock(self, offset: float) -> None:
        written = self._offset.with_suffix(".new")
        written.write_text(str(offset))
        written.replace(self._offset)

    @property
    def _offset(self) -> Path:
        return self.service.folder / "clock-offset"

    def restore(self) -> None:
        """End all faults that an interrupted run left behind."""
        self.disk_fault.unlink(missing_ok=True)
        if _hidden(self.library).exists():
            _hidden(self.library).rename(self.library)


def choose(random: Random, faults: Sequence[Fault]) -> Fault:
    """Return a fault, chosen by its weight."""
    return random.choices(faults, [fault.weight for fault in faults])[0]


def possible_faults(target: Target, *, disk_can_fail: bool) -> list[Fault]:
    """Return the faults that can be injected on this system."""
    disk = [Fault("full disk", _fill_disk, 12), Fault("I/O errors", _fail_disk, 12)] if disk_can_fail else []
    database = [Fault("PostgreSQL crash", _crash_postgresql, 15)] if target.postgresql else []
    always = [
        Fault("kill", _kill, 70),
        Fault("stop", _stop, 5),
        Fault("clock jump", _jump, 8),
        Fault("library away", _hide_library, 8),
    ]
    return [*always, *disk, *database]


def _kill(target: Target, random: Random) -> str:
    status, described = target.service.stop(signal.SIGKILL), ["SIGKILL"]
    # A service that ended by itself or does not start is reported after the fault.
    while status == -signal.SIGKILL and len(described) <= _MAX_AGAIN and random.random() < _AGAIN_SHARE:
        try:
            described.append(_restart(target, random))
        except AssertionError:
            break
        status = target.service.stop(signal.SIGKILL)
    return ", again ".join(described)


def _restart(target: Target, random: Random) -> str:
    """Start the service, and return when it is to be killed: now.

    Raises:
        AssertionError: it does not start.
    """
    if random.random() < _STARTING_SHARE:
        seconds, since = random.uniform(0, _START_SECONDS), "the start"
        target.service.launch()
    else:
        seconds, since = random.uniform(0, _WORK_SECONDS), "it was ready"
        target.service.start()
    time.sleep(seconds)
    return f"{seconds:.1f} s after {since}"


def _stop(target: Target, _random: Random) -> str:
    return f"SIGTERM, status {target.service.stop()}"


def _fill_disk(target: Target, random: Random) -> str:
    return _break_disk(target, random, errno.ENOSPC, 100, target.data)


def _fail_disk(target: Target, random: Random) -> str:
    folder = random.choice([target.data, target.data, target.library])
    return _break_disk(target, random, errno.EIO, random.choice(_PERCENT), folder)


def _break_disk(target: Target, random: Random, number: int, percent: int, folder: Path) -> str:
    """Let a disk fail for some time; sometimes the service is killed before it is repaired."""
    seconds, kills = random.uniform(*_FAULT_SECONDS), random.random() < 1 / 3
    with target.failing_disk(number, percent, folder):
        time.sleep(seconds)
        if kills:
            target.service.stop(signal.SIGKILL)
    return f"{os.strerror(number)} for {percent} % in {folder.name}, {seconds:.1f} s{', then SIGKILL' * kills}"


def _jump(target: Target, random: Random) -> str:
    offset = random.choice(_CLOCK_OFFSETS)
    target.set_clock(offset)
    kills = random.random() < 1 / 3
    if kills:
        target.service.stop(signal.SIGKILL)
    return f"clock off by {offset:.0f} s{', then SIGKILL' * kills}"


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


def _hidden(library: Path) -> Path:
    return library.with_name(f"{library.name}.away")
