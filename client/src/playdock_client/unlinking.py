"""Removes what points to an installation from outside when it is uninstalled: its shortcuts, and its entry in Steam."""

from collections.abc import Mapping
from contextlib import suppress

from playdock_client.client_folders import ClientFolders
from playdock_client.errors import ClientError
from playdock_client.machine import Machine
from playdock_client.shortcuts.game_shortcuts import GameShortcuts, ShortcutTarget
from playdock_client.steam.steam_library import SteamLibrary


def remove_links_to(
    target: ShortcutTarget, *, machine: Machine, folders: ClientFolders, environment: Mapping[str, str]
) -> str:
    """Remove all shortcuts to a game, and its entries in Steam; return a sentence if the player has something to do."""
    with suppress(ClientError, OSError):
        GameShortcuts(machine, folders, environment).remove(target)
    library = SteamLibrary(machine, folders, environment)
    try:
        if library.has(target):
            library.remove(target)
    except (ClientError, OSError):
        return f"{target.name} is still in Steam. Remove it there: Manage > Remove non-Steam game."
    return ""
