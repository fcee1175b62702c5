"""What the pages show and change of one installed game besides its files: shortcuts, Steam, properties, problems."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from playdock_client.artwork import Artwork, ArtworkRole, fetch_artwork, stored_artwork
from playdock_client.errors import CannotLaunch, ClientError
from playdock_client.installing import read_installation
from playdock_client.launch_command import path_of
from playdock_client.launch_problems import LaunchProblemKind, launch_problems
from playdock_client.launch_properties import InvalidProperties, LaunchProperties, read_properties, write_properties
from playdock_client.machine import WINDOWS
from playdock_client.responses import ApiStruct, GameInfo
from playdock_client.shell import Shell
from playdock_client.shortcuts.game_shortcuts import GameShortcuts, ShortcutPlace, ShortcutTarget
from playdock_client.steam.steam_library import SteamLibrary

# Shortcuts are useful without pictures.
_ARTWORK_RETRY_SECONDS = 3.0


class MissingRequirement(ApiStruct, frozen=True):
    """Something that keeps a game from running here, and a sentence with the fix."""

    kind: LaunchProblemKind
    message: str


class GameDetails(ApiStruct, frozen=True):
    """Where a game has shortcuts, whether it is in Steam, its properties, and what it lacks to run."""

    shortcuts: Sequence[ShortcutPlace]
    steam: bool
    properties: LaunchProperties
    missing: Sequence[MissingRequirement]


class GameLinks:
    """Shortcuts and entries in Steam of one player's games."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._shortcuts = GameShortcuts(shell.machine, shell.folders, shell.environment)
        self._steam = SteamLibrary(shell.machine, shell.folders, shell.environment)

    def details(self, name: str, folder: Path) -> GameDetails:
        """Return the details of an installed game. Raises ClientError."""
        target = ShortcutTarget(name, folder)
        problems = launch_problems(read_installation(folder), folder, self._shell.machine, self._shell.environment)
        return GameDetails(
            shortcuts=self._shortcuts.places(target),
            steam=self._steam.has(target),
            properties=read_properties(folder),
            missing=[MissingRequirement(each.kind, each.message) for each in problems],
        )

    def add_shortcuts(
        self, server: str, game_id: str, name: str, folder: Path, places: Sequence[ShortcutPlace]
    ) -> None:
        """Make shortcuts to a game. Raises CannotMakeShortcut."""
        icon = None
        if self._shell.machine.platform != WINDOWS:
            icon = self._artwork(server, game_id).get(ArtworkRole.ICON)
        else:
            program = folder / read_installation(folder).version.launch
            icon = program if program.suffix.lower() == ".exe" else None
        for place in places:
            self._shortcuts.add(ShortcutTarget(name, folder, icon), place)

    def remove_shortcuts(self, name: str, folder: Path) -> None:
        self._shortcuts.remove(ShortcutTarget(name, folder))

    def set_steam(self, server: str, game_id: str, name: str, folder: Path, *, present: bool) -> None:
        """Add a game to Steam with its pictures, or remove it. Raises SteamNotFound, SteamRunning, UnknownFormat."""
        target = ShortcutTarget(name, folder)
        if present:
            self._steam.add(target, self._artwork(server, game_id))
        else:
            self._steam.remove(target)

    def follow(self, server: str, game: GameInfo, before: GameDetails, *, old: Path, new: Path) -> None:
        """Lead what pointed to a game's old folder to its new one. What cannot be changed now is left as it is."""
        with suppress(ClientError, OSError):
            self.remove_shortcuts(game.name, old)
            self.add_shortcuts(server, game.id, game.name, new, before.shortcuts)
        with suppress(ClientError, OSError):
            if before.steam:
                self.set_steam(server, game.id, game.name, old, present=False)
                self.set_steam(server, game.id, game.name, new, present=True)

    def set_properties(self, folder: Path, properties: LaunchProperties) -> None:
        """Store how a game is launched. Raises InvalidProperties."""
        if "/" in properties.proton or "\\" in properties.proton:
            # Pages select nothing on this machine by its path; `playdock-client configure` can.
            raise InvalidProperties("The Proton version is invalid. Use its name, such as GE-Proton10-4.")
        if properties.program not in ("", read_properties(folder).program):
            try:
                path_of(folder, properties.program)
            except CannotLaunch as error:
                raise InvalidProperties(
                    f"{properties.program} is not a file of the game. Choose a program elsewhere with: "
                    "playdock-client configure GAME --program FILE."
                ) from error
        write_properties(folder, properties)

    def _artwork(self, server: str, game_id: str) -> Artwork:
        with suppress(ClientError), self._shell.server(server, retry_seconds=_ARTWORK_RETRY_SECONDS) as opened:
            return fetch_artwork(opened, self._shell.folders, game_id)
        return stored_artwork(self._shell.folders, game_id)
