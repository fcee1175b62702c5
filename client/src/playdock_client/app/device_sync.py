"""Keeps the server and this device in step: games that were queued elsewhere, and what is installed here."""

from collections.abc import Callable, Mapping

from playdock_client.connection import Server
from playdock_client.errors import ClientError, RequestRefused, ServerUnavailable
from playdock_client.transport import Broken


class DeviceSync:
    """Receives the queue of this device and reports its installations.

    Servers accept this only of devices; an API token is refused, and nothing is synchronized.
    """

    def __init__(self, install: Callable[[str], None]) -> None:
        """``install`` queues an installation; it raises a ClientError if that is impossible."""
        self._install = install
        self._reported: Mapping[str, str] | None = None

    def run(self, server: Server, installed: Mapping[str, str]) -> None:
        """Do both. ``installed`` has the id of the version of each game. Raises ServerUnavailable."""
        try:
            self._receive(server, installed)
            if installed != self._reported:
                server.report_installations(installed)
                self._reported = dict(installed)
        except Broken as broken:
            raise ServerUnavailable(str(broken)) from broken
        except RequestRefused:
            return

    def _receive(self, server: Server, installed: Mapping[str, str]) -> None:
        for queued in server.queued_games():
            if queued.game_id not in installed:
                try:
                    self._install(queued.game_id)
                except ServerUnavailable:
                    raise
                except ClientError:
                    # Impossible here, for example without a version for this platform; asking again would not help.
                    pass
            server.acknowledge(queued.game_id)
