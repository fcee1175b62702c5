"""Killing the server while versions are read again: the old revision is kept, and little is read twice."""

import signal
from pathlib import Path
from typing import Any

from .service import Service, until

MIB = 1024**2
GIB = 1024**3
SIZE = 4 * GIB
FILES = 2  # few enough that a machine with many cores does not read them at once


def lay(service: Service, version: str, *, size: int) -> Path:
    """Create a version of sparse files, which use no disk space but take nearly as long to read as others."""
    folder = service.folder / "games/Doom" / version
    folder.mkdir(parents=True)
    (folder / "game").write_bytes(b"#!/bin/sh\n")
    for number in range(FILES):
        with (folder / f"{number}.wad").open("wb") as file:
            file.truncate(size // FILES)
    return folder


def stand(service: Service, *names: str) -> tuple[str, dict[str, Any]]:
    """Start the server and import versions; return the game, and the versions by name."""
    service.start()
    service.sign_up(service.invitations[0])
    game = service.import_game(service.folder / "games", "Doom")
    for name in names:
        assert service.finish(service.start_import(game, name))["success"]
    return game, {each["name"]: each for each in service.get(f"/api/v1/games/{game}/versions")}


def until_well_on_its_way(service: Service, task: str, *, progress: float) -> None:
    until(lambda: service.get(f"/api/v1/task/{task}")["progress"] > progress, what="progress")
    assert service.get(f"/api/v1/task/{task}")["ended"] is None


def test_a_server_killed_during_a_reimport(service: Service) -> None:
    folder = lay(service, "1.0", size=SIZE)
    game, versions = stand(service, "1.0")
    manifest = f"/api/v1/versions/{versions['1.0']['id']}/manifest"
    before = service.get(manifest)
    for number in range(FILES):
        with (folder / f"{number}.wad").open("r+b") as file:
            file.write(b"IWAD")
    task = service.post(f"/api/v1/admin/version/{versions['1.0']['id']}/import", None)["taskId"]
    until_well_on_its_way(service, task, progress=15)
    service.stop(signal.SIGKILL)

    service.start()
    whole = service.get(manifest), service.get(f"/api/v1/games/{game}/versions")
    ended = service.finish(task)

    after = service.get(manifest)
    changed = [new["path"] for old, new in zip(before["files"], after["files"], strict=True) if old != new]
    assert whole == (before, list(versions.values()))
    assert (ended["success"], "have already been read" in "".join(ended["log"])) == (True, True), ended
    assert (len(changed), after["size"]) == (FILES, before["size"])


def test_files_verified_before_a_power_failure_are_not_read_again(service: Service) -> None:
    lay(service, "1.0", size=SIZE // 2)
    last = lay(service, "1.1", size=SIZE // 2)
    _, _ = stand(service, "1.0", "1.1")
    (last / "0.wad").unlink()
    task = service.post("/api/v1/admin/task", {"taskGroup": "verify:content"})["id"]
    until_well_on_its_way(service, task, progress=55)
    service.stop(signal.SIGKILL)

    service.start()
    ended = service.finish(task)

    assert (ended["success"], service.bytes_read() < SIZE // 2 + 300 * MIB) == (True, True), ended
    assert [len(each["files"]) for each in service.get("/api/v1/admin/damage")] == [1]
