"""Killing and stopping the server during an import: nothing is lost or incomplete, and little is read again."""

import re
import signal
import time

import pytest

from loopback import deaf

from .service import MAX_STOP_SECONDS, Service, until

pytestmark = pytest.mark.both_databases

GIB = 1024**3
SIZE = 4 * GIB
FILES = 2  # few enough that a machine with many cores does not read them at once
FOLDERS = 60
# Checkpoints are written twice a second; at 4 GB/s this is the data in between.
MAX_LOST = 2 * GIB
# What a server reads in addition: its program, its database and its manifests.
MAX_BESIDES = 300 * 1024 * 1024


def lay_large_version(service: Service) -> None:
    """Create sparse files, which use no disk space but take nearly as long to read as others."""
    version = service.folder / "games/Doom/1.0"
    version.mkdir(parents=True)
    (version / "game").write_bytes(b"#!/bin/sh\n")
    for number in range(FILES):
        with (version / f"{number}.wad").open("wb") as file:
            file.truncate(SIZE // FILES)


def begin(service: Service) -> tuple[str, str]:
    """Start a long import, wait until part of it is done, and return the game and the task."""
    lay_large_version(service)
    service.start()
    service.sign_up(service.invitations[0])
    game = service.import_game(service.folder / "games", "Doom")
    task = service.start_import(game, "1.0")
    until(lambda: service.get(f"/api/v1/task/{task}")["progress"] > 15, what="progress")
    return game, task


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


def known_bytes(log: list[str]) -> int:
    """Return the number of bytes that the log reports as read before."""
    told = re.search(r"\(([\d,]+) bytes\) have already been read", "".join(log))
    assert told, log
    return int(told[1].replace(",", ""))


def check_whole(service: Service, game: str) -> None:
    [version] = service.get(f"/api/v1/games/{game}/versions")
    manifest = service.get(f"/api/v1/versions/{version['id']}/manifest")
    assert version["size"] == manifest["size"] == SIZE + 10
    assert [sum(length for length, _ in file["chunks"]) for file in manifest["files"]] == [SIZE // FILES] * FILES + [10]


def test_a_killed_server_resumes_its_import(service: Service) -> None:
    game, task = begin(service)
    progress = service.get(f"/api/v1/task/{task}")["progress"]
    assert service.get(f"/api/v1/games/{game}/versions") == []
    service.stop(signal.SIGKILL)

    service.start()
    assert service.get(f"/api/v1/games/{game}/versions") == []
    ended = service.finish(task)

    assert (ended["success"], progress < 99) == (True, True), ended
    known = known_bytes(ended["log"])
    assert known > SIZE * progress / 100 - MAX_LOST
    assert service.bytes_read() < SIZE - known + MAX_BESIDES
    check_whole(service, game)


def test_a_stopped_server_ends_soon_and_resumes_at_the_next_start(service: Service) -> None:
    game, task = begin(service)

    began = time.monotonic()
    status = service.stop()
    took = time.monotonic() - began

    service.start()
    ended = service.finish(task)
    assert (status, took < MAX_STOP_SECONDS, ended["success"]) == (0, True, True), ended
    assert service.bytes_read() < SIZE - known_bytes(ended["log"]) + MAX_BESIDES
    check_whole(service, game)
