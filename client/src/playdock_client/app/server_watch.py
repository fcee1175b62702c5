"""Watches one server while its pages are open: whether it can be reached, new versions, and the device's queue."""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager

from playdock_client.app.changes import Changes
from playdock_client.app.device_sync import DeviceSync
from playdock_client.app.game_jobs import GameJobs
from playdock_client.app.installed_games import InstalledGames
from playdock_client.connection import Server
from playdock_client.errors import ClientError, ServerUnavailable
from playdock_client.playing.session_uploads import SessionUploads

# New versions are rare, and one call per installed game is sent.
_UPDATE_CHECK_SECONDS = 15 * 60.0
# After a failed check, for example because the machine has just woken up.
_RETRY_CHECK_SECONDS = 30.0
# A game that was queued on a phone begins to download within this time.
_SYNC_SECONDS = 30.0
# Commands in a terminal also change installations.
_REFRESH_SECONDS = 1.0


class ServerWatch:
    """A thread that asks a server from time to time, and keeps what is known of this machine current."""

    def __init__(
        self,
        connect: Callable[[], AbstractContextManager[Server]],
        games: InstalledGames,
        jobs: GameJobs,
        uploads: SessionUploads,
        changes: Changes,
    ) -> None:
        """``connect`` opens a connection to the server."""
        self._uploads = uploads
        self._connect = connect
        self._games = games
        self._jobs = jobs
        self._changes = changes
        self._sync = DeviceSync(lambda game: jobs.install(game, version=None, folder=None, shortcuts=()))
        self._online = True
        self._wake = threading.Event()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="library", daemon=True)

    @property
    def online(self) -> bool:
        return self._online

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._closing = True
        self._wake.set()

    def check_now(self) -> None:
        """Look for new versions now."""
        self._wake.set()

    def note_reached(self, *, reached: bool) -> None:
        """Record whether the server could be reached; when it is back, look for updates."""
        if reached != self._online:
            self._online = reached
            self._changes.announce()
            if reached:
                self._wake.set()

    def _run(self) -> None:
        waited, pause = 0.0, 0.0
        while not self._closing:
            if waited >= pause or self._wake.is_set():
                self._wake.clear()
                waited, pause = 0.0, _UPDATE_CHECK_SECONDS if self._check_updates() else _RETRY_CHECK_SECONDS
            elif self._online and waited % _SYNC_SECONDS < _REFRESH_SECONDS:
                self._ask_server(self._synchronize)
            self._games.refresh()
            self._wake.wait(_REFRESH_SECONDS)
            waited += _REFRESH_SECONDS

    def _check_updates(self) -> bool:
        """Fetch the offered versions and queue automatic updates; return whether the server could be reached."""
        if not self._ask_server(self._games.library.fetch_versions, self._synchronize):
            return False
        self._games.refresh()
        self._jobs.queue_updates()
        return True

    def _ask_server(self, *calls: Callable[[Server], None]) -> bool:
        """Make calls to the server, and return whether that succeeded."""
        try:
            with self._connect() as server:
                server.user()
                for call in calls:
                    call(server)
        except ServerUnavailable:
            self.note_reached(reached=False)
            return False
        except ClientError:
            return False
        self.note_reached(reached=True)
        return True

    def _synchronize(self, server: Server) -> None:
        installed = {each.game: each.version.id for each in self._games.library.games() if each.version}
        self._sync.run(server, installed)
        self._uploads.run(server)
