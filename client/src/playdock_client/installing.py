"""The operations: install, update, verify, repair, adopt, uninstall."""

import shutil
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from playdock_client.comparing import CheckedVersion, FolderComparison
from playdock_client.connection import Server
from playdock_client.deciding import FolderState
from playdock_client.disk import EntryKind, ordered_entries
from playdock_client.errors import FolderTaken
from playdock_client.installation import Installation
from playdock_client.installer import (
    FetchOptions,
    Installer,
    InstallOutcome,
    explained_disk_errors,
    find_installed,
    opened,
    opened_for_reading,
)
from playdock_client.own_folder import OwnFolder
from playdock_client.progress import NoProgress, Progress
from playdock_client.responses import GameInfo, VersionInfo
from playdock_client.switching import remove_empty_folders

__all__ = [
    "CheckResult",
    "FetchOptions",
    "InstallOutcome",
    "adopt",
    "explained_disk_errors",
    "install",
    "read_installation",
    "repair",
    "uninstall",
    "update",
    "verify",
]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of a verification: missing files, damaged files, and files that are not part of the version.

    `checked` is the number of bytes read.
    """

    missing: tuple[str, ...]
    damaged: tuple[str, ...]
    own: tuple[str, ...]
    checked: int

    @property
    def intact(self) -> bool:
        """Return whether no file is missing or damaged."""
        return not self.missing and not self.damaged


def install(
    server: Server, game: GameInfo, version: VersionInfo, folder: Path, *, options: FetchOptions, progress: Progress
) -> InstallOutcome:
    """Install a version into a new or empty folder, or resume an interrupted installation.

    Raises FolderTaken if the folder contains anything else, and all other errors of `errors`.
    """
    if not OwnFolder(folder).root.exists():
        # Do not create anything, not even the lock file, in a folder with other files.
        with explained_disk_errors(folder):
            OwnFolder(folder).require_empty(game.name)
    with opened(folder) as own:
        installed = find_installed(own)
        if installed is None:
            own.require_empty(game.name)
        elif installed.installation.game.id != game.id:
            raise FolderTaken(f"{installed.installation.game.name} is installed in {folder}. Choose another folder.")
        return Installer(own, server, game, version, options=options, progress=progress).run(installed)


def update(
    server: Server, folder: Path, version: VersionInfo, *, options: FetchOptions, progress: Progress
) -> InstallOutcome:
    """Change an installation to another version of its game, newer or older, or to a re-import of the same version."""
    with opened(folder, must_exist=True) as own:
        installed = own.read()
        installer = Installer(own, server, installed.installation.game, version, options=options, progress=progress)
        return installer.run(installed)


def repair(server: Server, folder: Path, *, options: FetchOptions, progress: Progress) -> InstallOutcome:
    """Read all files, and replace those that are missing or damaged. Replaced files are set aside."""
    with opened(folder, must_exist=True) as own:
        installed = own.read()
        game, version = installed.installation.game, installed.installation.version
        installer = Installer(own, server, game, version, options=options, progress=progress)
        return installer.run(installed, trust=False, restore=True)


def adopt(
    server: Server, game: GameInfo, version: VersionInfo, folder: Path, *, options: FetchOptions, progress: Progress
) -> InstallOutcome:
    """Turn a folder that already contains files of the game into an installation, and download what is missing."""
    with opened(folder) as own:
        installer = Installer(own, server, game, version, options=options, progress=progress)
        return installer.run(find_installed(own), trust=False, restore=True)


def read_installation(folder: Path) -> Installation:
    """Return the installation in a folder, after completing an interrupted switch."""
    own = OwnFolder(folder)
    if own.switch.exists():
        with opened(folder, must_exist=True):
            pass
    return own.read_installation()


def verify(folder: Path, *, progress: Progress, deep: bool = True) -> CheckResult:
    """Compare an installation with its manifest, without the server.

    Unless `deep`, files with their original size and modification time are not read.
    """
    with opened_for_reading(folder) as own:
        version = CheckedVersion.installed(own.read(), trust=not deep)
        comparison = FolderComparison(folder, new=version, old=None, progress=progress)
        state = comparison.state()
    return _check_result(state, checked=comparison.read)


def uninstall(folder: Path, *, keep_own: bool = True) -> list[str]:
    """Remove the game's unchanged files, and return the remaining paths. With `keep_own=False` remove everything."""
    own = OwnFolder(folder)
    with opened(folder, must_exist=True):
        installed = find_installed(own)
        if keep_own and installed is not None:
            _remove_unchanged(folder, CheckedVersion.installed(installed, trust=True))
    # Release the lock first: some systems do not delete open files.
    with explained_disk_errors(folder):
        shutil.rmtree(folder if not keep_own else own.root)
        remaining = [entry.path for _, entry in ordered_entries(folder) if entry.kind is not EntryKind.FOLDER]
        if not remaining and folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
    return remaining


def is_started(folder: Path) -> bool:
    """Return whether the folder contains a complete or an interrupted installation."""
    own = OwnFolder(folder)
    return own.journal.exists() or own.installation.exists()


def is_installed(folder: Path) -> bool:
    """Return whether the folder contains a complete installation."""
    return OwnFolder(folder).installation.exists()


def _check_result(state: FolderState, *, checked: int) -> CheckResult:
    manifest, disk, intact = state.new, state.disk, state.matches_new
    missing = [file.path for file in manifest.files if disk.find(file.path) is None]
    missing += [link.path for link in manifest.links if disk.find(link.path) is None]
    absent = set(missing)
    damaged = [file.path for file in manifest.files if file.path not in intact and file.path not in absent]
    expected = {disk.key(file.path) for file in manifest.files} | {disk.key(link.path) for link in manifest.links}
    own = [each.path for each in disk if each.kind is not EntryKind.FOLDER and disk.key(each.path) not in expected]
    return CheckResult(tuple(missing), tuple(damaged), tuple(sorted(own)), checked)


def _remove_unchanged(folder: Path, version: CheckedVersion) -> None:
    """Remove unchanged files, unchanged links, and the folders that become empty."""
    state = FolderComparison(folder, new=version, old=None, progress=NoProgress()).state()
    found = [(link, state.disk.find(link.path)) for link in version.contents.links]
    links = [entry.path for link, entry in found if entry and entry.target == link.target]
    # On systems that ignore case, names may be written in another way than in the manifest.
    matching = [entry.path for path in state.matches_new if (entry := state.disk.find(path))]
    folders: set[str] = set()
    for path in chain((file.path for file in state.unaffected), matching, links):
        (folder / path).unlink(missing_ok=True)
        folders.add(path.rpartition("/")[0])
    for path in sorted(folders - {""}, reverse=True):
        remove_empty_folders(folder, f"{path}/")
