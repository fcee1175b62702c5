"""`verify`, `repair` and `uninstall`: commands for the files of installed games."""

from argparse import ArgumentParser
from collections.abc import Sequence

from playdock_client import installing
from playdock_client.commands.command import Command, add_installed_game
from playdock_client.installing import CheckResult
from playdock_client.output import InstallationResult, show_outcome
from playdock_client.shell import Exit, InstalledGame, Shell
from playdock_client.shortcuts.game_shortcuts import ShortcutTarget
from playdock_client.unlinking import remove_links_to
from playdock_client.wording import bulleted, counted, size


def _verify(shell: Shell, *, game: str) -> int:
    """Read all files of an installation and compare them with its manifest, without a server."""
    installed = shell.installed(game)
    with shell.screen.progress() as progress:
        result = installing.verify(installed.folder, progress=progress)
    document = {
        "event": "verified",
        "folder": str(installed.folder),
        "sound": result.intact,
        "missing": result.missing,
        "damaged": result.damaged,
        "own": result.own,
        "checked": result.checked,
    }
    shell.screen.show_result(document, _check_lines(installed, result))
    return Exit.DONE if result.intact else Exit.DAMAGED


def _check_lines(installed: InstalledGame, result: CheckResult) -> Sequence[str]:
    name = installed.installation.version.title_with(installed.installation.game.name)
    problems = counted(len(result.missing) + len(result.damaged), "file is", "files are")
    verdict = "intact" if result.intact else f"damaged: {problems} missing or changed. Run repair to restore them"
    return [
        f"{name} is {verdict}. Checked {size(result.checked)}.",
        *bulleted("Missing:", result.missing),
        *bulleted("Changed:", result.damaged),
        *bulleted("Not part of the game:", result.own),
    ]


def _repair(shell: Shell, *, game: str) -> int:
    installed = shell.installed(game)
    with shell.server(installed.installation.server) as server, shell.screen.progress() as progress:
        outcome = installing.repair(server, installed.folder, options=shell.options, progress=progress)
    show_outcome(shell.screen, shell.open(installed.folder), outcome, InstallationResult.REPAIRED)
    return Exit.DONE


def _add_uninstall_arguments(parser: ArgumentParser) -> None:
    add_installed_game(parser)
    parser.add_argument("--remove-own", action="store_true", help="also remove your own files in the game's folder")


def _uninstall(shell: Shell, *, game: str, remove_own: bool) -> int:
    folder = shell.folder(game)
    remaining = installing.uninstall(folder, keep_own=not remove_own) if folder.is_dir() else []
    entry = next((each for each in shell.entries() if each.folder == str(folder)), None)
    prefix = shell.folders.prefix(entry.game) if entry else None
    target = ShortcutTarget(entry.name if entry else folder.name, folder)
    if note := remove_links_to(target, machine=shell.machine, folders=shell.folders, environment=shell.environment):
        shell.screen.info(note)
    kept = str(prefix) if prefix and prefix.is_dir() else None
    shell.registry.remove(folder)
    lines = [f"{folder} is uninstalled.", *bulleted("Your own files were kept:", remaining)]
    lines += [f"The Wine prefix with saved data was kept: {kept}"] if kept else []
    shell.screen.show_result({"event": "uninstalled", "folder": str(folder), "stay": remaining, "prefix": kept}, lines)
    return Exit.DONE


COMMANDS = (
    Command("verify", "Check the files of an installed game.", _verify, add_installed_game),
    Command("repair", "Restore missing or damaged files of an installed game.", _repair, add_installed_game),
    Command("uninstall", "Remove an installed game.", _uninstall, _add_uninstall_arguments),
)
