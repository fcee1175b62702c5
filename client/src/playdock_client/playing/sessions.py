"""Play sessions: when a game ran, and for how long. Each is a small file, written by the launcher while the game runs.

The file is valid at any time, and at most a heartbeat old, so that a killed launcher loses seconds. Beside it is a lock
file, which the launcher and its game keep locked: a session runs as long as its file is locked.
"""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import msgspec

from playdock_client.documents import read_document, write_document
from playdock_client.file_locks import remove_unlocked, try_lock

_UPLOADED = ".uploaded"


class PlaySession(msgspec.Struct, frozen=True, rename="camel"):
    """A run of a game: `started` is UTC, `seconds` its length so far or in total.

    `status` is the exit status, None while the game runs or if the launcher was killed. `output` are the last lines of
    output if the game failed at once. With `set_up`, the version's installer ran instead of the game.
    """

    id: str
    server: str
    game: str
    name: str
    version: str
    version_name: str
    folder: str
    started: datetime
    seconds: float = 0.0
    status: int | None = None
    output: tuple[str, ...] = ()
    set_up: bool = False
    launcher: int = 0


@dataclass(frozen=True, slots=True)
class GameKey:
    """A game of a server."""

    server: str
    game: str


@dataclass(frozen=True, slots=True)
class PlayTime:
    """How long a game has been played in all sessions, in seconds, and when the latest one started."""

    seconds: float
    last_played: datetime


@dataclass(frozen=True, slots=True)
class SessionJournal:
    """The play sessions in one folder."""

    folder: Path

    def write(self, session: PlaySession) -> None:
        """Write a session. Nothing is raised if the disk is full, since that should not end a game."""
        with suppress(OSError):
            write_document(self._document(session.id), session)

    def remove(self, session: str) -> None:
        self._document(session).unlink(missing_ok=True)

    def not_uploaded(self, without: Collection[str]) -> Sequence[PlaySession]:
        """Return the sessions that have ended and are not marked as uploaded, the oldest first, except some ids."""
        marked = {file.stem for file in self.folder.glob(f"*{_UPLOADED}")}
        ids = [each for file in self.folder.glob("*.json") if (each := file.stem) not in marked and each not in without]
        # Read after the session has ended, since it may have been incomplete before.
        found = [self._read_one(self._document(each)) for each in ids if not self.is_running(each)]
        return sorted((each for each in found if each is not None), key=lambda each: each.started)

    def mark_uploaded(self, session: str) -> None:
        """Record that the server has a session. Nothing is raised if the disk is full."""
        with suppress(OSError):
            (self.folder / f"{session}{_UPLOADED}").touch(mode=0o600)

    @contextmanager
    def locked(self, session: str) -> Iterator[int | None]:
        """Mark a session as running; yield the descriptor for its processes to inherit, if there can be one."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(self._lock(session), os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:
            yield None
            return
        try:
            try_lock(descriptor)
            yield descriptor
        finally:
            os.close(descriptor)
            remove_unlocked(self._lock(session))
            self.stop_request(session).unlink(missing_ok=True)

    def stop_request(self, session: str) -> Path:
        """Return the file that asks the launcher to stop its game, which the launcher removes."""
        return self.folder / f"{session}.stop"

    def is_running(self, session: str) -> bool:
        return not remove_unlocked(self._lock(session))

    def running(self) -> Sequence[PlaySession]:
        """Return the sessions that run now, the oldest first."""
        ids = [file.stem for file in self.folder.glob("*.lock") if self.is_running(file.stem)]
        found = [session for each in ids if (session := self._read_one(self._document(each))) is not None]
        return sorted(found, key=lambda each: each.started)

    def sessions(self) -> Sequence[PlaySession]:
        """Return all sessions, the oldest first. Invalid files are ignored."""
        return sorted(self._read(), key=lambda each: each.started)

    def _read(self) -> Iterator[PlaySession]:
        for file in self.folder.glob("*.json"):
            session = self._read_one(file)
            if session is not None:
                yield session

    def _read_one(self, file: Path) -> PlaySession | None:
        """Return the session in a file, None if there is none or the file is invalid."""
        with suppress(msgspec.MsgspecError):
            return read_document(file, PlaySession)
        return None

    def _document(self, session: str) -> Path:
        return self.folder / f"{session}.json"

    def _lock(self, session: str) -> Path:
        return self.folder / f"{session}.lock"


def total_play_times(sessions: Sequence[PlaySession]) -> Mapping[GameKey, PlayTime]:
    """Return the play time of each game, and when it was last played."""
    times: dict[GameKey, PlayTime] = {}
    for each in sessions:
        if not each.set_up:
            key = GameKey(each.server, each.game)
            before = times.get(key, PlayTime(0.0, each.started))
            times[key] = PlayTime(before.seconds + each.seconds, max(before.last_played, each.started))
    return times
