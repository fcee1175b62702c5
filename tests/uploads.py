"""Uploading files to a managed library, as a program does."""

from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx2

from world import Caller, World

UPLOADS = "/api/v1/admin/uploads"
SOURCES = "/api/v1/admin/library/sources"
PIECE = {"Content-Type": "application/offset+octet-stream", "Tus-Resumable": "1.0.0"}


def managed_library(admin: Caller, *, backend: str = "Filesystem") -> dict[str, Any]:
    """A library that Playdock manages, in its own folder."""
    made = admin.post(SOURCES, {"name": "Uploads", "backend": backend, "options": {"managed": True}})
    assert made.status_code == 201, made.text
    library: dict[str, Any] = made.json()
    return library


def folder_of(library: dict[str, Any]) -> Path:
    return Path(library["options"]["baseDir"])


def declared(
    library: dict[str, Any], files: dict[str, bytes], *, game: str = "Doom", version: str = "1.0", hashed: bool = False
) -> dict[str, Any]:
    listed = [
        {"path": path, "size": len(data), **({"sha256": sha256(data).hexdigest()} if hashed else {})}
        for path, data in files.items()
    ]
    return {"library": library["id"], "game": game, "version": version, "files": listed}


def begun(admin: Caller, *given: Any, **wanted: Any) -> str:
    """The id of a new upload."""
    answer = admin.post(UPLOADS, declared(*given, **wanted))
    assert answer.status_code == 200, answer.text
    upload: str = answer.json()["id"]
    return upload


def send(admin: Caller, upload: str, data: bytes, *, at: int = 0, checksum: bytes | None = None) -> httpx2.Response:
    headers = {**PIECE, "Upload-Offset": str(at)}
    if checksum is not None:
        headers["Upload-Checksum"] = "sha256 " + b64encode(checksum).decode()
    return admin.request("PATCH", f"{UPLOADS}/{upload}", content=data, headers=headers)


def show(admin: Caller, upload: str) -> dict[str, Any]:
    found: dict[str, Any] = admin.get(f"{UPLOADS}/{upload}").json()
    return found


def finish(world: World, admin: Caller, upload: str) -> dict[str, Any]:
    """Wait until a complete upload is in its place, or has failed."""
    world.finish(admin, show(admin, upload)["taskId"])
    return show(admin, upload)


def clean(world: World, admin: Caller) -> None:
    """Run the daily task that deletes what is left of uploads."""
    started = admin.post("/api/v1/admin/task", {"taskGroup": "cleanup:uploads"})
    assert world.finish(admin, started.json()["id"])["success"]
