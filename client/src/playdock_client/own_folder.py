"""`.playdock/`: what the client keeps in an installation's folder, and the lock that one process at a time holds.

``installation.json``, ``manifest.zst`` and ``stamps`` tell what is installed, ``staging/`` and ``journal`` what is
being made, ``switch.json`` and ``next/`` what remains to be done to change from the one to the other.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
import zstandard

from playdock_client.errors import DiskTrouble, FolderBusy, NotInstalled, Unfinished
from playdock_client.installation import OWN_FOLDER, Installation
from playdock_client.manifest import Manifest, read_manifest

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_LOCKED_BYTE = 2**30
_UNFINISHED = ".unfinished"
_LARGEST_MANIFEST = 512 * 1024 * 1024


class Installed(msgspec.Struct, frozen=True):
    """What is installed: `stamps` has the mtime_ns of each of the manifest's files as it was written, 0 if unknown."""

    installation: Installation
    manifest: Manifest
    stamps: Sequence[int]


class OwnFolder:
    """The places in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / OWN_FOLDER
        self.staging = self.root / "staging"
        self.journal = self.root / "journal"
        self.switch = self.root / "switch.json"
        self.next = self.root / "next"
        self.installation = self.root / "installation.json"

    def make(self) -> None:
        """Make the folder, and refuse one that is a link: what is written there must stay there."""
        self.root.mkdir(parents=True, exist_ok=True)
        for place in (self.root, self.staging, self.next):
            if place.is_symlink():
                raise DiskTrouble(f"{place} is a link, which the client does not follow. Remove it and try again.")

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes away. Raises FolderBusy if another one is at work; a dead one holds nothing."""
        self.make()
        descriptor = os.open(self.root / "lock", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            if not _lock(descriptor):
                who = os.read(descriptor, 100).decode(errors="replace").strip("\x00\n") or "?"
                raise FolderBusy(f"Another process ({who}) works on {self.folder}. Wait until it is done, or end it.")
            os.ftruncate(descriptor, 0)
            os.write(descriptor, f"{os.getpid()}\n".encode())
            self._tidy()
            yield
        finally:
            os.close(descriptor)

    def read(self) -> Installed:
        """Read what is installed. Raises NotInstalled if nothing is, or what is kept of it is damaged."""
        installation = self.read_installation()
        try:
            packed = (self.root / "manifest.zst").read_bytes()
            data = zstandard.ZstdDecompressor().decompress(packed, max_output_size=_LARGEST_MANIFEST)
            return Installed(installation, read_manifest(data), self._read_stamps())
        except (FileNotFoundError, zstandard.ZstdError) as error:
            raise NotInstalled(_DAMAGED.format(self.folder)) from error

    def read_installation(self) -> Installation:
        """Read what the installation is. Raises Unfinished if it was begun and no more, NotInstalled."""
        try:
            return msgspec.json.decode(self.installation.read_bytes(), type=Installation)
        except (FileNotFoundError, NotADirectoryError):
            if self.journal.exists():
                raise Unfinished(_UNFINISHED_INSTALLATION.format(self.folder)) from None
            raise NotInstalled(f"There is no complete installation in {self.folder}. Install the game again.") from None
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise NotInstalled(_DAMAGED.format(self.folder)) from error

    def write_next(self, installed: Installation, *, manifest: bytes, stamps: Sequence[int]) -> None:
        """Lay ready what will be kept after the switch."""
        with suppress(FileNotFoundError):
            shutil.rmtree(self.next)
        self.next.mkdir()
        write_whole(self.next / "manifest.zst", zstandard.ZstdCompressor(level=6).compress(manifest))
        write_whole(self.next / "stamps", msgspec.msgpack.encode(stamps))
        write_whole(self.next / "installation.json", msgspec.json.format(msgspec.json.encode(installed), indent=2))

    def take_next(self) -> None:
        """Replace what is kept by what lies ready; what says that it is complete comes last."""
        for name in ("manifest.zst", "stamps", "installation.json"):
            with suppress(FileNotFoundError):
                (self.next / name).replace(self.root / name)
        with suppress(FileNotFoundError):
            shutil.rmtree(self.next)

    def _tidy(self) -> None:
        """Remove what a killed process did not finish writing."""
        for each in self.root.glob(f".*{_UNFINISHED}"):
            each.unlink(missing_ok=True)

    def _read_stamps(self) -> Sequence[int]:
        """Stamps only save work, so damaged ones are none."""
        try:
            return msgspec.msgpack.decode((self.root / "stamps").read_bytes(), type=list[int])
        except (OSError, msgspec.MsgspecError):
            return ()


_UNFINISHED_INSTALLATION = (
    "What was begun in {} is unfinished. Run the same install or adopt again to go on, or uninstall it."
)
_DAMAGED = "What the client keeps in {} is damaged. Run “adopt” for the folder to mend it."


def write_whole(file: Path, data: bytes) -> None:
    """Write a file that only its owner can read so that at any time, also after a power cut, one is there whole."""
    descriptor, fresh = tempfile.mkstemp(prefix=f".{file.name}.", suffix=_UNFINISHED, dir=file.parent)
    try:
        with os.fdopen(descriptor, "wb") as written:
            written.write(data)
            written.flush()
            os.fsync(written.fileno())
        Path(fresh).replace(file)
    except OSError:
        Path(fresh).unlink(missing_ok=True)
        raise
    flush_folder(file.parent)


def flush_folder(folder: Path) -> None:
    """Make the names in a folder durable, where a system needs telling."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> bool:
    try:
        if sys.platform == "win32":
            # Beyond the end, so that the holder's number can still be read.
            os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            os.lseek(descriptor, 0, os.SEEK_SET)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.lseek(descriptor, 0, os.SEEK_SET)
        return False
    return True
