"""The installed games of one server: which there are, playing them, and what else the pages do with one at once."""

from collections.abc import Sequence
from pathlib import Path

from playdock_client.app.changes import Changes
from playdock_client.app.file_manager import show_folder
from playdock_client.app.game_details import GameDetails, GameLinks
from playdock_client.app.game_processes import GameProcesses
from playdock_client.app.library import GameState, Library
from playdock_client.errors import NotInstalled
from playdock_client.launch_properties import LaunchProperties
from playdock_client.shell import Shell
from playdock_client.shortcuts.game_shortcuts import ShortcutPlace


class InstalledGames:
    """Finds an installed game by its id, and does what takes no time. Every call may raise NotInstalled."""

    def __init__(self, shell: Shell, server: str, links: GameLinks, changes: Changes) -> None:
        self.library = Library(shell.registry, server)
        self.processes = GameProcesses(shell.folders, server, shell.environment, changes.announce)
        self._server = server
        self._links = links
        self._changes = changes

    @property
    def is_playing(self) -> bool:
        return bool(self.processes.running() or self.processes.starting())

    def refresh(self) -> None:
        """Look what is installed and what runs; other programs change that too."""
        self.processes.refresh()
        if self.library.refresh():
            self._changes.announce()

    def launch(self, game_id: str) -> None:
        """Start a game."""
        game = self.library.find(game_id)
        if game.state is not GameState.INSTALLED:
            raise NotInstalled(f"{game.name} is not completely installed.")
        self.processes.launch(game_id, Path(game.folder))

    def stop(self, game_id: str) -> None:
        """Stop a game. Raises NotRunning, StopFailed."""
        self.processes.stop(game_id, Path(self.library.find(game_id).folder))

    def details(self, game_id: str) -> GameDetails:
        """Return shortcuts, properties and problems of a game. Raises ClientError."""
        game = self.library.find(game_id)
        return self._links.details(game.name, Path(game.folder))

    def set_shortcuts(self, game_id: str, places: Sequence[ShortcutPlace]) -> None:
        """Make exactly these shortcuts to a game. Raises CannotMakeShortcut."""
        game = self.library.find(game_id)
        self._links.remove_shortcuts(game.name, Path(game.folder))
        self._links.add_shortcuts(self._server, game_id, game.name, Path(game.folder), places)

    def set_steam(self, game_id: str, *, present: bool) -> None:
        """Add a game to Steam, or remove it. Raises SteamNotFound, SteamRunning, UnknownFormat."""
        game = self.library.find(game_id)
        self._links.set_steam(self._server, game_id, game.name, Path(game.folder), present=present)

    def set_properties(self, game_id: str, properties: LaunchProperties) -> None:
        """Store how a game is launched. Raises InvalidProperties."""
        self._links.set_properties(Path(self.library.find(game_id).folder), properties)

    def open_folder(self, game_id: str) -> None:
        """Show an installation in the file manager. Raises ClientError."""
        show_folder(Path(self.library.find(game_id).folder))
