"""Access paths that may hang, such as network shares whose server is down, without blocking the caller."""

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from typing import Generic, TypeVar

_Result = TypeVar("_Result")


class ProbePool(Generic[_Result]):
    """Runs probes in its own threads. A path has at most one running probe, so a path that hangs blocks one thread."""

    def __init__(self) -> None:
        self._probes: dict[str, Future[_Result]] = {}
        self._lock = threading.Lock()

    def probe(self, probes: Mapping[str, Callable[[], _Result]], *, seconds: float) -> dict[str, _Result]:
        """Run probes, keyed by path, in parallel. Return the results that are available in time.

        An exception of a probe is raised here.
        """
        running = {path: self._start(path, probe) for path, probe in probes.items()}
        wait(running.values(), timeout=seconds)
        return {path: probe.result() for path, probe in running.items() if probe.done()}

    def _start(self, path: str, probe: Callable[[], _Result]) -> "Future[_Result]":
        """Start a probe, or return the one that is still running for this path."""
        with self._lock:
            running = self._probes.get(path)
            if running is None or running.done():
                running = self._probes[path] = Future()
                # A daemon thread, so that the service can stop while a probe hangs.
                threading.Thread(target=_run, args=(probe, running), name="probe", daemon=True).start()
            return running


def _run(probe: Callable[[], _Result], future: "Future[_Result]") -> None:
    try:
        future.set_result(probe())
    except BaseException as error:  # noqa: BLE001 - raised in the thread that waits for the result
        future.set_exception(error)
