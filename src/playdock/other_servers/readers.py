"""The servers that can be read."""

from collections.abc import Callable, Mapping

from playdock.other_servers import drop, gamevault, romm
from playdock.other_servers.model import SourceServer
from playdock.other_servers.queries import SourceDatabase, opened

READERS: Mapping[str, Callable[[SourceDatabase], SourceServer]] = {
    "drop": drop.read,
    "gamevault": gamevault.read,
    "romm": romm.read,
}


def read(kind: str, address: str) -> SourceServer:
    """Return what another server has, by the kind of server and the URL of its database.

    Raises:
        SourceUrlInvalid, SourceUnreadable, SourceUnsupported: it cannot be read.
    """
    with opened(address) as source:
        return READERS[kind](source)
