"""`install`, `adopt` and `update`."""

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from playdock_client import installing
from playdock_client.choosing import choose_version
from playdock_client.commands.command import Command
from playdock_client.connection import Server
from playdock_client.errors import ClientError, FolderTaken, NotInstalled
from playdock_client.installing import InstallOutcome, read_installation
from playdock_client.launch_problems import LaunchProblemKind, launch_problems
from playdock_client.machine import PLATFORMS
from playdock_client.output import InstallationResult, show_failure, show_outcome
from playdock_client.progress import Notice, NoticeKind
from playdock_client.recognizing import recognize
from playdock_client.responses import GameInfo, GamePage, VersionInfo
from playdock_client.shell import Exit, InstalledGame, Shell, UsageError, find_game, folder_of, versions_of
from playdock_client.wording import counted


def _add_install_arguments(parser: ArgumentParser) -> None:
    _add_game_argument(parser)
    parser.add_argument("--to", metavar="FOLDER", type=_nonempty, help="install to this folder instead of the default")


def _add_adopt_arguments(parser: ArgumentParser) -> None:
    _add_game_argument(parser, default="the one that the folder contains")
    parser.add_argument(
        "--folder", metavar="FOLDER", type=_nonempty, required=True, help="the folder with the game's files"
    )


def _nonempty(text: str) -> str:
    if not text:
        raise ArgumentTypeError("Name a folder.")
    return text


def _add_game_argument(parser: ArgumentParser, *, default: str = "the newest") -> None:
    parser.add_argument("game", metavar="GAME", help="name or id of a game of the store")
    parser.add_argument("--version", metavar="VERSION", help=f"name or id of a version (default: {default})")
    parser.add_argument("--platform", choices=PLATFORMS, help="platform of the version (default: this machine's)")


def _install(shell: Shell, *, game: str, version: str | None, platform: str | None, to: str | None) -> int:
    with shell.server() as server:
        page = find_game(server, game)
        selected = _select_version(shell, page, version=version, platform=platform)
        folder = folder_of(to) if to else shell.folders.game(page.name)
        if _is_installed(folder, page, selected):
            show_outcome(
                shell.screen,
                shell.open(folder),
                InstallOutcome(selected, fetched=0, reused=0),
                InstallationResult.NOTHING,
            )
            return Exit.DONE
        shell.screen.info(f"Installing {selected.title_with(page.name)} in {folder}")
        with shell.listing(folder, server, page), shell.screen.progress() as progress:
            outcome = installing.install(server, page, selected, folder, options=shell.options, progress=progress)
        shell.report_installed(server)
    installed = shell.open(folder)
    _report_launch_problems(shell, installed)
    show_outcome(shell.screen, installed, outcome, InstallationResult.INSTALLED)
    return Exit.DONE


def _report_launch_problems(shell: Shell, installed: InstalledGame) -> None:
    """Report what is missing to launch the game, except its platform, which was reported before the download."""
    for problem in launch_problems(installed.installation, installed.folder, shell.machine, shell.environment):
        if problem.kind is not LaunchProblemKind.PLATFORM:
            notice = Notice(NoticeKind.LAUNCH_PROBLEM, problem.message, problem.name)
            shell.screen.emit("notice", asdict(notice), [problem.message])


def _is_installed(folder: Path, game: GameInfo, version: VersionInfo) -> bool:
    """Return whether this version is installed there. Raises FolderTaken if something else is."""
    with suppress(NotInstalled):
        installed = read_installation(folder)
        if installed.game.id != game.id:
            raise FolderTaken(f"{installed.game.name} is installed in {folder}. Choose another folder with --to.")
        if installed.version.id != version.id:
            raise FolderTaken(
                f"{installed.version.title_with(installed.game.name)} is installed in {folder}. Update it to "
                f"{version.title_with(game.name)}, or choose another folder with --to."
            )
        return True
    return False


def _adopt(shell: Shell, *, game: str, version: str | None, platform: str | None, folder: str) -> int:
    path = folder_of(folder)
    if not path.is_dir():
        raise NotInstalled(f"The folder {path} does not exist. Use the folder with the game's files.")
    with shell.server() as server:
        page = find_game(server, game)
        selected = (
            _select_version(shell, page, version=version, platform=platform)
            if version
            else _recognize_version(shell, server, page, path, platforms=(platform,) if platform else None)
        )
        adopt_version(shell, server, page, selected, path)
    return Exit.DONE


def adopt_version(shell: Shell, server: Server, game: GamePage, version: VersionInfo, folder: Path) -> None:
    """Turn a folder into an installation of a version, and show the result."""
    with shell.listing(folder, server, game), shell.screen.progress() as progress:
        outcome = installing.adopt(server, game, version, folder, options=shell.options, progress=progress)
    shell.report_installed(server)
    installed = shell.open(folder)
    _report_launch_problems(shell, installed)
    show_outcome(shell.screen, installed, outcome, InstallationResult.ADOPTED)


def _recognize_version(
    shell: Shell, server: Server, game: GamePage, folder: Path, *, platforms: Sequence[str] | None
) -> VersionInfo:
    """Return the version that a folder contains, and report it."""
    with shell.screen.progress() as progress:
        found = recognize(server, game.versions, folder, platforms=platforms or shell.machine.runs, progress=progress)
    name = found.version.title_with(game.name)
    lines = [f"The folder contains {name}: {found.matching:,} of {counted(found.files, 'file', 'files')} match."]
    if not found.matching:
        lines = [f"No file of the folder belongs to a version of {game.name}. {name} is the newest."]
    elif found.has_update:
        lines.append(f"Version {found.newest.title} is newer. To get it, update the game afterwards.")
    document = {
        "version": found.version.name,
        "matching": found.matching,
        "files": found.files,
        "newest": found.newest.name,
    }
    shell.screen.emit("recognized", document, lines)
    return found.version


def _select_version(shell: Shell, game: GamePage, *, version: str | None, platform: str | None) -> VersionInfo:
    platforms = (platform,) if platform else shell.machine.runs
    selected = choose_version(game.versions, query=version, platforms=platforms)
    if selected.platform != shell.machine.platform:
        note = "It is launched with umu-launcher." if selected.platform in shell.machine.runs else "It cannot run here."
        shell.screen.info(f"{selected.title_with(game.name)} is for {selected.platform}. {note}")
    return selected


def _add_update_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "games", metavar="GAME", nargs="*", help="an installed game: its name, its id or its folder (./Doom)"
    )
    parser.add_argument("--all", dest="all_games", action="store_true", help="all installed games; the default")
    parser.add_argument(
        "--version", metavar="VERSION", help="name or id of a version, even an older one (default: the newest)"
    )


def _update(shell: Shell, *, games: Sequence[str], all_games: bool, version: str | None) -> int:
    """Update games, or all of them, one after another. A failure does not affect the other games."""
    if games and all_games:
        raise UsageError("Name the games to update, or use --all for all of them.")
    if version and len(games) != 1:
        raise UsageError("Use --version with exactly one game.")
    queries = games or [entry.folder for entry in shell.entries()]
    if not queries:
        shell.screen.info("No games are installed.")
    status = Exit.DONE
    for each in queries:
        try:
            _update_one(shell, shell.installed(each) if games else shell.open(Path(each)), version)
        except ClientError as error:
            status = show_failure(shell.screen, error, about=each if len(queries) > 1 else "")
    return status


def _update_one(shell: Shell, installed: InstalledGame, version: str | None) -> None:
    game, current = installed.installation.game, installed.installation.version
    with shell.server(installed.installation.server) as server:
        selected = choose_version(versions_of(server, game.id), query=version, platforms=(current.platform,))
        if selected.id != current.id:
            before = "" if current.is_unnamed else f" from {current.title}"
            shell.screen.info(f"Updating {game.name}{before} to {selected.title}")
        with shell.screen.progress() as progress:
            outcome = installing.update(server, installed.folder, selected, options=shell.options, progress=progress)
        shell.report_installed(server)
    now = shell.open(installed.folder)
    same = (now.installation.version.id, now.installation.etag) == (current.id, installed.installation.etag)
    show_outcome(shell.screen, now, outcome, InstallationResult.NOTHING if same else InstallationResult.UPDATED)


COMMANDS = (
    Command("install", "Install a game.", _install, _add_install_arguments),
    Command(
        "update",
        "Update all installed games, or some, to the newest version or another.",
        _update,
        _add_update_arguments,
    ),
    Command("adopt", "Turn a folder with files of a game into an installation.", _adopt, _add_adopt_arguments),
)
