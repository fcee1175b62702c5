"""The server that offered this program, as a suggestion for the first sign-in.

A server encodes its address in the name of the download (`playdock.features.client_downloads.rules`), and the setup
programs keep that name. Anybody can rename a file, so the address only fills in a form that the player confirms.
"""

import re
from pathlib import Path
from urllib.parse import unquote

from playdock_client.client_folders import ClientFolders
from playdock_client.credentials import address_of
from playdock_client.errors import ServerUnavailable

DOWNLOAD_NAME = "download-name.txt"
_NAME = re.compile(r"playdock-(?:setup|client)_(https?(?:_[^_]+)+)_[^_]*")
# The longest name that file systems allow, in UTF-16 with its mark.
_MAX_NAME_BYTES = 1024


def suggested_server(folders: ClientFolders) -> str | None:
    """Return the normalized address of the server from which this program was downloaded, None if it is unknown."""
    try:
        with (folders.config / DOWNLOAD_NAME).open("rb") as file:
            return decode_download_name(_text(file.read(_MAX_NAME_BYTES)))
    except OSError:
        return None


def decode_download_name(name: str) -> str | None:
    """Return the normalized address in the name of a download, None if there is no valid one.

    >>> decode_download_name("playdock-setup_https_games.example.org_ (1).exe")
    'https://games.example.org'
    """
    match = _NAME.fullmatch(Path(name.strip()).name)
    if match is None:
        return None
    scheme, *words = (unquote(word.replace("=", "%")) for word in match[1].split("_"))
    if any(set(word) & set("/?#@\\") or not word.isprintable() for word in words):
        return None
    try:
        return address_of(f"{scheme}://{'/'.join(words)}")
    except ServerUnavailable:
        return None


def _text(data: bytes) -> str:
    """Decode a name: the setup program for Windows writes UTF-16, the archive for Linux has UTF-8."""
    encoding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8"
    return data.decode(encoding, errors="replace")
