"""Keeps the saved games of an installed game the same on all devices of a player.

The player names the folder. The client remembers the save that the folder was last equal to. It never overwrites files
that the server does not have, and never compares times.
"""

import hashlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from playdock_client.connection import Server
from playdock_client.documents import read_document, write_document
from playdock_client.errors import ClientError, RequestRefused
from playdock_client.installation import OWN_FOLDER
from playdock_client.responses import SaveInfo
from playdock_client.save_archives import BadSave, pack, unpack

_FILE = "saves.json"
_SLOT = 0
_CONFLICT = "save-conflict"


class NoSaveFolder(ClientError):
    """The player has not named the folder with the saved games of a game."""


class _OtherDeviceSaved(Exception):
    """Another device has saved the game since the save that the files are based on."""


class SaveFolder(msgspec.Struct, frozen=True, rename="camel"):
    """The folder with saved games; `base` is the id of the save that it was last equal to, `sha256` its content's."""

    folder: str
    base: str = ""
    sha256: str = ""


def read_save_folder(installed: Path) -> SaveFolder | None:
    """Return what is known of the saved games of an installation, None if no folder was named."""
    try:
        return read_document(installed / OWN_FOLDER / _FILE, SaveFolder)
    except msgspec.MsgspecError as error:
        # Without the last save nothing may be overwritten, so the folder is named again.
        raise NoSaveFolder(f"The settings of the saved games are damaged ({error}). Name their folder again.") from None


def name_save_folder(installed: Path, folder: Path, *, home: Path) -> None:
    """Remember the folder with the saved games of an installation. Raises BadSave if it has other files too.

    If it is the one that is known, it is still known which save it was last equal to.
    """
    for place, what in ((home, "your own folder"), (installed, "the folder of the game")):
        if folder == place.resolve() or folder in place.resolve().parents:
            raise BadSave(f"{folder} is or contains {what}. Name a folder with only saved games.")
    if folder == folder.parent:
        raise BadSave(f"{folder} is a whole disk. Name a folder with only saved games.")
    with suppress(NoSaveFolder):
        known = read_save_folder(installed)
        if known is not None and known.folder == str(folder):
            return
    write_document(installed / OWN_FOLDER / _FILE, SaveFolder(str(folder)))


class SaveSync:
    """The saved games of one installation. `info` shows a message to the player."""

    def __init__(self, installed: Path, game_id: str, server: Server, *, info: Callable[[str], None]) -> None:
        """Raise NoSaveFolder if the player has not named the folder."""
        known = read_save_folder(installed)
        if known is None:
            raise NoSaveFolder(
                "Name the folder with the saved games first, with: playdock-client saves GAME --folder FOLDER."
            )
        self._installed, self._game_id, self._server, self._info = installed, game_id, server, info
        self._known = known

    def download(self) -> None:
        """Replace the files with those of the newest save, unless both have changed. Raises ClientError, OSError."""
        saves = self._server.saves(self._game_id)
        newest = next((each for each in saves if each.newest and each.slot == _SLOT), None)
        content = pack(self._folder)
        if newest is None or newest.sha256 == _digest(content):
            self._remember(newest)
        elif content is None or self._is_on_server(content, saves):
            self._replace(newest)
        elif newest.id != self._known.base:
            # The server keeps the files aside, and says that it is a conflict.
            self.upload()
        else:
            self._info(
                "The files have changed since the newest save, so nothing was replaced. To keep them, run: "
                "playdock-client saves GAME --upload. To go back, run: "
                f"playdock-client saves GAME --restore {newest.id}."
            )

    def upload(self) -> None:
        """Upload the files if they have changed. Raises ClientError, OSError."""
        try:
            self._upload()
        except _OtherDeviceSaved:
            self._info(
                "Another device has saved this game since. The server keeps both. See them with: "
                "playdock-client saves GAME, and choose one with: playdock-client saves GAME --restore ID."
            )

    def _upload(self) -> None:
        """Upload the files if they have changed. Raises _OtherDeviceSaved if the server has kept them aside."""
        content = pack(self._folder)
        if content is None or self._is_on_server(content, self._server.saves(self._game_id)):
            return
        try:
            self._remember(self._uploaded(content))
        except RequestRefused as refused:
            if refused.type != _CONFLICT:
                raise
            raise _OtherDeviceSaved from None

    def restore(self, save_id: str) -> None:
        """Make a save the newest, and replace the files with it. What they are now is uploaded first."""
        if all(each.id != save_id for each in self._server.saves(self._game_id)):
            raise BadSave(f"There is no saved game with the id {save_id}. List them with: playdock-client saves GAME.")
        with suppress(_OtherDeviceSaved):
            self._upload()
        self._replace(self._server.restore_save(save_id))

    def _is_on_server(self, content: bytes, saves: Sequence[SaveInfo]) -> bool:
        """Return whether the files are those of a save that has not been deleted."""
        return _digest(content) == self._known.sha256 and any(each.id == self._known.base for each in saves)

    @property
    def _folder(self) -> Path:
        return Path(self._known.folder)

    def _uploaded(self, content: bytes) -> SaveInfo:
        sha256 = _digest(content)
        return self._server.upload_save(self._game_id, content, based_on=self._known.base, sha256=sha256)

    def _replace(self, save: SaveInfo) -> None:
        content = self._server.save_content(save)
        if _digest(content) != save.sha256:
            raise BadSave("The server sent a saved game that differs from its checksum, so nothing was replaced.")
        unpack(content, self._folder)
        self._remember(save, packed=pack(self._folder))

    def _remember(self, save: SaveInfo | None, *, packed: bytes | None = None) -> None:
        if save is None:
            return
        # What another program has packed may differ from the same files packed here.
        sha256 = _digest(packed) if packed else save.sha256
        self._known = SaveFolder(self._known.folder, save.id, sha256)
        write_document(self._installed / OWN_FOLDER / _FILE, self._known)


def _digest(content: bytes | None) -> str:
    return hashlib.sha256(content).hexdigest() if content else ""
