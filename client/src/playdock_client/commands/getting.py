"""`install`, `adopt` and `update`."""

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from playdock_client import installing
from playdock_client.answers import GameInfo, GamePage, VersionInfo
from playdock_client.choosing import choose_version
from playdock_client.commands.command import Command
from playdock_client.errors import ClientError, FolderTaken, NotInstalled
from playdock_client.installing import Outcome, read_installation
from playdock_client.machine import PLATFORMS
from playdock_client.shell import Exit, InstalledGame, Misused, Shell, folder_of, offered
from playdock_client.telling import Done, tell_failure, tell_outcome


def _offer_install(parser: ArgumentParser) -> None:
    _offer_game(parser)
    parser.add_argument("--to", metavar="FOLDER", type=_some, help="install to this folder instead of the usual one")


def _offer_adopt(parser: ArgumentParser) -> None:
    _offer_game(parser)
    parser.add_argument(
        "--folder", metavar="FOLDER", type=_some, required=True, help="where the game's files already are"
    )


def _some(text: str) -> str:
    if not text:
        raise ArgumentTypeError("Name a folder.")
    return text


def _offer_game(parser: ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME", help="name or id of a game of the store")
    parser.add_argument("--version", metavar="VERSION", help="name or id of a version; the newest if left out")
    parser.add_argument("--platform", choices=PLATFORMS, help="whose version; this machine's if left out")


def _install(shell: Shell, *, game: str, version: str | None, platform: str | None, to: str | None) -> int:
    with shell.server() as server:
        page = offered(server, game)
        chosen = _choose(shell, page, version=version, platform=platform)
        folder = folder_of(to) if to else shell.places.game(page.name)
        if _is_there(folder, page, chosen):
            tell_outcome(shell.screen, shell.open(folder), Outcome(chosen, fetched=0, reused=0), Done.NOTHING)
            return Exit.DONE
        shell.screen.tell(f"Installing {page.name} {chosen.name} in {folder}")
        with shell.listing(folder, server, page), shell.screen.progress() as progress:
            outcome = installing.install(server, page, chosen, folder, options=shell.options, progress=progress)
    tell_outcome(shell.screen, shell.open(folder), outcome, Done.INSTALLED)
    return Exit.DONE


def _is_there(folder: Path, game: GameInfo, version: VersionInfo) -> bool:
    """Tell whether just this is installed there. Raises FolderTaken if something else is."""
    with suppress(NotInstalled):
        there = read_installation(folder)
        if there.game.id != game.id:
            raise FolderTaken(f"{there.game.name} is installed in {folder}. Choose another folder with --to.")
        if there.version.id != version.id:
            raise FolderTaken(
                f"{there.game.name} is installed in {folder} in version {there.version.name}. Update it to "
                f"{version.name}, or choose another folder with --to."
            )
        return True
    return False


def _adopt(shell: Shell, *, game: str, version: str | None, platform: str | None, folder: str) -> int:
    place = folder_of(folder)
    if not place.is_dir():
        raise NotInstalled(f"There is no folder {place}. Name the folder that the game's files are in.")
    with shell.server() as server:
        page = offered(server, game)
        chosen = _choose(shell, page, version=version, platform=platform)
        with shell.listing(place, server, page), shell.screen.progress() as progress:
            outcome = installing.adopt(server, page, chosen, place, options=shell.options, progress=progress)
    tell_outcome(shell.screen, shell.open(place), outcome, Done.ADOPTED)
    return Exit.DONE


def _choose(shell: Shell, game: GamePage, *, version: str | None, platform: str | None) -> VersionInfo:
    platforms = (platform,) if platform else shell.machine.runs
    chosen = choose_version(game.versions, wanted=version, platforms=platforms)
    if chosen.platform != shell.machine.platform:
        way = "It is launched by umu-launcher." if chosen.platform in shell.machine.runs else "It cannot run here."
        shell.screen.tell(f"{game.name} {chosen.name} is for {chosen.platform}. {way}")
    return chosen


def _offer_update(parser: ArgumentParser) -> None:
    parser.add_argument(
        "games", metavar="GAME", nargs="*", help="an installed game: its name, its id or its folder (./Doom)"
    )
    parser.add_argument("--all", dest="everything", action="store_true", help="all installed games")
    parser.add_argument("--version", metavar="VERSION", help="name or id of a version, older ones too; else the newest")


def _update(shell: Shell, *, games: Sequence[str], everything: bool, version: str | None) -> int:
    """Update games one after the other; what fails for one does not keep the others from it."""
    if bool(games) == everything:
        raise Misused("Name the games to update, or all of them with --all.")
    if version and len(games) != 1:
        raise Misused("A version is a version of one game: name just that game.")
    wanted = games or [entry.folder for entry in shell.entries()]
    if not wanted:
        shell.screen.tell("No games are installed.")
    status = Exit.DONE
    for each in wanted:
        try:
            _update_one(shell, shell.open(Path(each)) if everything else shell.installed(each), version)
        except ClientError as error:
            status = tell_failure(shell.screen, error, about=each if len(wanted) > 1 else "")
    return status


def _update_one(shell: Shell, there: InstalledGame, version: str | None) -> None:
    game, present = there.installation.game, there.installation.version
    with shell.server(there.installation.server) as server:
        chosen = choose_version(server.versions(game.id), wanted=version, platforms=(present.platform,))
        if chosen.id != present.id:
            shell.screen.tell(f"Updating {game.name} from {present.name} to {chosen.name}")
        with shell.screen.progress() as progress:
            outcome = installing.update(server, there.folder, chosen, options=shell.options, progress=progress)
    now = shell.open(there.folder)
    same = (now.installation.version.id, now.installation.etag) == (present.id, there.installation.etag)
    tell_outcome(shell.screen, now, outcome, Done.NOTHING if same else Done.UPDATED)


COMMANDS = (
    Command("install", "Install a game.", _install, _offer_install),
    Command("update", "Update installed games to their newest version, or to another.", _update, _offer_update),
    Command("adopt", "Take over files of a game that are already on this machine.", _adopt, _offer_adopt),
)
