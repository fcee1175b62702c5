"""Power cuts and stops in the middle of an import: nothing is lost, nothing is half there, little is read again."""

import re
import signal
import time

from loopback import deaf

from .service import Service, until

GIB = 1024**3
SIZE = 4 * GIB
FILES = 2  # no more, so that a machine with many cores does not read them in a moment
FOLDERS = 60
# Digests are written down twice a second; at 4 GB/s that would be this much.
MOST_LOST = 2 * GIB
# What a server reads besides: its own program, its database, its manifests.
MOST_BESIDES = 300 * 1024 * 1024


def lay_large_version(service: Service) -> None:
    """Files without content, which cost no space and nearly as much time as others."""
    version = service.folder / "games/Doom/1.0"
    version.mkdir(parents=True)
    (version / "game").write_bytes(b"#!/bin/sh\n")
    for number in range(FILES):
        with (version / f"{number}.wad").open("wb") as file:
            file.truncate(SIZE // FILES)


def begin(service: Service) -> tuple[str, str]:
    """Start the import of a version that takes a while; give the game and the task when it is well on its way."""
    lay_large_version(service)
    service.start()
    service.sign_up(service.invitations[0])
    game = service.import_game(service.folder / "games", "Doom")
    task = service.start_import(game, "1.0")
    until(lambda: service.get(f"/api/v1/task/{task}")["progress"] > 15, what="progress")
    return game, task


def test_a_killed_server_goes_on_with_a_run_and_imports_nothing_twice(service: Service) -> None:
    games = service.folder / "games"
    for number in range(FOLDERS):
        version = games / f"Game {number}" / "1.0"
        version.mkdir(parents=True)
        (version / "start.sh").write_bytes(b"#!/bin/sh\n")
    service.start()
    service.sign_up(service.invitations[0])
    service.add_library(games)
    service.finish(service.get("/api/v1/admin/import/plan")["taskId"])
    started = service.post("/api/v1/admin/import/plan", {"atLeast": 0})
    until(lambda: service.get(f"/api/v1/task/{started['taskId']}")["progress"] > 20, what="progress")
    service.stop(signal.SIGKILL)

    service.start()
    assert service.finish(started["taskId"])["success"]

    run = service.get(f"/api/v1/admin/import/run/{started['runId']}")
    imported = [each["game"]["libraryPath"] for each in service.get("/api/v1/admin/library")["games"]]
    assert (run["imported"], run["failed"]) == (FOLDERS, 0)
    assert sorted(imported) == sorted(folder.name for folder in games.iterdir())


def test_a_provider_that_does_not_answer_keeps_nobody_from_stopping_or_cancelling(service: Service) -> None:
    hades = service.folder / "games/Hades/1.0"
    hades.mkdir(parents=True)
    (hades / "steam_appid.txt").write_bytes(b"1145360")
    with deaf() as address:
        service.more = {f"STEAM_{what}_URL": address for what in ("API", "COMMUNITY", "STORE", "IMAGE", "ICON")}
        service.more["METADATA_PROVIDERS"] = "Steam"
        service.start()
        service.sign_up(service.invitations[0])
        service.add_library(service.folder / "games")
        task = service.get("/api/v1/admin/import/plan")["taskId"]
        until(lambda: service.get(f"/api/v1/task/{task}")["log"], what="the beginning of the plan")

        began = time.monotonic()
        status = service.stop()
        took = time.monotonic() - began

        service.start()
        until(lambda: len(service.get(f"/api/v1/task/{task}")["log"]) > 1, what="the plan to go on")
        assert service.request("DELETE", f"/api/v1/admin/task/{task}").is_success
        cancelled = time.monotonic()
        ended = service.finish(task)
        waited = time.monotonic() - cancelled
    assert (status, took < 5, ended["error"]["title"], waited < 10) == (0, True, "Cancelled", True), (took, waited)


def known_bytes(log: list[str]) -> int:
    """What the log says had been read before."""
    told = re.search(r"([\d,]+) bytes, were read before", "".join(log))
    assert told, log
    return int(told[1].replace(",", ""))


def check_whole(service: Service, game: str) -> None:
    [version] = service.get(f"/api/v1/games/{game}/versions")
    manifest = service.get(f"/api/v1/versions/{version['id']}/manifest")
    assert version["size"] == manifest["size"] == SIZE + 10
    assert [sum(length for length, _ in file["chunks"]) for file in manifest["files"]] == [SIZE // FILES] * FILES + [10]


def test_a_killed_server_goes_on_with_its_import_by_itself(service: Service) -> None:
    game, task = begin(service)
    progress = service.get(f"/api/v1/task/{task}")["progress"]
    assert service.get(f"/api/v1/games/{game}/versions") == []
    service.stop(signal.SIGKILL)

    service.start()
    assert service.get(f"/api/v1/games/{game}/versions") == []
    ended = service.finish(task)

    assert (ended["success"], progress < 99) == (True, True), ended
    known = known_bytes(ended["log"])
    assert known > SIZE * progress / 100 - MOST_LOST
    assert service.bytes_read() < SIZE - known + MOST_BESIDES
    check_whole(service, game)


def test_a_stopped_server_ends_within_five_seconds_and_goes_on_at_the_next_start(service: Service) -> None:
    game, task = begin(service)

    began = time.monotonic()
    status = service.stop()
    took = time.monotonic() - began

    service.start()
    ended = service.finish(task)
    assert (status, took < 5, ended["success"]) == (0, True, True), ended
    assert service.bytes_read() < SIZE - known_bytes(ended["log"]) + MOST_BESIDES
    check_whole(service, game)
