"""What happens to uploads when something fails: nothing is lost, nothing is done twice, and the reason is told."""

import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.orm import Session

from playdock.features.library_scans.service import SCAN
from playdock.features.uploads import queries, rules
from playdock.tasks.errors import Postponed
from uploads import UPLOADS, begun, declared, finish, folder_of, managed_library, send
from world import Caller, World

GAME = {"doom.sh": b"run doom", "data/levels.wad": bytes(range(256)) * 300, "data/empty": b""}
CONTENT = b"".join(GAME.values())
HEAD = len(CONTENT) // 3


def test_a_step_that_ends_with_the_last_byte_completes_an_upload_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin = world.admin()
    upload = begun(admin, managed_library(admin), GAME)
    monkeypatch.setattr(rules, "BYTES_PER_STEP", len(CONTENT))

    assert send(admin, upload, CONTENT).status_code == 204
    assert finish(world, admin, upload)["state"] == "done"


def received_part(world: World, admin: Caller, library: dict[str, Any], version: str = "1.0") -> tuple[str, Path]:
    """An upload of which a part has been received, and the file that continues."""
    upload = begun(admin, library, GAME, version=version)
    assert send(admin, upload, CONTENT[:HEAD]).status_code == 204
    return upload, staged(library, upload) / "content/Doom" / version / "data/levels.wad"


def staged(library: dict[str, Any], upload: str) -> Path:
    return folder_of(library) / ".playdock/uploads" / upload


def test_moving_an_upload_to_its_place_is_repeated_after_an_interruption(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a server that was killed between moving the files and recording that."""
    admin = world.admin()
    library = managed_library(admin)
    set_placed = queries.set_placed
    archive = {"1.2.zip": b"PK of some kind"}

    for version, files in (("1.0", GAME), ("1.1", GAME), ("1.2.zip", archive)):
        runs: list[datetime] = []

        def interrupted(session: Session, upload_id: str, *, at: datetime, runs: list[datetime] = runs) -> None:
            runs.append(at)
            if len(runs) == 1:
                raise Postponed(at)
            set_placed(session, upload_id, at=at)

        monkeypatch.setattr(queries, "set_placed", interrupted)
        upload = begun(admin, library, files, version=version, hashed=True)
        send(admin, upload, b"".join(files.values()))
        placed = finish(world, admin, upload)

        assert (placed["state"], placed["problem"], len(runs)) == ("done", "", 2)
        assert not staged(library, upload).exists()
    assert sorted(path.name for path in (folder_of(library) / "Doom").iterdir()) == ["1.0", "1.1", "1.2.zip"]
    assert SCAN in [task["taskGroup"] for task in tasks_of(admin)]


def tasks_of(admin: Caller) -> list[dict[str, Any]]:
    listed = admin.get("/api/v1/admin/task").json()
    return [*listed["runningTasks"], *listed["historicalTasks"]]


def test_an_upload_whose_bytes_are_lost_is_not_filled_with_zeros(world: World) -> None:
    admin = world.admin()
    library = managed_library(admin)

    def shorten(file: Path) -> None:
        os.truncate(file, file.stat().st_size - 1)

    def replace_with_pipe(file: Path) -> None:
        file.unlink()
        os.mkfifo(file)

    def replace_with_link(file: Path) -> None:
        file.unlink()
        file.symlink_to(world.folder)

    damages: list[Callable[[Path], None]] = [Path.unlink, shorten, replace_with_pipe, replace_with_link]
    for number, damage in enumerate(damages):
        version = f"{number}.0"
        upload, file = received_part(world, admin, library, version)
        damage(file)

        lost = send(admin, upload, CONTENT[HEAD:], at=HEAD)
        again = admin.post(UPLOADS, declared(library, GAME, version=version)).json()

        assert (lost.status_code, lost.json()["type"]) == (404, "upload-lost")
        assert (again["id"] != upload, again["received"]) == (True, 0)
        assert send(admin, again["id"], CONTENT).status_code == 204
        assert finish(world, admin, again["id"])["state"] == "done"
        assert (folder_of(library) / "Doom" / version / "data/levels.wad").read_bytes() == GAME["data/levels.wad"]
