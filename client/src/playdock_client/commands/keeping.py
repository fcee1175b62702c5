"""`verify`, `repair`, `uninstall` and `launch`: what is done with a game that is installed."""

import sys
from argparse import ArgumentParser
from collections.abc import Sequence

from playdock_client import installing
from playdock_client.commands.command import Command
from playdock_client.installing import Findings
from playdock_client.launch import Launcher
from playdock_client.shell import Exit, InstalledGame, Shell
from playdock_client.telling import Done, tell_outcome
from playdock_client.wording import counted, listed, size


def _offer_game(parser: ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME", help="an installed game: its name, its id or its folder (./Doom)")


def _verify(shell: Shell, *, game: str) -> int:
    """Read all files of an installation and compare them with its manifest, without a server."""
    there = shell.installed(game)
    with shell.screen.progress() as progress:
        found = installing.verify(there.folder, progress=progress)
    document = {
        "event": "verified",
        "folder": str(there.folder),
        "sound": found.sound,
        "missing": found.missing,
        "damaged": found.damaged,
        "own": found.own,
        "checked": found.checked,
    }
    shell.screen.answer(document, _findings(there, found))
    return Exit.DONE if found.sound else Exit.DAMAGED


def _findings(there: InstalledGame, found: Findings) -> Sequence[str]:
    name = f"{there.installation.game.name} {there.installation.version.name}"
    faults = counted(len(found.missing) + len(found.damaged), "file is", "files are")
    verdict = "as it should be" if found.sound else f"damaged: {faults} missing or changed. A repair restores them"
    return [
        f"{name} is {verdict}. {size(found.checked)} checked.",
        *listed("Missing:", found.missing),
        *listed("Changed:", found.damaged),
        *listed("Not the game's, but yours:", found.own),
    ]


def _repair(shell: Shell, *, game: str) -> int:
    there = shell.installed(game)
    with shell.server(there.installation.server) as server, shell.screen.progress() as progress:
        outcome = installing.repair(server, there.folder, options=shell.options, progress=progress)
    tell_outcome(shell.screen, shell.open(there.folder), outcome, Done.REPAIRED)
    return Exit.DONE


def _offer_uninstall(parser: ArgumentParser) -> None:
    _offer_game(parser)
    parser.add_argument("--remove-own", action="store_true", help="remove your own files in the game's folder, too")


def _uninstall(shell: Shell, *, game: str, remove_own: bool) -> int:
    folder = shell.folder(game)
    stay = installing.uninstall(folder, keep_own=not remove_own) if folder.is_dir() else []
    prefix = next((shell.places.prefix(entry.game) for entry in shell.entries() if entry.folder == str(folder)), None)
    kept = str(prefix) if prefix and prefix.is_dir() else None
    shell.registry.remove(folder)
    shown = [f"{folder} is uninstalled.", *listed("These files are yours and stay:", stay)]
    shown += [f"The Windows that it ran in stays, with all that was saved there: {kept}"] if kept else []
    shell.screen.answer({"event": "uninstalled", "folder": str(folder), "stay": stay, "prefix": kept}, shown)
    return Exit.DONE


def _launch(shell: Shell, *, game: str, extra: Sequence[str]) -> int:
    """Launch a game and end as it ends. For programs, what the game writes goes where it disturbs nobody."""
    there = shell.installed(game)
    output = sys.stderr.fileno() if shell.for_programs else None
    launcher = Launcher(shell.machine, shell.places, shell.environment, tell=shell.screen.tell, output=output)
    status = launcher.launch(there.folder, extra)
    shell.screen.happened("ended", {"folder": str(there.folder), "status": status})
    return status


COMMANDS = (
    Command("verify", "Check the files of an installed game.", _verify, _offer_game),
    Command("repair", "Bring back what is missing or damaged in an installed game.", _repair, _offer_game),
    Command("launch", "Launch an installed game; what follows -- are arguments for it.", _launch, _offer_game),
    Command("uninstall", "Remove an installed game.", _uninstall, _offer_uninstall),
)
