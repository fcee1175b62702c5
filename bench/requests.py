"""Requests per second and milliseconds per request, measured with wrk alternately for both sides."""

import re
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable

_ROUNDS = 5
SECONDS = 3


def wrk_is_there() -> bool:
    return shutil.which("wrk") is not None


def requests_per_second(address: str, *, connections: int, token: str = "") -> float:
    """Send requests to a URL for some seconds."""
    command = ["wrk", "-t", "1", "-c", str(connections), "-d", f"{SECONDS}s"]
    if token:
        command += ["-H", f"Authorization: Bearer {token}"]
    printed = subprocess.run([*command, address], check=True, capture_output=True, text=True).stdout
    assert "Non-2xx" not in printed, printed
    found = re.search(r"Requests/sec:\s+([\d.]+)", printed)
    assert found is not None, printed
    return float(found.group(1))


def in_turn(one: Callable[[], float], other: Callable[[], float], *, rounds: int = _ROUNDS) -> tuple[float, float]:
    """Measure two things alternately, so that other load affects both, and return the medians."""
    pairs = [(one(), other()) for _ in range(rounds)]
    return statistics.median(pair[0] for pair in pairs), statistics.median(pair[1] for pair in pairs)


def milliseconds(call: Callable[[], object], *, times: int = 21) -> float:
    """Return the median duration of a call."""
    durations = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        durations.append(time.perf_counter() - start)
    return 1000 * statistics.median(durations)


def slow_and_usual(durations: list[float]) -> str:
    """Return the median and the 99th percentile as text in milliseconds."""
    ordered = sorted(durations)
    median, slow = (1000 * ordered[len(ordered) * share // 100] for share in (50, 99))
    return f"median {median:.1f} ms, 99 of 100 below {slow:.0f} ms"
