"""Sends the play sessions that have ended on this device to their server, so that all devices show the play time.

A session that the server has is marked with a file. If the mark is lost, because the client was killed or the disk is
full, the session is sent again, which changes nothing on the server.
"""

from collections.abc import Sequence

from playdock_client.client_folders import ClientFolders
from playdock_client.connection import Server
from playdock_client.errors import RequestRefused
from playdock_client.playing.sessions import PlaySession, SessionJournal

# The server's limit.
_MAX_UPLOADED = 500
_IN_FUTURE = "play-session-in-future"


class SessionUploads:
    """The play sessions of one server that it does not have yet. What it refuses is kept, and sent after a restart."""

    def __init__(self, folders: ClientFolders, server: str) -> None:
        """``server`` is the address that installations have."""
        self._journal = SessionJournal(folders.sessions)
        self._server = server
        # Those of other servers, those of installers, and those that were refused.
        self._left = set[str]()

    def run(self, server: Server) -> None:
        """Send what is new. Raises ClientError."""
        waiting = self._waiting()
        for start in range(0, len(waiting), _MAX_UPLOADED):
            self._send(server, waiting[start : start + _MAX_UPLOADED])

    def _waiting(self) -> Sequence[PlaySession]:
        found = []
        for session in self._journal.not_uploaded(self._left):
            if session.server == self._server and not session.set_up:
                found.append(session)
            else:
                self._left.add(session.id)
        return found

    def _send(self, server: Server, sessions: Sequence[PlaySession]) -> None:
        try:
            server.upload_play_sessions(sessions)
        except RequestRefused as refused:
            if refused.type != _IN_FUTURE or len(sessions) == 1:
                # Older servers, and those that get a token without the permission, refuse all of them.
                self._left.update(each.id for each in sessions)
                return
            middle = len(sessions) // 2
            self._send(server, sessions[:middle])
            self._send(server, sessions[middle:])
        else:
            for each in sessions:
                self._journal.mark_uploaded(each.id)
