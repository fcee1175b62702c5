"""`shortcut` and `steam`: games in the menu, on the desktop, and in Steam."""

from argparse import ArgumentParser
from pathlib import Path

from playdock_client.artwork import Artwork, ArtworkRole, fetch_artwork, stored_artwork
from playdock_client.commands.command import Command, add_installed_game
from playdock_client.errors import ClientError
from playdock_client.machine import WINDOWS
from playdock_client.shell import Exit, InstalledGame, Shell, UsageError
from playdock_client.shortcuts.game_shortcuts import GameShortcuts, ShortcutPlace, ShortcutTarget
from playdock_client.steam.steam_library import SteamLibrary
from playdock_client.wording import bulleted

# Short, because shortcuts are useful without pictures.
_RETRY_SECONDS = 3.0


def _add_shortcut_arguments(parser: ArgumentParser) -> None:
    add_installed_game(parser)
    parser.add_argument("--menu", action="store_true", help="add the game to the menu")
    parser.add_argument("--desktop", action="store_true", help="add the game to the desktop")
    parser.add_argument("--remove", action="store_true", help="remove all shortcuts of the game")


def _shortcut(shell: Shell, *, game: str, menu: bool, desktop: bool, remove: bool) -> int:
    if remove == (menu or desktop):
        raise UsageError("Use --menu, --desktop or both to add shortcuts, or --remove to remove them.")
    installed = shell.installed(game)
    shortcuts = GameShortcuts(shell.machine, shell.folders, shell.environment)
    if remove:
        removed = shortcuts.remove(ShortcutTarget(installed.installation.game.name, installed.folder))
        lines = bulleted("Removed:", [str(file) for file in removed]) or ["The game has no shortcuts."]
        shell.screen.show_result({"event": "removed", "files": [str(file) for file in removed]}, lines)
        return Exit.DONE
    icon = artwork_of(shell, installed).get(ArtworkRole.ICON)
    target = ShortcutTarget(installed.installation.game.name, installed.folder, _icon(shell, installed, icon))
    places = [*([ShortcutPlace.MENU] if menu else []), *([ShortcutPlace.DESKTOP] if desktop else [])]
    files = [str(shortcuts.add(target, place)) for place in places]
    shell.screen.show_result({"event": "added", "files": files}, bulleted("Added:", files))
    return Exit.DONE


def artwork_of(shell: Shell, installed: InstalledGame) -> Artwork:
    """Return the pictures of a game, those fetched before if its server cannot be reached."""
    game = installed.installation.game.id
    try:
        with shell.server(installed.installation.server, retry_seconds=_RETRY_SECONDS) as server:
            return fetch_artwork(server, shell.folders, game)
    except ClientError:
        return stored_artwork(shell.folders, game)


def _icon(shell: Shell, installed: InstalledGame, icon: Path | None) -> Path | None:
    """Return the file with the icon. On Windows it is the one of the program, since pictures cannot be used there."""
    if shell.machine.platform != WINDOWS:
        return icon
    program = installed.folder / installed.installation.version.launch
    return program if program.suffix.lower() == ".exe" else None


def _add_steam_arguments(parser: ArgumentParser) -> None:
    add_installed_game(parser)
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--add", action="store_true", help="add the game with its pictures, or renew it")
    action.add_argument("--remove", action="store_true", help="remove the game and its pictures")


def _steam(shell: Shell, *, game: str, add: bool, remove: bool) -> int:  # noqa: ARG001 - either is set
    """Add a game to Steam, for all accounts on this machine, or remove it."""
    installed = shell.installed(game)
    name = installed.installation.game.name
    library = SteamLibrary(shell.machine, shell.folders, shell.environment)
    target = ShortcutTarget(name, installed.folder)
    accounts = library.add(target, artwork_of(shell, installed)) if add else library.remove(target)
    ids = [each.folder.name for each in accounts]
    done = f"{name} is in Steam." if add else f"{name} is no longer in Steam." if ids else f"{name} was not in Steam."
    shell.screen.show_result({"event": "added" if add else "removed", "accounts": ids}, [done])
    return Exit.DONE


COMMANDS = (
    Command("steam", "Add an installed game to Steam, or remove it.", _steam, _add_steam_arguments),
    Command("shortcut", "Add an installed game to the menu or the desktop.", _shortcut, _add_shortcut_arguments),
)
