"""Changes the player's settings of the app, and applies them at once."""

import msgspec

from playdock_client.app import drives
from playdock_client.app.app_settings import AppSettings, GameFolder, NoSuchFolder, SettingsFile
from playdock_client.app.changes import Changes
from playdock_client.app.client_updater import ClientUpdater
from playdock_client.app.job_queue import JobQueue


class Preferences:
    """The settings of downloads and updates, and the folders for games."""

    def __init__(self, settings: SettingsFile, queue: JobQueue, updater: ClientUpdater, changes: Changes) -> None:
        self._settings = settings
        self._queue = queue
        self._updater = updater
        self._changes = changes

    def read(self) -> AppSettings:
        return self._settings.read().app

    def change(self, app: AppSettings) -> None:
        before = self.read()
        self._settings.write(app)
        if app.limit_rate != before.limit_rate:
            self._queue.restart_downloads()
        if app.update_client and not before.update_client:
            self._updater.check()
        self._changes.announce()

    def set_automatic(self, game_id: str, *, automatic: bool | None) -> None:
        """Install updates of a game automatically or not; None for the general setting."""
        app = self.read()
        others = {game: value for game, value in app.automatic_updates_of.items() if game != game_id}
        of = others if automatic is None else {**others, game_id: automatic}
        self.change(msgspec.structs.replace(app, automatic_updates_of=of))

    def add_folder(self, drive_id: str) -> None:
        """Use a disk for games. Raises NoSuchFolder."""
        drive = next((each for each in drives.drives() if each.id == drive_id), None)
        if drive is None:
            raise NoSuchFolder
        self._settings.add_folder(GameFolder(drive.id, drive.path))
        self._changes.announce()

    def remove_folder(self, folder_id: str) -> None:
        self._settings.remove_folder(folder_id)
        self._changes.announce()
