"""What the service serves, compared byte by byte with what was imported or stored."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import zstandard
from blake3 import blake3

from patching import patched_chunks
from torture import games
from torture.connection import Connection
from torture.games import Release

_PART = 206


class WrongBytes(Exception):
    """The service sent a complete response with other bytes than were imported or stored."""


class Served:
    """Fetches and compares content. All methods raise Unanswered, Refused or WrongBytes."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._games: dict[str, str] = {}

    def game_id(self, game: str) -> str:
        """Return the id of an imported game."""
        if game not in self._games:
            listed = self._connection.get("/api/v1/admin/library")["games"]
            self._games = {each["game"]["libraryPath"]: each["game"]["id"] for each in listed}
        if game not in self._games:
            raise WrongBytes(f"The game {game} was imported and is not listed.")
        return self._games[game]

    def version_id(self, release: Release) -> str:
        listed = self._connection.get(f"/api/v1/games/{self.game_id(release.game)}/versions")
        found: str = next((each["id"] for each in listed if each["name"] == release.version), "")
        if not found:
            raise WrongBytes(f"The version {release.version} of {release.game} was imported and is not listed.")
        return found

    def check_version(self, release: Release) -> None:
        """Check the manifest and the version image, which contains the bytes of all files."""
        version, files = self.version_id(release), games.content(release)
        manifest = self._connection.get(f"/api/v1/versions/{version}/manifest")
        listed = {file["path"]: file["chunks"] for file in manifest["files"]}
        if listed != {path: list(_chunks(data, listed.get(path, []))) for path, data in files.items()}:
            raise WrongBytes(f"The manifest of {release} does not list the imported files.")
        image = self._connection.call("GET", f"/api/v1/versions/{version}/content").content
        for file in manifest["files"]:
            if image[file["offset"] : file["offset"] + file["size"]] != files[file["path"]]:
                raise WrongBytes(f"{file['path']} of {release} has other bytes in the version image.")

    def check_range(self, release: Release, path: str, start: int, end: int) -> None:
        """Check some bytes of one file."""
        headers = {"Range": f"bytes={start}-{end - 1}"}
        address = f"/api/v1/versions/{self.version_id(release)}/files/{path}"
        response = self._connection.call("GET", address, headers=headers)
        if response.status_code != _PART or response.content != games.content(release)[path][start:end]:
            raise WrongBytes(f"Bytes {start} to {end} of {path} of {release} are wrong.")

    def check_image(self, object_id: str) -> None:
        """Check the bytes of an object against the hash that was computed when it was stored."""
        response = self._connection.call("GET", f"/api/v1/object/{object_id}")
        if blake3(response.content).hexdigest() != response.headers["etag"].strip('"').removeprefix('W/"'):
            raise WrongBytes(f"The object {object_id} has other bytes than were stored.")

    def check_patches(self, listed: Mapping[str, Any], old: Release, new: Release) -> None:
        """Apply the listed patches to the older version."""
        manifest = self._connection.get(f"/api/v1/versions/{listed['to']}/manifest")
        packed = self._connection.call("GET", f"/api/v1/patches/{listed['id']}").content
        try:
            patched_chunks(listed, packed, games.content(old), manifest)
        except (AssertionError, KeyError, zstandard.ZstdError) as error:
            raise WrongBytes(f"The patches from {old} to {new} cannot be applied: {error!r}") from None


def _chunks(data: bytes, cuts: Sequence[Sequence[Any]]) -> Iterator[list[Any]]:
    """Yield the length and the hash of the parts of a file, cut into the given lengths, and of what is left."""
    offset = 0
    for length, _ in (*cuts, (len(data) - sum(cut[0] for cut in cuts), "")):
        if length:
            yield [length, blake3(data[offset : offset + length]).hexdigest()]
        offset += length
