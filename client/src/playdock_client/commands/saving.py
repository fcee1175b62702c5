"""`saves`."""

from argparse import ArgumentParser
from datetime import datetime
from pathlib import Path

import msgspec

from playdock_client.client_folders import home_of
from playdock_client.commands.command import Command, add_installed_game
from playdock_client.own_folder import OwnFolder
from playdock_client.responses import SaveInfo
from playdock_client.save_sync import SaveSync, name_save_folder, read_save_folder
from playdock_client.shell import Exit, Shell
from playdock_client.wording import size


def _add_arguments(parser: ArgumentParser) -> None:
    add_installed_game(parser)
    parser.add_argument("--folder", type=Path, metavar="FOLDER", help="name the folder with the saved games")
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--upload", action="store_true", help="upload the files if they have changed")
    action.add_argument("--download", action="store_true", help="replace the files with the newest save")
    action.add_argument("--restore", metavar="ID", help="make a save the newest, and replace the files with it")


def _saves(shell: Shell, *, game: str, folder: Path | None, upload: bool, download: bool, restore: str | None) -> int:
    """Show the saved games of an installed game, or upload, download or restore one."""
    installed = shell.installed(game)
    if folder is not None:
        home = home_of(shell.environment)
        name_save_folder(installed.folder, folder.expanduser().resolve(), home=home)
    game_id, address = installed.installation.game.id, installed.installation.server
    with shell.server(address) as server:
        if upload or download or restore:
            sync = SaveSync(installed.folder, game_id, server, info=shell.screen.info)
            # Not while the game runs, or another process does the same.
            with OwnFolder(installed.folder).locked():
                if restore:
                    sync.restore(restore)
                elif upload:
                    sync.upload()
                else:
                    sync.download()
        saves = server.saves(game_id)
    known = read_save_folder(installed.folder)
    where = f"Folder: {known.folder}" if known else "No folder is named. Name it with --folder."
    document = {"folder": known.folder if known else None, "saves": msgspec.to_builtins(saves)}
    shell.screen.show_result(document, [where, *map(_line, saves)])
    return Exit.DONE


def _line(save: SaveInfo) -> str:
    state = "newest" if save.newest else "aside" if save.aside else ""
    created = datetime.fromisoformat(save.created).astimezone()
    return f"  {save.id}  {created:%Y-%m-%d %H:%M}  {size(save.size)}  {save.device or '-'}  {state}".rstrip()


COMMANDS = (Command("saves", "Show, upload, download or restore saved games.", _saves, _add_arguments),)
