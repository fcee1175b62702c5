"""The stories: install, update, verify, repair, adopt, uninstall."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from playdock_client.answers import GameInfo, VersionInfo
from playdock_client.connection import Server
from playdock_client.disk import Disk, Kind
from playdock_client.errors import FolderTaken
from playdock_client.installation import OWN_FOLDER, Installation
from playdock_client.looking import Looker
from playdock_client.manifest import Manifest
from playdock_client.own_folder import OwnFolder
from playdock_client.progress import Progress, Silent
from playdock_client.story import Options, Outcome, Story, disk_trouble, find_installed, looked_into, opened
from playdock_client.switching import remove_empty_folders

__all__ = [
    "Findings",
    "Options",
    "Outcome",
    "adopt",
    "install",
    "read_installation",
    "repair",
    "uninstall",
    "update",
    "verify",
]


@dataclass(frozen=True, slots=True)
class Findings:
    """What a check found: files of the version that are not there or have other bytes, and what is not of the version.

    `checked` is how many bytes were read.
    """

    missing: tuple[str, ...]
    damaged: tuple[str, ...]
    own: tuple[str, ...]
    checked: int

    @property
    def sound(self) -> bool:
        """Tell whether everything is there as it should be."""
        return not self.missing and not self.damaged


def install(
    server: Server, game: GameInfo, version: VersionInfo, folder: Path, *, options: Options, progress: Progress
) -> Outcome:
    """Install a version into a new or empty folder, or go on with what was interrupted there.

    Raises FolderTaken if there is anything else in it, and every other error of `errors`.
    """
    if not OwnFolder(folder).root.exists():
        # Nothing is made in a folder that is somebody else's, not even the place for the lock.
        _refuse_foreign(folder)
    with opened(folder) as own:
        installed = find_installed(own)
        if installed is None:
            _refuse_foreign(folder)
        elif installed.installation.game.id != game.id:
            raise FolderTaken(f"{installed.installation.game.name} is installed in {folder}. Choose another folder.")
        return Story(own, server, game, version, options=options, progress=progress).run(installed)


def update(server: Server, folder: Path, version: VersionInfo, *, options: Options, progress: Progress) -> Outcome:
    """Bring an installation to another version of its game, newer or older, or to what the same one is now."""
    with opened(folder, must_exist=True) as own:
        installed = own.read()
        story = Story(own, server, installed.installation.game, version, options=options, progress=progress)
        return story.run(installed)


def repair(server: Server, folder: Path, *, options: Options, progress: Progress) -> Outcome:
    """Read everything and bring back what is missing or has other bytes; what was there instead is put aside."""
    with opened(folder, must_exist=True) as own:
        installed = own.read()
        game, version = installed.installation.game, installed.installation.version
        story = Story(own, server, game, version, options=options, progress=progress)
        return story.run(installed, trust=False, restore=True)


def adopt(
    server: Server, game: GameInfo, version: VersionInfo, folder: Path, *, options: Options, progress: Progress
) -> Outcome:
    """Make an installation of a folder that has files of the game already, and fetch what they lack."""
    with opened(folder) as own:
        story = Story(own, server, game, version, options=options, progress=progress)
        return story.run(find_installed(own), trust=False, restore=True)


def read_installation(folder: Path) -> Installation:
    """Read what is installed in a folder, after finishing a switch that was interrupted."""
    own = OwnFolder(folder)
    if own.switch.exists():
        with opened(folder, must_exist=True):
            pass
    return own.read_installation()


def verify(folder: Path, *, progress: Progress, deep: bool = True) -> Findings:
    """Compare an installation with what was installed, without the server.

    Not `deep` looks at sizes and times only, and into no file whose time is the one it was written at.
    """
    with looked_into(folder) as own:
        installed = own.read()
        looker = Looker(folder, progress=progress)
        disk = looker.scan()
        sound = looker.unchanged(installed, disk, trust=not deep)
    return _findings(installed.manifest, disk, sound=sound, checked=looker.read)


def uninstall(folder: Path, *, keep_own: bool = True) -> list[str]:
    """Remove the game's unchanged files and give the paths that stay; with `keep_own=False` remove everything."""
    own = OwnFolder(folder)
    with opened(folder, must_exist=True):
        installed = find_installed(own)
        if keep_own and installed is not None:
            looker = Looker(folder, progress=Silent())
            disk = looker.scan()
            _remove(folder, installed.manifest, disk, sound=looker.unchanged(installed, disk, trust=True))
    # The lock is given back first: some systems remove no file that somebody has open.
    with disk_trouble(folder):
        shutil.rmtree(folder if not keep_own else own.root)
        left = sorted(entry.path for entry in Looker(folder, progress=Silent()).scan() if entry.kind is not Kind.FOLDER)
        if not left and folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
    return left


def is_begun(folder: Path) -> bool:
    """Tell whether something is installed in a folder, or was begun to be."""
    own = OwnFolder(folder)
    return own.journal.exists() or own.installation.exists()


def _refuse_foreign(folder: Path) -> None:
    with disk_trouble(folder):
        if folder.is_dir() and any(each.name != OWN_FOLDER for each in folder.iterdir()):
            raise FolderTaken(f"There are other files in {folder}. Choose another folder, or adopt what is there.")


def _findings(manifest: Manifest, disk: Disk, *, sound: set[str], checked: int) -> Findings:
    missing = [file.path for file in manifest.files if disk.find(file.path) is None]
    missing += [link.path for link in manifest.links if disk.find(link.path) is None]
    gone = set(missing)
    damaged = [file.path for file in manifest.files if file.path not in sound and file.path not in gone]
    ours = {disk.key(file.path) for file in manifest.files} | {disk.key(link.path) for link in manifest.links}
    own = [each.path for each in disk if each.kind is not Kind.FOLDER and disk.key(each.path) not in ours]
    return Findings(tuple(missing), tuple(damaged), tuple(sorted(own)), checked)


def _remove(folder: Path, manifest: Manifest, disk: Disk, *, sound: set[str]) -> None:
    """Remove the unchanged files, the links that still point where they did, and the folders that are empty then."""
    links = [link.path for link in manifest.links if (each := disk.find(link.path)) and each.target == link.target]
    paths = [*sorted(sound), *links]
    for path in paths:
        (folder / path).unlink(missing_ok=True)
    for path in paths:
        remove_empty_folders(folder, path)
