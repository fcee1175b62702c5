"""The files in the folder of the setting CLIENTS."""

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from threading import Lock

from msgspec import Struct, field

from playdock.features.client_downloads import rules
from playdock.features.client_downloads.errors import ClientDownloadUnknown
from playdock.features.client_downloads.rules import ARCHIVE_END, ClientDownload, OfferedFile
from playdock.sending.limits import DownloadLimiter, Limits, TransferPermit
from playdock.sending.threads import SendingThreads
from playdock.settings import Settings
from playdock.storage.openers import FolderOpener

CHECKSUMS = "SHA256SUMS"
CLIENTS_MISSING = "Build them with `make client`, or set CLIENTS to a folder with those of a release."
# All downloads of clients share one queue, and the rate and number that one user has by default, so that strangers
# cannot take what users need.
_QUEUE = "client-downloads"
_THREADS = "client-downloads"
_BLOCK_BYTES = 1024 * 1024
# The checksums of three files take some hundred bytes.
_MAX_CHECKSUM_BYTES = 64 * 1024
# Names, sizes and times of all files in the folder: what was read is valid as long as these are the same.
_FolderState = tuple[tuple[str, int, int], ...]


class FolderContent(Struct, frozen=True):
    """What a folder offers, and why it does not offer more."""

    files: Sequence[OfferedFile]
    updates: Sequence[OfferedFile]
    faults: Sequence[str]

    @property
    def advice(self) -> str:
        """What is wrong and how to fix it, empty if nothing is."""
        return " ".join((*self.faults, CLIENTS_MISSING)) if self.faults else ""


class _CachedContent(Struct):
    state: _FolderState | None = None
    content: FolderContent = FolderContent((), (), ())


class ClientDownloads(Struct, frozen=True):
    """The player's client for each system."""

    settings: Settings
    limiter: DownloadLimiter
    threads: SendingThreads
    _cached: _CachedContent = field(default_factory=_CachedContent)
    _lock: Lock = field(default_factory=Lock)

    @property
    def folder(self) -> Path:
        return self.settings.clients_dir

    def list_all(self, address: str) -> Sequence[ClientDownload]:
        """Return the newest client for each system, with the server's address."""
        return [rules.with_address(file, address) for file in self.content().files]

    def list_updates(self) -> Sequence[OfferedFile]:
        """Return the newest update for each system."""
        return self.content().updates

    def find(self, name: str, address: str) -> ClientDownload:
        """Return an offered file by its name, with the server's address.

        Raises:
            ClientDownloadUnknown: no such file is offered.
        """
        content = self.content()
        for file in (*content.files, *content.updates):
            if file.name == name:
                return rules.with_address(file, address)
        raise ClientDownloadUnknown

    def opener(self) -> FolderOpener:
        return FolderOpener(self.folder)

    async def admit(self, _length: int) -> TransferPermit:
        """Return a permit to send a part of a file.

        Raises:
            TooManyDownloads: too many clients are being downloaded, or the service has reached its limit.
        """
        settings = self.settings
        limits = Limits(settings.download_rate_per_user, settings.downloads_at_once_per_user)
        return await self.limiter.admit(_QUEUE, limits, lambda _sent: None)

    def content(self) -> FolderContent:
        """Return what the folder offers. Files are read only if one of them has changed."""
        with self._lock:
            state = _state_of(self.folder)
            if state != self._cached.state:
                self._cached.content, self._cached.state = _read_folder(self.folder, state), state
            return self._cached.content


def _state_of(folder: Path) -> _FolderState:
    try:
        with os.scandir(folder) as found:
            files = [(each.name, each.stat()) for each in found if each.is_file(follow_symlinks=False)]
    except OSError:
        return ()
    return tuple(sorted((name, status.st_size, status.st_mtime_ns) for name, status in files))


def _read_folder(folder: Path, state: _FolderState) -> FolderContent:
    clients = [each for each in state if rules.system_of(each[0]) or rules.update_system_of(each[0])]
    if not clients:
        return FolderContent((), (), (f"There are no clients in {folder}.",))
    try:
        with (folder / CHECKSUMS).open(encoding="utf-8", errors="replace") as sums:
            expected = rules.checksums(sums.read(_MAX_CHECKSUM_BYTES))
    except OSError:
        return FolderContent((), (), (f"{CHECKSUMS} is missing in {folder}.",))
    files: list[OfferedFile] = []
    faults: list[str] = []
    for name, size, mtime_ns in clients:
        try:
            file = _read_file(folder / name, size=size, mtime_ns=mtime_ns)
        except OSError as error:
            faults.append(f"{name} cannot be read: {error.strerror or error}.")
            continue
        if expected.get(name) == file.sha256:
            files.append(file)
        else:
            faults.append(f"{name} does not match {CHECKSUMS}.")
    updates = [each for each in files if each.is_update]
    downloads = [each for each in files if not each.is_update]
    return FolderContent(rules.newest(downloads), rules.newest(updates), faults)


def _read_file(path: Path, *, size: int, mtime_ns: int) -> OfferedFile:
    """Compute the checksum of a file, the state of SHA-256 before the end of an archive; read an update's signature.

    Raises:
        OSError: the file cannot be read.
    """
    update = rules.update_system_of(path.name)
    described = update or rules.system_of(path.name)
    assert described is not None
    prefix, left = hashlib.sha256(), size - len(ARCHIVE_END)
    with path.open("rb") as file:
        while left > 0 and (block := file.read(min(left, _BLOCK_BYTES))):
            prefix.update(block)
            left -= len(block)
        rest = file.read()
    whole = prefix.copy()
    whole.update(rest)
    system, version = described
    if update is not None:
        signature = _signature_of(path)
        return OfferedFile(
            path.name, system, version, size, mtime_ns, whole.hexdigest(), is_update=True, signature=signature
        )
    ends = rest == ARCHIVE_END and system is rules.System.LINUX
    return OfferedFile(path.name, system, version, size, mtime_ns, whole.hexdigest(), prefix if ends else None)


def _signature_of(path: Path) -> str | None:
    """Return the signature beside an update, None if there is no valid one."""
    try:
        with path.with_name(f"{path.name}.sig").open(encoding="ascii", errors="replace") as file:
            return rules.signature_in(file.read(_MAX_CHECKSUM_BYTES))
    except OSError:
        return None
