"""Pure decisions about downloads of the client: which files are offered, and how the server's address is added."""

import gzip
import hashlib
import io
import re
import tarfile
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from urllib.parse import quote, urlsplit

from msgspec import Struct

from playdock.content.bodies import AppendedBody
from playdock.content.file_table import ServedFile
from playdock.kit.web_urls import is_base_url, is_local

# The last gzip member of the archive for Linux: the two empty blocks that end a tar archive. In its place the server
# sends a member with one more file and the end. These bytes were written once, as compressors differ.
ARCHIVE_END = b"\x1f\x8b\x08\0\0\0\0\0\x02\x03c`\x18\x05\xa3`\x14\x8cT\0\0.\xaf\xb5\xef\0\x04\0\0"
# The file in the archive with the name of the download, which encodes the address.
ADDED_FILE = "playdock-client/download-name.txt"
_VERSION = r"(?P<version>\d+(?:\.\d+){2}[a-z0-9.]*)"
_CHECKSUM = re.compile(r"(?P<sha256>[0-9a-f]{64}) [ *](?P<name>[\w.+-]+)")


class System(StrEnum):
    """The operating system that a client is for; `Any` for the package that needs Python."""

    WINDOWS = "Windows"
    LINUX = "Linux"
    ANY = "Any"


_NAMES = {
    System.WINDOWS: re.compile(rf"playdock-setup-{_VERSION}-windows-x86_64\.exe"),
    System.LINUX: re.compile(rf"playdock-client-{_VERSION}-linux-x86_64\.tar\.gz"),
    System.ANY: re.compile(rf"playdock_client-{_VERSION}-py3-none-any\.whl"),
}


_UPDATE_NAMES = {
    System.WINDOWS: re.compile(rf"playdock-update-{_VERSION}-windows-x86_64\.tar\.xz"),
    System.LINUX: re.compile(rf"playdock-update-{_VERSION}-linux-x86_64\.tar\.xz"),
}
# 64 bytes in base64.
_SIGNATURE = re.compile(r"[A-Za-z0-9+/]{86}==")


class OfferedFile(Struct, frozen=True):
    """A file that matches its checksum. ``prefix`` is the state of SHA-256 before `ARCHIVE_END`, if it ends with it.

    ``is_update`` is whether installed clients replace themselves with it; then it may have a signature.
    """

    name: str
    system: System
    version: str
    size: int
    mtime_ns: int
    sha256: str
    prefix: "hashlib._Hash | None" = None
    is_update: bool = False
    signature: str | None = None


class ClientDownload(Struct, frozen=True):
    """An offered file with the server's address: what is sent, under which name, with which checksum."""

    file: OfferedFile
    body: AppendedBody
    sha256: str
    download_name: str


def system_of(name: str) -> tuple[System, str] | None:
    """Return the system and the version that a file is for, None if it is no client."""
    for system, pattern in _NAMES.items():
        if match := pattern.fullmatch(name):
            return system, match["version"]
    return None


def update_system_of(name: str) -> tuple[System, str] | None:
    """Return the system and the version that an update is for, None if it is no update."""
    for system, pattern in _UPDATE_NAMES.items():
        if match := pattern.fullmatch(name):
            return system, match["version"]
    return None


def signature_in(text: str) -> str | None:
    """Return the signature in the file beside an update, None if it is invalid."""
    return text.strip() if _SIGNATURE.fullmatch(text.strip()) else None


def checksums(text: str) -> Mapping[str, str]:
    """Return the SHA-256 checksums by file name from the output of ``sha256sum``."""
    return {match["name"]: match["sha256"] for line in text.splitlines() if (match := _CHECKSUM.fullmatch(line))}


def newest(files: Iterable[OfferedFile]) -> Sequence[OfferedFile]:
    """Return the file with the highest version for each system, in the order of the systems."""
    by_system: dict[System, OfferedFile] = {}
    for file in sorted(files, key=lambda each: [int(part) for part in re.findall(r"\d+", each.version)]):
        by_system[file.system] = file
    return [by_system[system] for system in System if system in by_system]


def address_for(external_url: str, *, scheme: str, host: str, path: str) -> str:
    """Return the address that a client should connect to.

    A loopback address helps nobody on another machine. The caller's own request says how the server can be reached
    then; only the caller receives the response.
    """
    visited = f"{scheme}://{host}{path}"
    return visited if is_local(external_url) and is_base_url(visited) and "@" not in host else external_url


def with_address(file: OfferedFile, address: str) -> ClientDownload:
    """Return what is sent for an address."""
    name = download_name(file, address)
    served = ServedFile(0, file.name, file.size, 0, file.mtime_ns, 0, b"")
    if file.prefix is None:
        return ClientDownload(file, AppendedBody(served, file.size, b""), file.sha256, name)
    end = _archive_end(name, mtime=file.mtime_ns // 10**9)
    digest = file.prefix.copy()
    digest.update(end)
    body = AppendedBody(served, file.size - len(ARCHIVE_END), end)
    return ClientDownload(file, body, digest.hexdigest(), name)


def download_name(file: OfferedFile, address: str) -> str:
    """Return the name under which a file is saved. The client decodes the address (`playdock_client.suggestion`)."""
    if file.system is System.ANY or file.is_update:
        return file.name  # Python's package managers need this name; the updated client knows its server
    ending = ".exe" if file.system is System.WINDOWS else ".tar.gz"
    return f"{'playdock-setup' if file.system is System.WINDOWS else 'playdock-client'}_{encoded(address)}_{ending}"


def encoded(address: str) -> str:
    """Encode an address for a file name: ``https_games.example.org_path``, with ``=3A`` for a colon.

    Browsers add something like " (1)" to a name, so the end is marked by another ``_``, which the caller adds.
    """
    parts = urlsplit(address)
    words = [parts.scheme, parts.netloc, *(each for each in parts.path.split("/") if each)]
    return "_".join(quote(word, safe="").replace("_", "%5F").replace("~", "%7E").replace("%", "=") for word in words)


def _archive_end(name: str, *, mtime: int) -> bytes:
    """Return the end of a compressed tar archive with one more file that contains a name."""
    content = f"{name}\n".encode()
    entry = tarfile.TarInfo(ADDED_FILE)
    entry.size, entry.mode, entry.mtime = len(content), 0o644, mtime
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(entry, io.BytesIO(content))
    return gzip.compress(buffer.getvalue(), mtime=0)
