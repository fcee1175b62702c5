"""Receiving the bytes of a save."""

import hashlib
import tempfile
from collections.abc import Iterator, Sequence

from playdock.auth.actor import Actor
from playdock.features.saved_games import rules
from playdock.features.saved_games.errors import SaveChanged, SaveTooLarge
from playdock.features.saved_games.service import Destination, OwnSave, SavedGames
from playdock.kit.storage_failures import writing

MEDIA_TYPE = "application/octet-stream"
_BLOCK_BYTES = 256 * 1024


class SaveReception:
    """A save that is being received. Its methods are called one after the other, in threads."""

    def __init__(self, saved_games: SavedGames, actor: Actor, to: Destination, *, sha256: str = "") -> None:
        self._saved_games, self._actor, self._to = saved_games, actor, to
        self._sha256 = sha256.lower()
        self._hash = hashlib.sha256()
        self._size = 0
        # The folder of the system is often in memory.
        folder = str(saved_games.settings.data_dir)
        self._spool = tempfile.SpooledTemporaryFile(rules.SPOOLED_BYTES, dir=folder)  # noqa: SIM115 - see `close`
        self.saved: OwnSave | None = None

    def write(self, pieces: Sequence[bytes]) -> None:
        """Store the next bytes. Raises SaveTooLarge if they are too many."""
        data = b"".join(pieces)
        self._size += len(data)
        if self._size > self._saved_games.max_save_bytes:
            raise SaveTooLarge(self._saved_games.max_save_bytes)
        self._hash.update(data)
        with writing():
            self._spool.write(data)

    def end(self) -> int:
        """Add the save, and return its size.

        Raises:
            SaveChanged: it differs from its checksum.
            GameUnknown, SaveConflict, SavesFull: as `SavedGames.store`.
        """
        checksum = self._hash.hexdigest()
        if self._sha256 and self._sha256 != checksum:
            raise SaveChanged
        self._spool.seek(0)
        written = self._saved_games.objects.write_pieces(self._pieces(), media_type=MEDIA_TYPE)
        self.saved = self._saved_games.store(self._actor, self._to, written, checksum=checksum)
        return self._size

    def close(self) -> None:
        self._spool.close()

    def _pieces(self) -> Iterator[bytes]:
        while piece := self._spool.read(_BLOCK_BYTES):
            yield piece
