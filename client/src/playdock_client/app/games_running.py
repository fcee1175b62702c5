"""Starts games and watches them. Each runs in a process of its own, `playdock-client launch`."""

import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from playdock_client.app.changes import Changes
from playdock_client.app.state import LaunchProblem, RunningGame

_MAX_LINES = 20


class GameProcesses:
    """The launch processes that this agent has started."""

    def __init__(self, environment: Mapping[str, str], changes: Changes) -> None:
        self._environment = dict(environment)
        self._changes = changes
        self._lock = threading.Lock()
        self._running: dict[str, RunningGame] = {}
        self._problems: dict[str, LaunchProblem] = {}

    def running(self) -> Sequence[RunningGame]:
        with self._lock:
            return list(self._running.values())

    def problems(self) -> Sequence[LaunchProblem]:
        with self._lock:
            return list(self._problems.values())

    def forget_problem(self, game_id: str) -> None:
        with self._lock:
            self._problems.pop(game_id, None)
        self._changes.announce()

    def launch(self, game_id: str, folder: Path) -> None:
        """Start a game, unless it runs already."""
        with self._lock:
            if game_id in self._running:
                return
            self._problems.pop(game_id, None)
            self._running[game_id] = RunningGame(game_id, datetime.now(UTC).isoformat(timespec="seconds"))
        threading.Thread(target=self._run, args=[game_id, folder], name="launch", daemon=True).start()
        self._changes.announce()

    def _run(self, game_id: str, folder: Path) -> None:
        ended = subprocess.run(  # noqa: S603 - this program
            [*own_command(), "launch", "--json", str(folder)],
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            errors="replace",
            encoding="utf-8",
            check=False,
            start_new_session=sys.platform != "win32",
        )
        with self._lock:
            del self._running[game_id]
            if ended.returncode:
                lines = ended.stderr.splitlines()[-_MAX_LINES:]
                detail = f"The game ended with status {ended.returncode}."
                self._problems[game_id] = LaunchProblem(game_id, detail, lines)
        self._changes.announce()


def own_command() -> list[str]:
    """Return the command that runs this program again."""
    frozen = getattr(sys, "frozen", False)
    return [sys.executable] if frozen else [sys.executable, "-m", "playdock_client"]
