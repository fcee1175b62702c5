"""Killing the server while versions are read again: the old revision is kept, and little is read twice."""

import signal
from typing import Any

from .service import Service, until
from .test_interruption import MANY, write_many_files


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


def test_a_server_killed_during_a_reimport_resumes_it(service: Service) -> None:
    folder = service.folder / "games/Doom/1.0"
    files = write_many_files(folder)
    service.hold_reading(after=2 * MANY - MANY // 2)
    game, versions = stand(service, "1.0")
    manifest = f"/api/v1/versions/{versions['1.0']['id']}/manifest"
    before = service.get(manifest)
    for name in files:
        with (folder / name).open("r+b") as file:
            file.write(b"IWAD")
    task = service.post(f"/api/v1/admin/version/{versions['1.0']['id']}/import", None)["taskId"]
    until_well_on_its_way(service, task, progress=15)
    service.stop(signal.SIGKILL)
    service.release_reading()

    service.start()
    whole = service.get(manifest), service.get(f"/api/v1/games/{game}/versions")
    ended = service.finish(task)

    after = service.get(manifest)
    changed = [new["path"] for old, new in zip(before["files"], after["files"], strict=True) if old != new]
    assert whole == (before, list(versions.values()))
    assert (ended["success"], "have already been read" in "".join(ended["log"])) == (True, True), ended
    assert len(service.release_reading()) < len(files)
    assert (changed, after["size"]) == (sorted(files), before["size"])


def test_files_verified_before_a_power_failure_are_not_read_again(service: Service) -> None:
    whole = write_many_files(service.folder / "games/Doom/1.0")
    damaged = write_many_files(service.folder / "games/Doom/1.1")
    service.hold_reading(after=5 * MANY + MANY // 2)  # imported, verified, and of the second one half read
    stand(service, "1.0", "1.1")
    (service.folder / "games/Doom/1.1" / min(damaged)).unlink()
    task = service.post("/api/v1/admin/task", {"taskGroup": "verify:content"})["id"]
    until_well_on_its_way(service, task, progress=55)
    service.stop(signal.SIGKILL)
    service.release_reading()

    service.start()
    ended = service.finish(task)

    assert ended["success"], ended
    # Those of the version that was verified second. Each is opened for its size, and again to be read.
    assert sorted(set(service.release_reading())) in ([*whole], [*damaged])
    assert [len(each["files"]) for each in service.get("/api/v1/admin/damage")] == [1]
