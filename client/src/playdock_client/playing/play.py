"""Runs a game until all its processes have ended, and records the play session while it runs."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType

import msgspec

from playdock_client.installation import SESSION_VARIABLE
from playdock_client.playing.output_tail import OutputTail
from playdock_client.playing.process_tree import ProcessTree, start_tree, stop
from playdock_client.playing.program_start import ProgramStart
from playdock_client.playing.sessions import PlaySession, SessionJournal

# A killed launcher loses at most this much of a session.
_HEARTBEAT_SECONDS = 10.0
# How soon a request to stop the game is noticed.
_REQUEST_SECONDS = 0.5
# Time for a game to save and to end by itself; Steam and systemd wait about as long.
_STOP_SECONDS = 10.0
# A game that cannot start, because a library or a file is missing, ends at once; on a slow disk within some seconds.
# Who has played for longer has seen it start.
_EARLY_SECONDS = 10.0
# The exit status of a process ended by signal n is 128 + n, as in shells.
_SIGNAL_STATUS_BASE = 128
_STDOUT, _STDERR = 1, 2


@dataclass(slots=True)
class GameRun:
    """A run of a game. `before_stop` is called before its processes are ended; `output` is for standard output."""

    session: PlaySession
    journal: SessionJournal
    platform: str
    before_stop: Callable[[], None]
    output: int | None = None
    _ended: threading.Event = field(default_factory=threading.Event)
    _stopped: threading.Event = field(default_factory=threading.Event)
    _started: float = 0.0

    def run(self, start: ProgramStart) -> PlaySession:
        """Run a program until all its processes have ended, and return the session. Raises OSError.

        Ctrl-C is left to the program. SIGTERM, and a request of another process, stop it.
        """
        out = _STDOUT if self.output is None else self.output
        # On a terminal the program has it for itself, since it may be interactive.
        start = replace(start, output=self.output, piped=not _is_terminal(out))
        with self.journal.locked(self.session.id) as lock, self._handling_signals():
            inherited = [*start.inherited, *(() if lock is None else (lock,))]
            environment = {**start.environment, SESSION_VARIABLE: self.session.id}
            tree = self._start(replace(start, environment=environment, inherited=inherited))
            tail = OutputTail()
            for pipe, to in zip(tree.outputs, (out, _STDERR), strict=True):
                tail.follow(pipe, to=to)
            watcher = threading.Thread(target=self._watch, args=(tree,), daemon=True)
            watcher.start()
            status = tree.wait()
            ended = self._now()
            self._ended.set()
            watcher.join()
            return self._finish(ended, status, tail)

    def _start(self, start: ProgramStart) -> ProcessTree:
        self.journal.write(self.session)
        self._started = time.monotonic()
        try:
            return start_tree(start, platform=self.platform, folder=Path(self.session.folder))
        except OSError:
            self.journal.remove(self.session.id)
            raise

    def _watch(self, tree: ProcessTree) -> None:
        """Write heartbeats, and stop the game on request."""
        request, beat = self.journal.stop_request(self.session.id), time.monotonic()
        stopping = False
        while not self._ended.wait(_REQUEST_SECONDS):
            if time.monotonic() - beat >= _HEARTBEAT_SECONDS:
                beat = time.monotonic()
                self.journal.write(self._now())
            if request.exists():
                request.unlink(missing_ok=True)
                self._stopped.set()
            if self._stopped.is_set() and not stopping:
                stopping = True
                threading.Thread(target=self._stop, args=(tree,), daemon=True).start()

    def _stop(self, tree: ProcessTree) -> None:
        self.before_stop()
        stop(tree, self._ended.wait, patience=_STOP_SECONDS)

    def _finish(self, ended: PlaySession, status: int, tail: OutputTail) -> PlaySession:
        session = msgspec.structs.replace(ended, status=status if status >= 0 else _SIGNAL_STATUS_BASE - status)
        lines = tail.lines()
        if ended_early(session) and not self._stopped.is_set():
            session = msgspec.structs.replace(session, output=tuple(lines))
        self.journal.write(session)
        return session

    def _now(self) -> PlaySession:
        return msgspec.structs.replace(self.session, seconds=round(time.monotonic() - self._started, 1))

    @contextmanager
    def _handling_signals(self) -> Iterator[None]:
        """Leave Ctrl-C to the program, and stop it at SIGTERM. Only the main thread receives signals.

        Ctrl-C is handled rather than ignored, since child processes inherit ignored signals.
        """

        def terminate(_number: int, _frame: FrameType | None) -> None:
            self._stopped.set()

        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {
            signal.SIGINT: signal.signal(signal.SIGINT, lambda *_: None),
            signal.SIGTERM: signal.signal(signal.SIGTERM, terminate),
        }
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler or signal.SIG_DFL)


def ended_early(session: PlaySession) -> bool:
    """Return whether a game has failed within a few seconds, so that its output is worth showing."""
    return bool(session.status) and session.seconds < _EARLY_SECONDS


def _is_terminal(descriptor: int) -> bool:
    with suppress(OSError):
        return os.isatty(descriptor)
    return False
