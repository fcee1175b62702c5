"""Killing and stopping the server during an import: nothing is lost or incomplete, and little is read again."""

import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from loopback import deaf
from playdock.content.chunks import MIN_CHUNK

from .service import MAX_STOP_SECONDS, Service, until

GIB = 1024**3
SIZE = 4 * GIB
FILES = 2  # few enough that a machine with many cores does not read them at once
FOLDERS = 60
MANY = 40
# Checkpoints are written twice a second; at 4 GB/s this is the data in between.
MAX_LOST = 2 * GIB
# What a server reads in addition: its program, its database and its manifests.
MAX_BESIDES = 300 * 1024 * 1024


def write_large_version(service: Service) -> None:
    """Create sparse files, which use no disk space but take nearly as long to read as others."""
    version = service.folder / "games/Doom/1.0"
    version.mkdir(parents=True)
    (version / "game").write_bytes(b"#!/bin/sh\n")
    for number in range(FILES):
        with (version / f"{number}.wad").open("wb") as file:
            file.truncate(SIZE // FILES)


def write_many_files(version: Path) -> dict[str, int]:
    """Create a version of files that are each read separately, and return their sizes by name."""
    version.mkdir(parents=True)
    (version / "game").write_bytes(b"#!/bin/sh\n")
    files = {f"{version.name}-{number:02}.wad": MIN_CHUNK + 1 for number in range(MANY)}
    for name, size in files.items():
        with (version / name).open("wb") as file:
            file.truncate(size)
    return files


def begin(service: Service) -> tuple[str, str]:
    """Start an import, wait until part of it is done, and return the game and the task."""
    service.start()
    service.sign_up(service.invitations[0])
    game = service.import_game(service.folder / "games", "Doom")
    task = service.start_import(game, "1.0")
    until(lambda: service.get(f"/api/v1/task/{task}")["progress"] > 15, what="progress")
    return game, task


@pytest.mark.both_databases
def test_a_killed_server_resumes_a_run_and_imports_nothing_twice(service: Service) -> None:
    games = service.folder / "games"
    for number in range(FOLDERS):
        version = games / f"Game {number}" / "1.0"
        version.mkdir(parents=True)
        (version / "start.sh").write_bytes(b"#!/bin/sh\n")
    service.start()
    service.sign_up(service.invitations[0])
    service.add_library(games)
    service.finish(service.post("/api/v1/admin/import/plan/task", {})["taskId"])
    started = service.post("/api/v1/admin/import/plan", {"atLeast": 0})
    until(lambda: service.get(f"/api/v1/task/{started['taskId']}")["progress"] > 20, what="progress")
    service.stop(signal.SIGKILL)

    service.start()
    assert service.finish(started["taskId"])["success"]

    run = service.get(f"/api/v1/admin/import/run/{started['runId']}")
    imported = [each["game"]["libraryPath"] for each in service.get("/api/v1/admin/library")["games"]]
    assert (run["imported"], run["failed"]) == (FOLDERS, 0)
    assert sorted(imported) == sorted(folder.name for folder in games.iterdir())


def test_an_unresponsive_provider_does_not_prevent_stopping_or_cancelling(service: Service) -> None:
    hades = service.folder / "games/Hades/1.0"
    hades.mkdir(parents=True)
    (hades / "steam_appid.txt").write_bytes(b"1145360")
    with deaf() as address:
        service.more = {f"STEAM_{what}_URL": address for what in ("API", "COMMUNITY", "STORE", "IMAGE", "ICON")}
        service.more["METADATA_PROVIDERS"] = "Steam"
        service.start()
        service.sign_up(service.invitations[0])
        service.add_library(service.folder / "games")
        task = service.post("/api/v1/admin/import/plan/task", {})["taskId"]
        until(lambda: service.get(f"/api/v1/task/{task}")["log"], what="the beginning of the plan")

        began = time.monotonic()
        status = service.stop()
        took = time.monotonic() - began

        service.start()
        until(lambda: len(service.get(f"/api/v1/task/{task}")["log"]) > 1, what="the plan to go on")
        assert service.request("DELETE", f"/api/v1/admin/task/{task}").is_success
        ended = service.finish(task)
    assert (status, took < MAX_STOP_SECONDS, ended["error"]["title"]) == (0, True, "Cancelled"), took


def known(log: list[str]) -> tuple[int, int]:
    """Return the numbers of files and bytes that the log reports as read before."""
    found = re.search(r"([\d,]+) files and [\d,]+ partial files \(([\d,]+) bytes\)", "".join(log))
    assert found, log
    return int(found[1].replace(",", "")), int(found[2].replace(",", ""))


def test_a_killed_server_resumes_large_files_where_it_stopped(service: Service) -> None:
    write_large_version(service)
    game, task = begin(service)
    progress = service.get(f"/api/v1/task/{task}")["progress"]
    assert service.get(f"/api/v1/games/{game}/versions") == []
    service.stop(signal.SIGKILL)

    service.start()
    assert service.get(f"/api/v1/games/{game}/versions") == []
    ended = service.finish(task)

    assert (ended["success"], progress < 99) == (True, True), ended
    _, size = known(ended["log"])
    assert size > SIZE * progress / 100 - MAX_LOST
    assert service.bytes_read() < SIZE - size + MAX_BESIDES
    [version] = service.get(f"/api/v1/games/{game}/versions")
    manifest = service.get(f"/api/v1/versions/{version['id']}/manifest")
    assert version["size"] == manifest["size"] == SIZE + 10
    assert [sum(length for length, _ in file["chunks"]) for file in manifest["files"]] == [SIZE // FILES] * FILES + [10]


@pytest.mark.parametrize("politely", [True, False])
@pytest.mark.both_databases
def test_an_interrupted_import_reads_no_file_again(service: Service, *, politely: bool) -> None:
    files = write_many_files(service.folder / "games/Doom/1.0")
    service.hold_reading(after=MANY // 2)
    game, task = begin(service)
    progress = service.get(f"/api/v1/task/{task}")["progress"]

    began = time.monotonic()
    status = service.stop_reading(after=MANY // 2) if politely else service.stop(signal.SIGKILL)
    took = time.monotonic() - began
    before = service.release_reading()

    service.start()
    ended = service.finish(task)

    assert (status, took < MAX_STOP_SECONDS) == (0 if politely else -signal.SIGKILL, True), took
    assert ended["success"], ended
    count, _ = known(ended["log"])
    after = service.release_reading()
    assert len(set(after)) == len(after) == max(0, len(files) - count)  # the file that starts the game is read last
    assert count >= len(files) * progress / 100
    assert set(before) | set(after) == set(files)
    [version] = service.get(f"/api/v1/games/{game}/versions")
    assert version["size"] == sum(files.values()) + 10


def test_an_upload_continues_after_the_server_was_killed(service: Service) -> None:
    service.start()
    service.sign_up(service.invitations[0])
    options = {"name": "Games", "backend": "Filesystem", "options": {"managed": True}}
    library = service.post("/api/v1/admin/library/sources", options)
    # The service stores 8 MiB at once.
    content, half = bytes(range(256)) * 98_304, 1024**2
    part = half + 17_000_000
    files = [{"path": "a.wad", "size": half + 100}, {"path": "b/b.wad", "size": len(content) - half - 100}]
    declared = {"library": library["id"], "game": "Doom", "version": "1.0", "files": files}
    upload = f"/api/v1/admin/uploads/{service.post('/api/v1/admin/uploads', declared)['id']}"

    def send(pieces: Any, *, at: int) -> int:
        headers = {"Content-Type": "application/offset+octet-stream", "Upload-Offset": str(at)}
        return service.request("PATCH", upload, content=pieces, headers=headers).status_code

    def killed() -> Iterator[bytes]:
        yield content[half:part]
        folder = Path(library["options"]["baseDir"])
        until(lambda: list(folder.rglob("b.wad")), what="a part is written")
        service.stop(signal.SIGKILL)
        yield content[part:]

    assert send(content[:half], at=0) == 204
    with pytest.raises(httpx2.TransportError):
        send(killed(), at=half)
    service.start()
    assert service.post("/api/v1/admin/uploads", declared)["received"] == half
    assert send(content[half:], at=half) == 204

    done = until(lambda: (found := service.get(upload))["state"] != "checking" and found, what="the upload is placed")
    placed = Path(library["options"]["baseDir"]) / "Doom/1.0"
    assert done["state"] == "done"
    assert (placed / "a.wad").read_bytes() + (placed / "b/b.wad").read_bytes() == content
