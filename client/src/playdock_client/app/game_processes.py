"""Starts games, and watches all that run. Each runs in a process of its own, `playdock-client launch`."""

import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from playdock_client.app.state import ActiveGame, LaunchFailure, PlayedGame
from playdock_client.client_folders import ClientFolders
from playdock_client.decoding import decode_json
from playdock_client.playing.play import ended_early
from playdock_client.playing.running_games import RunningGame, finished_sessions, play_times, running_games, stop_game
from playdock_client.shortcuts.client_program import client_program


class _Failure(msgspec.Struct):
    """The last line of a failed command with ``--json``."""

    event: str = ""
    detail: str = ""


class GameProcesses:
    """The games of one server that run now, in the app or elsewhere, and how long they have been played."""

    def __init__(
        self, folders: ClientFolders, server: str, environment: Mapping[str, str], changed: Callable[[], None]
    ) -> None:
        """``changed`` is called when a game has started or ended."""
        self._folders = folders
        self._server = server
        self._environment = dict(environment)
        self._changed = changed
        self._lock = threading.Lock()
        self._starting: set[str] = set()
        self._stopped: set[str] = set()
        self._runs: Sequence[RunningGame] = ()
        self._played: Sequence[PlayedGame] = ()
        self._problems: dict[str, LaunchFailure] = {}

    def running(self) -> Sequence[ActiveGame]:
        return [ActiveGame(each.session.game, each.session.started.isoformat()) for each in self._runs]

    def starting(self) -> Sequence[str]:
        """Return the games that have been launched, but do not run yet."""
        with self._lock:
            return sorted(self._starting)

    def played(self) -> Sequence[PlayedGame]:
        return self._played

    def problems(self) -> Sequence[LaunchFailure]:
        with self._lock:
            return list(self._problems.values())

    def forget_problem(self, game_id: str) -> None:
        with self._lock:
            self._problems.pop(game_id, None)
        self._changed()

    def refresh(self) -> None:
        """Look which games run."""
        runs = [each for each in running_games(self._folders) if each.session.server == self._server]
        if [each.session.id for each in runs] != [each.session.id for each in self._runs] or not self._played:
            self._runs = runs
            with self._lock:
                # The launcher goes on after the game has ended, to upload saved games.
                self._starting.difference_update(each.session.game for each in runs)
            times = {key.game: time for key, time in play_times(self._folders).items() if key.server == self._server}
            self._played = [
                PlayedGame(game, round(time.seconds), time.last_played.isoformat()) for game, time in times.items()
            ]
            self._changed()

    def launch(self, game_id: str, folder: Path) -> None:
        """Start a game, unless it runs already."""
        with self._lock:
            if game_id in self._starting or any(each.session.game == game_id for each in self._runs):
                return
            self._problems.pop(game_id, None)
            self._stopped.discard(game_id)
            self._starting.add(game_id)
        threading.Thread(target=self._run, args=[game_id, folder], name="launch", daemon=True).start()
        self._changed()

    def stop(self, game_id: str, folder: Path) -> None:
        """Stop a game, which is in a folder. Raises NotRunning, StopFailed."""
        with self._lock:
            self._stopped.add(game_id)
        stop_game(self._folders, folder)
        self.refresh()

    def _run(self, game_id: str, folder: Path) -> None:
        process = subprocess.Popen(  # noqa: S603 - this program
            [*client_program(self._environment), "launch", "--json", str(folder)],
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            # The launcher itself keeps the last lines of what the game writes.
            stderr=subprocess.DEVNULL,
            # The game goes on when the app is closed.
            start_new_session=sys.platform != "win32",
        )
        began = datetime.now().astimezone()
        output, _ = process.communicate()
        problem = self._problem(game_id, folder, output, since=began) if process.returncode else None
        with self._lock:
            self._starting.discard(game_id)
            if problem is not None and game_id not in self._stopped:
                self._problems[game_id] = problem
        self.refresh()
        self._changed()

    def _problem(self, game_id: str, folder: Path, output: bytes, *, since: datetime) -> LaunchFailure | None:
        """Return why a game could not be started or ended at once; None if it ran for a while."""
        sessions = [each for each in finished_sessions(self._folders) if each.folder == str(folder.resolve())]
        if sessions and sessions[-1].started >= since:
            last = sessions[-1]
            if not ended_early(last):
                return None
            return LaunchFailure(game_id, last.status, "", last.output)
        lines = output.splitlines()
        try:
            failure = decode_json(lines[-1], _Failure) if lines else _Failure()
        except msgspec.MsgspecError:
            failure = _Failure()
        return LaunchFailure(game_id, None, failure.detail)
