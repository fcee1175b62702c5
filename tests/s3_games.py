"""A library in an S3 server, as an administrator adds it, and its game."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx2

from playdock.kit.s3_location import S3Location
from playdock.storage.s3_bucket import S3Bucket
from versions_to_import import versions
from world import Caller, World

Files = Mapping[str, bytes]
SOURCES = "/api/v1/admin/library/sources"


def settings_of(location: S3Location) -> dict[str, Any]:
    """Return the settings of a service that uses the server of a location."""
    return {
        "objects_endpoint": location.endpoint,
        "objects_access_key_id": location.access_key_id,
        "objects_secret_access_key": location.secret_access_key,
    }


def add_library(admin: Caller, url: str, *, backend: str = "S3") -> httpx2.Response:
    return admin.post(SOURCES, {"name": "Bucket", "backend": backend, "options": {"baseDir": url}})


@dataclass
class GamesInS3:
    """The game Doom in a library in S3."""

    world: World
    bucket: S3Bucket
    admin: Caller
    library: dict[str, Any]
    game: str

    @classmethod
    def at(cls, world: World, location: S3Location) -> "GamesInS3":
        bucket, admin = S3Bucket(location), world.admin()
        bucket.write("Doom/readme.txt", [b"A game."])
        added = add_library(admin, location.url)
        assert added.status_code == 201, added.text
        return cls(world, bucket, admin, added.json(), world.import_game(admin, added.json(), "Doom"))

    def lay(self, version: str, files: Files) -> None:
        """Add a version to the library."""
        for path, content in files.items():
            self.bucket.write(f"Doom/{version}/{path}", [content])

    def add(self, version: str, files: Files | None = None, **wanted: Any) -> str:
        """Import a version with these files, and return its id."""
        self.lay(version, files or {})
        task = self.world.import_version(self.admin, self.game, version, **{"launch": "doom", **wanted})
        assert task["success"], task
        found: str = next(each["id"] for each in versions(self.admin, self.game) if each["name"] == version)
        return found

    def content(self, version: str, part: str = "content", **options: Any) -> httpx2.Response:
        return self.admin.get(f"/api/v1/versions/{version}/{part}", **options)

    def damage(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.admin.get("/api/v1/admin/damage").json()
        return found
