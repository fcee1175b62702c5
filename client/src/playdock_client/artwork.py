"""The pictures of a game, fetched from its server and kept for shortcuts: PNG or JPEG, which all desktops can show."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from pathlib import Path

from playdock_client.atomic_files import write_atomically
from playdock_client.client_folders import ClientFolders
from playdock_client.connection import Server
from playdock_client.errors import ClientError
from playdock_client.responses import PictureInfo

# The first bytes of the files, since neither names nor headers of a server are trusted.
_SIGNATURES = {b"\x89PNG\r\n\x1a\n": ".png", b"\xff\xd8\xff": ".jpg"}
_MEDIA_TYPES = ("image/png", "image/jpeg")


class ArtworkRole(StrEnum):
    """What a picture of a game is used as."""

    COVER = "cover"
    BANNER = "banner"
    ICON = "icon"
    LOGO = "logo"


Artwork = Mapping[ArtworkRole, Path]


def stored_artwork(folders: ClientFolders, game: str) -> Artwork:
    """Return the pictures of a game that have been fetched before."""
    folder = folders.artwork(game)
    files = ((role, folder / f"{role}{suffix}") for role in ArtworkRole for suffix in _SIGNATURES.values())
    return {role: file for role, file in files if file.is_file()}


def fetch_artwork(server: Server, folders: ClientFolders, game: str) -> Artwork:
    """Fetch the pictures of a game, store them, and return them. Pictures that cannot be fetched are left out."""
    folder = folders.artwork(game)
    with suppress(ClientError, OSError):
        pictures = server.pictures(game)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for role in ArtworkRole:
            picture: PictureInfo | None = getattr(pictures, role)
            if picture is not None:
                _fetch(server, picture, folder, role)
    return stored_artwork(folders, game)


def _fetch(server: Server, picture: PictureInfo, folder: Path, role: ArtworkRole) -> None:
    for object_id in _objects(picture):
        data = server.object(object_id)
        suffix = next((suffix for start, suffix in _SIGNATURES.items() if data.startswith(start)), None)
        if suffix:
            for other in _SIGNATURES.values():
                (folder / f"{role}{other}").unlink(missing_ok=True)
            write_atomically(folder / f"{role}{suffix}", data)
            return


def _objects(picture: PictureInfo) -> Sequence[str]:
    """Return the objects of the largest suitable rendition, if there is one."""
    suitable = [each for each in picture.renditions if each.media_type in _MEDIA_TYPES]
    return [max(suitable, key=lambda each: each.width * each.height).object_id] if suitable else []
