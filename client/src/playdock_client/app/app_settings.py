"""The player's settings of the app."""

from datetime import time
from pathlib import Path

import msgspec

from playdock_client.client_folders import ClientFolders
from playdock_client.documents import read_document, write_document
from playdock_client.errors import ClientError
from playdock_client.responses import ApiStruct

DEFAULT_FOLDER = "default"


class Hours(ApiStruct, frozen=True):
    """Hours of the day in local time, such as 22:00 to 06:00."""

    start: time
    end: time

    def contains(self, now: time) -> bool:
        if self.start <= self.end:
            return self.start <= now < self.end
        return now >= self.start or now < self.end


class AppSettings(ApiStruct, frozen=True):
    """Limits of downloads, and whether updates are installed automatically: of games, and of this client."""

    limit_rate: int | None = None
    pause_while_playing: bool = True
    hours: Hours | None = None
    automatic_updates: bool = True
    update_client: bool = True
    automatic_updates_of: dict[str, bool] = msgspec.field(default_factory=dict)

    def updates_automatically(self, game_id: str) -> bool:
        return self.automatic_updates_of.get(game_id, self.automatic_updates)


class GameFolder(ApiStruct, frozen=True):
    """A folder for installations, which pages select by its id."""

    id: str
    path: str


class StoredSettings(ApiStruct, frozen=True):
    """The content of the file."""

    app: AppSettings = AppSettings()
    folders: tuple[GameFolder, ...] = ()


class NoSuchFolder(ClientError):
    """There is no folder with this id."""

    def __init__(self) -> None:
        super().__init__("This folder is not in the list of folders any more. Choose another one.")


class SettingsFile:
    """The settings in a file. One that cannot be read counts as missing."""

    def __init__(self, folders: ClientFolders) -> None:
        self._file = folders.config / "app.json"
        self._default = GameFolder(DEFAULT_FOLDER, str(folders.data / "games"))

    def read(self) -> StoredSettings:
        try:
            return read_document(self._file, StoredSettings) or StoredSettings()
        except (msgspec.MsgspecError, OSError):
            return StoredSettings()

    def write(self, app: AppSettings) -> None:
        write_document(self._file, msgspec.structs.replace(self.read(), app=app))

    def game_folders(self) -> list[GameFolder]:
        """Return the folders for installations, the default one first."""
        return [self._default, *self.read().folders]

    def add_folder(self, folder: GameFolder) -> None:
        stored = self.read()
        if all(each.path != folder.path for each in self.game_folders()):
            write_document(self._file, msgspec.structs.replace(stored, folders=(*stored.folders, folder)))

    def remove_folder(self, folder_id: str) -> None:
        """Remove a folder from the list; its content stays."""
        stored = self.read()
        others = tuple(each for each in stored.folders if each.id != folder_id)
        write_document(self._file, msgspec.structs.replace(stored, folders=others))

    def path_of(self, folder_id: str) -> Path:
        """Return the path of a folder for installations. Raises NoSuchFolder."""
        found = next((Path(each.path) for each in self.game_folders() if each.id == folder_id), None)
        if found is None:
            raise NoSuchFolder
        return found
