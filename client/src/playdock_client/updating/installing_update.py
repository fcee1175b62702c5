"""Downloads an update, unpacks it beside the other versions, and checks that it starts."""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from playdock_client.errors import BadResponse, ClientError
from playdock_client.file_locks import try_lock
from playdock_client.transport import Transport
from playdock_client.updating.offers import ClientOffer
from playdock_client.updating.unpacking_update import unpack_update
from playdock_client.updating.version_state import STATE_FILE
from playdock_client.updating.versions import IN_USE, Versions

# The first start is slow where an antivirus program reads every file.
_START_SECONDS = 300.0
_PIECE = 256 * 1024
_DOWNLOAD_PREFIX = "download-"
if sys.platform == "win32":
    _NO_CONSOLE = subprocess.CREATE_NO_WINDOW
else:
    _NO_CONSOLE = 0
_KEPT = (STATE_FILE, "state.lock", "update.lock")


class DoesNotStart(ClientError):
    """The new version cannot be used on this machine."""

    def __init__(self, version: str) -> None:
        super().__init__(f"Version {version} of the client does not start on this computer, so it is not used.")


@contextmanager
def updating(versions: Versions) -> Iterator[None]:
    """Become the process that updates this installation. Raises StateBusy if another one does, OSError."""
    with versions.locked("update.lock"):
        yield


def install_update(versions: Versions, server: str, offer: ClientOffer, *, on_received: Callable[[int], None]) -> str:
    """Download and unpack an update, and return its folder. Raises ClientError, OSError.

    ``on_received`` is called with numbers of bytes, and may wait or raise. What is left of a failure is removed.
    """
    folder = ""
    descriptor, name = tempfile.mkstemp(prefix=_DOWNLOAD_PREFIX, dir=versions.folder)
    archive = Path(name)
    try:
        os.close(descriptor)
        _download(server, offer, archive, on_received=on_received)
        folder = Path(tempfile.mkdtemp(prefix=f"{offer.version}-", dir=versions.folder)).name
        unpack_update(archive, versions.folder / folder)
        (versions.folder / folder / IN_USE).touch()
        _require_start(versions, folder, version=offer.version)
    except BaseException:
        if folder:
            shutil.rmtree(versions.folder / folder, ignore_errors=True)
        raise
    finally:
        archive.unlink(missing_ok=True)
    if sys.platform != "win32":
        # The files must be on disk before the state names them.
        os.sync()
    return folder


def remove_unused(versions: Versions) -> None:
    """Remove what interrupted updates left, and versions that neither start nor run. Only for `updating` processes."""
    state = versions.read()
    for entry in versions.folder.iterdir():
        if entry.name in (*_KEPT, state.current, state.previous):
            continue
        # A version that runs stays: its file is locked, and on Windows the folder cannot be renamed.
        with suppress(OSError):
            if not entry.is_dir():
                entry.unlink()
            elif not _is_used(entry):
                removed = entry.with_name(f"{_DOWNLOAD_PREFIX}removed-{entry.name}")
                entry.rename(removed)
                shutil.rmtree(removed, ignore_errors=True)


def _is_used(folder: Path) -> bool:
    """Return whether a process runs the version in a folder. Raises OSError."""
    try:
        descriptor = os.open(folder / IN_USE, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        return not try_lock(descriptor)
    finally:
        os.close(descriptor)


def _download(server: str, offer: ClientOffer, file: Path, *, on_received: Callable[[int], None]) -> None:
    transport = Transport(server, None)
    target = f"/api/v1/client-downloads/{quote(offer.name)}"
    digest, left = hashlib.sha256(), offer.size
    try:
        with transport.opened("GET", target, on_received=on_received) as body, file.open("wb") as content:
            while left and (piece := body.read_some(min(left, _PIECE))):
                content.write(piece)
                digest.update(piece)
                left -= len(piece)
    finally:
        transport.close()
    if left or digest.hexdigest() != offer.sha256:
        raise BadResponse(f"Version {offer.version} of the client was received damaged.")


def _require_start(versions: Versions, folder: str, *, version: str) -> None:
    """Check that a version says its number when asked. Raises DoesNotStart."""
    command = versions.command(folder)
    if command is None:
        raise DoesNotStart(version)
    try:
        done = subprocess.run(  # noqa: S603 - the new version
            [*command, "--version"],
            env=os.environ | {"PYINSTALLER_RESET_ENVIRONMENT": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_START_SECONDS,
            check=False,
            creationflags=_NO_CONSOLE,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DoesNotStart(version) from error
    if done.returncode or done.stdout.decode(errors="replace").strip() != version:
        raise DoesNotStart(version)
