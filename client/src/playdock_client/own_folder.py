"""`.playdock/`: the client's own files in an installation's folder, and its lock.

``installation.json``, ``manifest.zst`` and ``stamps`` describe the installed version, ``staging/`` and ``journal`` the
one being built, ``switch.json`` and ``next/`` the remaining steps of the switch.
"""

import os
import shutil
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path

import msgspec
import zstandard

from playdock_client.atomic_files import UNFINISHED, write_atomically, write_pieces_atomically
from playdock_client.decoding import decode_json
from playdock_client.errors import (
    BadResponse,
    DiskError,
    FolderBusy,
    FolderTaken,
    GameRunning,
    NotInstalled,
    UnfinishedInstallation,
)
from playdock_client.file_locks import try_lock
from playdock_client.installation import OWN_FOLDER, Installation
from playdock_client.manifest_file import ManifestFile
from playdock_client.transport import Broken
from playdock_client.wording import command_line

# In the lock file after the process id, while the game runs.
_PLAYING = " playing"
_STAMPS_AT_ONCE = 10_000


class Installed(msgspec.Struct, frozen=True):
    """An installed version. `stamps` are the original mtime_ns of the manifest's files, 0 if unknown."""

    installation: Installation
    manifest: ManifestFile
    stamps: Sequence[int]


class OwnFolder:
    """The paths in the client's own folder, and operations on them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / OWN_FOLDER
        self.staging = self.root / "staging"
        self.journal = self.root / "journal"
        self.switch = self.root / "switch.json"
        self.next = self.root / "next"
        self.installation = self.root / "installation.json"
        # The descriptor of the lock, while this process has it.
        self.lock: int | None = None

    def make(self) -> None:
        """Create the folder. Raises DiskError if it is a link, because nothing may be written elsewhere."""
        self.root.mkdir(parents=True, exist_ok=True)
        for place in (self.root, self.staging, self.next):
            if place.is_symlink():
                raise DiskError(f"{place} is a link, which the client does not follow. Remove it and try again.")

    def require_empty(self, game: str) -> None:
        """Raise FolderTaken if there are other files in the folder in which a game is to be installed."""
        if self.folder.is_dir() and any(each.name != OWN_FOLDER for each in self.folder.iterdir()):
            raise FolderTaken(
                f"{self.folder} contains other files. Choose another folder, or keep them beside the game: "
                f"{command_line('adopt', game, '--folder', str(self.folder))}"
            )

    @contextmanager
    def locked(self, *, playing: bool = False) -> Iterator[None]:
        """Lock the folder; the lock ends with its process. With `playing`, processes of the game inherit it.

        Raises FolderBusy if another process has the lock, or GameRunning if that is a game.
        """
        self.make()
        descriptor = os.open(self.root / "lock", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            if not try_lock(descriptor):
                owner = os.read(descriptor, 100).decode(errors="replace").strip("\x00\n") or "?"
                if owner.endswith(_PLAYING):
                    raise GameRunning(f"The game in {self.folder} is running. Stop it, then try again.")
                raise FolderBusy(
                    f"Another process ({owner}) is using {self.folder}. Wait until it has finished, or stop it."
                )
            os.ftruncate(descriptor, 0)
            os.write(descriptor, f"{os.getpid()}{_PLAYING if playing else ''}\n".encode())
            self._remove_unfinished()
            self.lock = descriptor
            yield
        finally:
            self.lock = None
            os.close(descriptor)

    def read(self) -> Installed:
        """Return the installed version. Raises NotInstalled if there is none or its files are damaged."""
        installation = self.read_installation()
        try:
            # A copy, because an open file cannot be replaced on Windows.
            compressed = (self.root / "manifest.zst").read_bytes()
            manifest = ManifestFile(BytesIO(compressed), encoding="zstd", etag=installation.etag)
            _ = manifest.contents
        except (FileNotFoundError, BadResponse, Broken) as error:
            raise NotInstalled(_DAMAGED.format(self.folder)) from error
        return Installed(installation, manifest, self._read_stamps())

    def read_installation(self) -> Installation:
        """Return the installation. Raises UnfinishedInstallation if it was interrupted, or NotInstalled."""
        try:
            return decode_json(self.installation.read_bytes(), Installation)
        except (FileNotFoundError, NotADirectoryError):
            if self.journal.exists():
                raise UnfinishedInstallation(_UNFINISHED_INSTALLATION.format(self.folder)) from None
            raise NotInstalled(f"There is no complete installation in {self.folder}. Install the game again.") from None
        except msgspec.MsgspecError as error:
            raise NotInstalled(_DAMAGED.format(self.folder)) from error

    def write_next(
        self, installed: Installation, *, manifest: Iterable[bytes], length: int, stamps: Sequence[int]
    ) -> None:
        """Write the files that describe the version after the switch. `length` is that of the manifest in bytes."""
        with suppress(FileNotFoundError):
            shutil.rmtree(self.next)
        self.next.mkdir()
        write_pieces_atomically(self.next / "manifest.zst", _compressed(manifest, length=length))
        write_pieces_atomically(self.next / "stamps", _encoded(stamps))
        write_atomically(self.next / "installation.json", msgspec.json.format(msgspec.json.encode(installed), indent=2))

    def activate_next(self) -> None:
        """Activate the files of `write_next`. The one that marks the installation as complete is the last."""
        for name in ("manifest.zst", "stamps", "installation.json"):
            with suppress(FileNotFoundError):
                (self.next / name).replace(self.root / name)
        with suppress(FileNotFoundError):
            shutil.rmtree(self.next)

    def _remove_unfinished(self) -> None:
        """Remove incomplete files of killed processes."""
        for each in self.root.glob(f".*{UNFINISHED}"):
            each.unlink(missing_ok=True)

    def _read_stamps(self) -> Sequence[int]:
        """Return the stamps, or none if the file is damaged, since they are only an optimization."""
        try:
            return array("q", msgspec.msgpack.decode((self.root / "stamps").read_bytes(), type=list[int]))
        except (OSError, OverflowError, msgspec.MsgspecError):
            return ()


def _compressed(pieces: Iterable[bytes], *, length: int) -> Iterator[bytes]:
    compressor = zstandard.ZstdCompressor(level=6).compressobj(size=length)
    yield from map(compressor.compress, pieces)
    yield compressor.flush()


def _encoded(stamps: Sequence[int]) -> Iterator[bytes]:
    """Yield an array of MessagePack (its type "array 32") without a list of all numbers."""
    yield b"\xdd" + len(stamps).to_bytes(4, "big")
    for start in range(0, len(stamps), _STAMPS_AT_ONCE):
        yield b"".join(map(msgspec.msgpack.encode, stamps[start : start + _STAMPS_AT_ONCE]))


_UNFINISHED_INSTALLATION = (
    "The installation in {} is unfinished. Run the same install or adopt command again to resume, or uninstall it."
)
_DAMAGED = "The client's own files in {} are damaged. Run “adopt” for the folder to repair them."
