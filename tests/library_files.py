"""Games in managed libraries, and changes of their files."""

from pathlib import Path
from typing import Any

import httpx2
import pytest

from playdock.domain.library_files import queries
from playdock.models import FileChange
from playdock.tasks.errors import Stopping
from uploads import folder_of, managed_library
from world import Caller, World

TRASH = "/api/v1/admin/trash"


def write(library: dict[str, Any], path: str, content: bytes = b"#!/bin/sh") -> Path:
    file = folder_of(library) / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    return file


def doom(world: World, admin: Caller, *versions: str) -> tuple[dict[str, Any], str]:
    """A managed library with an imported game and some of its versions."""
    library = managed_library(admin)
    for version in versions:
        write(library, f"Doom/{version}/doom")
        write(library, f"Doom/{version}/doom.wad", version.encode() * 1000)
    game = world.import_game(admin, library, "Doom")
    for version in versions:
        assert world.import_version(admin, game, version, launch="doom")["success"]
    return library, game


def quake(world: World, admin: Caller, library: dict[str, Any], *versions: str) -> str:
    for version in versions:
        write(library, f"Quake/{version}/quake", version.encode() * 1000)
    game = world.import_game(admin, library, "Quake")
    for version in versions:
        assert world.import_version(admin, game, version, launch="quake")["success"]
    return game


def move_version(admin: Caller, version: str, game: str, **more: str) -> httpx2.Response:
    return admin.patch(f"/api/v1/admin/version/{version}/files", {"game": game, **more})


def versions_of(admin: Caller, game: str) -> dict[str, str]:
    return {each["name"]: each["id"] for each in admin.get(f"/api/v1/admin/game/{game}").json()["versions"]}


def done(world: World, admin: Caller, answer: httpx2.Response) -> dict[str, Any]:
    """Wait for the task that a call has started."""
    assert answer.status_code == 202, answer.text
    return world.finish(admin, answer.json()["taskId"])


def delete_game(admin: Caller, game: str, name: str = "Doom") -> httpx2.Response:
    return admin.delete(f"/api/v1/admin/game/{game}/files", {"name": name})


def files_of(library: dict[str, Any]) -> list[str]:
    """What everybody sees in the folder of a library."""
    base = folder_of(library)
    paths = (path.relative_to(base) for path in base.rglob("*") if path.is_file())
    return sorted(str(path) for path in paths if ".playdock" not in path.parts)


def hidden(library: dict[str, Any]) -> list[str]:
    """The files in the service's own folder of a library."""
    own = folder_of(library) / ".playdock"
    return sorted(str(path.relative_to(own)) for path in own.rglob("*") if path.is_file())


def content(admin: Caller, version: str) -> tuple[int, bytes]:
    answer = admin.get(f"/api/v1/versions/{version}/content")
    return answer.status_code, answer.content


def restore(admin: Caller, item: str) -> httpx2.Response:
    return admin.post(f"{TRASH}/{item}/restoration")


def changes(world: World) -> list[FileChange]:
    with world.services.db.read() as session:
        return list(queries.all_changes(session))


class Killed(Stopping):
    """The process ends here, and another one continues the task."""


def kill_once_after(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> list[str]:
    """Let the process end after the first call of a function; return a list that gets the name of the function then."""
    original, killed = getattr(owner, name), list[str]()

    def killing(*arguments: Any, **options: Any) -> Any:
        answer = original(*arguments, **options)
        if not killed:
            killed.append(name)
            raise Killed
        return answer

    monkeypatch.setattr(owner, name, killing)
    return killed
