"""Helpers for tests of damaged files: versions, damage, and the reported problems."""

import os
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from playdock.domain.installations.service import VersionRevision
from playdock.features.version_import.queries import NewRevision, set_revision
from playdock.kit.identifiers import new_id
from playdock.models import Version
from world import Caller, World

DAMAGE = "/api/v1/admin/damage"


def stand(world: World, *names: str, **wanted: Any) -> tuple[Caller, str]:
    """Return an administrator and the game Doom with these versions, imported in order."""
    admin = world.admin()
    game = world.import_game(admin, world.library(admin), "Doom")
    for name in names:
        add_version(world, admin, game, name, **wanted)
    return admin, game


def add_version(world: World, admin: Caller, game: str, name: str, **wanted: Any) -> None:
    task = world.import_version(admin, game, name, **{"launch": "doom", **wanted})
    assert task["success"], task


def version_of(caller: Caller, game: str, name: str = "1.0") -> dict[str, Any]:
    """Return a version of a game as users see it."""
    versions = caller.get(f"/api/v1/games/{game}/versions").json()
    found: dict[str, Any] = next(each for each in versions if each["name"] == name)
    return found


def corrupt_file(path: Path, *, at: int = 0) -> None:
    """Invert the bits of one byte without changing size and time."""
    times = path.stat()
    with path.open("r+b") as file:
        file.seek(at)
        turned = file.read(1)[0] ^ 0xFF
        file.seek(at)
        file.write(bytes([turned]))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def verify_all(world: World, admin: Caller) -> dict[str, Any]:
    started = admin.post("/api/v1/admin/task", {"taskGroup": "verify:content"})
    assert started.status_code == 202, started.text
    task = world.finish(admin, started.json()["id"])
    assert task["success"], task
    return task


def reimport(world: World, admin: Caller, version: str) -> dict[str, Any]:
    """Re-import a version and return the ended task."""
    started = admin.post(f"/api/v1/admin/version/{version}/import")
    assert started.status_code == 202, started.text
    return world.finish(admin, started.json()["taskId"])


def etag(caller: Caller, version: str) -> str:
    """Return the ETag of the manifest."""
    answer = caller.request("HEAD", f"/api/v1/versions/{version}/manifest")
    assert answer.status_code == 200, answer.text
    found: str = answer.headers["etag"]
    return found


def damaged_files(admin: Caller) -> list[tuple[str, str]]:
    """Return the paths and problems of all files that are known to be damaged."""
    return [(file["path"], file["fault"]) for version in admin.get(DAMAGE).json() for file in version["files"]]


def make_revision(world: World, version_id: str) -> None:
    """Create a revision of a version without its last file, as if another process re-imported it."""
    installations = world.services.moved_games.installations
    with world.services.db.read() as session:
        version = session.get_one(Version, version_id)
    before = installations.layer(VersionRevision.of(version))
    number = version.revision + 1
    installations.keep_layer(VersionRevision.numbered(version_id, number), replace(before, files=before.files[:-1]))
    with world.services.db.write() as session:
        set_revision(session, NewRevision(version, number, 0, 0, new_id()))
