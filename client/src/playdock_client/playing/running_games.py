"""What games run now, how to stop them, and how long games have been played: for any process of this player."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from playdock_client.client_folders import ClientFolders
from playdock_client.errors import ClientError, NotRunning
from playdock_client.playing.process_tree import KILL, TERMINATE, processes_of_session, send_signal
from playdock_client.playing.sessions import GameKey, PlaySession, PlayTime, SessionJournal, total_play_times

# A launcher looks for a request twice a second; one that has not taken it after this time was killed.
_LAUNCHER_SECONDS = 3.0
# The processes of such a launcher are killed after this time.
_KILL_SECONDS = 13.0
# Longer than a launcher takes to stop its game.
_STOP_SECONDS = 60.0
_POLL_SECONDS = 0.1


class StopFailed(ClientError):
    """The game still runs, although its processes were asked to end."""


@dataclass(frozen=True, slots=True)
class RunningGame:
    """A game that runs now, or its installer. `pid` is the process id of its launcher."""

    session: PlaySession
    pid: int

    @property
    def folder(self) -> Path:
        return Path(self.session.folder)


def running_games(folders: ClientFolders) -> Sequence[RunningGame]:
    """Return the games that run now, the one launched first at the beginning."""
    journal = SessionJournal(folders.sessions)
    return [RunningGame(each, each.launcher) for each in journal.running()]


def running_game(folders: ClientFolders, folder: Path) -> RunningGame | None:
    """Return the running game of an installation's folder, if it runs."""
    return next((each for each in running_games(folders) if each.folder == folder.resolve()), None)


def stop_game(folders: ClientFolders, folder: Path) -> PlaySession:
    """Stop the game of an installation's folder, wait until it has ended, and return its session.

    Its processes are asked to end, and ended ten seconds later. Raises NotRunning, StopFailed.
    """
    running = running_game(folders, folder)
    if running is None:
        raise NotRunning(f"The game in {folder} is not running.")
    journal, session = SessionJournal(folders.sessions), running.session
    request = journal.stop_request(session.id)
    request.touch()
    started = time.monotonic()
    while journal.is_running(session.id):
        waited = time.monotonic() - started
        if waited > _LAUNCHER_SECONDS and request.exists():
            send_signal(processes_of_session(session.id), KILL if waited > _KILL_SECONDS else TERMINATE)
        if waited > _STOP_SECONDS:
            raise StopFailed(f"{session.name} did not end. End its processes with the system's task manager.")
        time.sleep(_POLL_SECONDS)
    request.unlink(missing_ok=True)
    return next((each for each in journal.sessions() if each.id == session.id), session)


def finished_sessions(folders: ClientFolders) -> Sequence[PlaySession]:
    """Return all play sessions that have ended, the oldest first. They keep their ids, and do not change any more."""
    journal = SessionJournal(folders.sessions)
    ended = {each.id for each in journal.sessions() if not each.set_up and not journal.is_running(each.id)}
    # Read again, since a session that ended just now may have been read before it was complete.
    return [each for each in journal.sessions() if each.id in ended]


def play_times(folders: ClientFolders) -> Mapping[GameKey, PlayTime]:
    """Return how long each game has been played, including now, and when it was last played."""
    return total_play_times(SessionJournal(folders.sessions).sessions())
