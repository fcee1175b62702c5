"""The servers that can be read."""

from collections.abc import Callable, Mapping
from pathlib import Path

from playdock.other_servers import drop, gamevault, romm
from playdock.other_servers.model import SourceServer
from playdock.other_servers.queries import SourceDatabase, opened

READERS: Mapping[str, Callable[[SourceDatabase], SourceServer]] = {
    "drop": drop.read,
    "gamevault": gamevault.read,
    "romm": romm.read,
}


def read(kind: str, address: str, saves: Path | None = None) -> SourceServer:
    """Return what another server has, by the kind of server, the URL of its database and its folder with saved games.

    Raises:
        SourceUrlInvalid, SourceUnreadable, SourceUnsupported, SavesUnknown: it cannot be read.
    """
    with opened(address) as source:
        found = READERS[kind](source)
    return gamevault.with_saves(found, saves) if kind == "gamevault" and saves else found
