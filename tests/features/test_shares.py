"""Libraries whose place or row goes, hangs or is exchanged while somebody works with it."""

import shutil
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from audit import told_of
from playdock.auth.permissions import Permission
from playdock.domain.libraries import queries
from playdock.features.game_import.service import TASK_TYPE
from playdock.kit.messages import Message
from playdock.stored import ImportGameArguments
from playdock.tasks.enqueueing import enqueue
from playdock.tasks.new_task import NewTask, Queue
from versions_to_import import PRELOAD, doom, start
from waiting import wait_until
from world import Caller, World

_SOURCES = "/api/v1/admin/library/sources"
_OVERVIEW = "/api/v1/admin/library"
_VERSIONS = "/api/v1/admin/import/version"
_THREADS = 40  # that all other calls share
_DISK_THREADS = 8


def _games_status(admin: Caller) -> list[Any]:
    return [each["status"] for each in admin.get(_OVERVIEW).json()["games"]]


def test_an_import_from_a_removed_library_fails_with_a_message(world: World) -> None:
    admin = world.admin()
    library = world.library(admin)
    draft = NewTask(
        task_type=TASK_TYPE,
        name=Message("import-game", game="Doom"),
        subject="game:Doom",
        queue=Queue.DEFAULT,
        acls=(Permission.IMPORT_GAME,),
        arguments=ImportGameArguments(game="doom", library=library["id"], path="Doom"),
    )
    with world.services.db.write() as session:
        task = enqueue(session, draft, at=world.clock())
        queries.remove(session, library["id"])

    ended = world.finish(admin, task)

    assert (ended["success"], ended["error"]["title"]) == (False, "Library removed")
    assert ended["error"]["description"].endswith(".")


def test_a_game_symlinked_out_of_the_library_is_offline_and_not_scanned(world: World) -> None:
    world.put("Doom/1.0/doom")
    admin, _ = doom(world)
    outside = world.folder / "outside"
    (outside / "secret").mkdir(parents=True)
    shutil.rmtree(world.games / "Doom")
    (world.games / "Doom").symlink_to(outside)
    scanned: list[str] = []

    with told_of("os.scandir", lambda place: scanned.append(str(place))):
        status = _games_status(admin)

    assert (status, scanned) == (["offline"], [str(world.games)])


@pytest.mark.parametrize("path", [_VERSIONS, PRELOAD])
def test_an_unreadable_game_folder_is_distinguished_from_an_unavailable_library(world: World, path: str) -> None:
    place = world.put("Doom/1.0/doom").parents[1]
    admin, game = doom(world)

    def vanish(opened: object) -> None:
        if str(opened) == place.name and place.exists():
            place.rename(world.folder / "vanished")

    with told_of("open", vanish):
        answer = admin.get(path, params={"id": game, "version": "1.0"})

    assert (answer.status_code, answer.json()["type"]) == (503, "game-folder-unreadable")
    assert answer.json()["detail"].startswith("The game's folder cannot be read. There is no such folder.")


@pytest.mark.parametrize("removed", ["Doom", "1.0"])
def test_a_library_that_disappears_during_a_call_is_unavailable(world: World, removed: str) -> None:
    """Whatever of it is missed first."""
    world.put("Doom/1.0/doom")
    admin, game = doom(world)

    def vanish(opened: object) -> None:
        if str(opened) == removed and world.games.exists():
            world.games.rename(world.folder / "vanished")

    with told_of("open", vanish):
        answer = start(admin, game, "1.0")

    assert (answer.status_code, answer.json()["type"]) == (503, "library-unavailable")


@contextmanager
def _hanging(world: World) -> Iterator[None]:
    """Let every look into the library hang, as on a share whose server is gone."""
    back = threading.Event()

    def hang(place: object) -> None:
        if str(place) == str(world.games):
            back.wait(600)  # longer than any call is waited for

    with told_of("os.scandir", hang):
        try:
            yield
        finally:
            back.set()


def test_an_unresponsive_library_does_not_block_other_requests(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    admin = world.admin()
    world.put("Doom/1.0/doom")
    library = world.library(admin)
    calls: list[Callable[[Caller], Any]] = [
        lambda caller: caller.get(_SOURCES),
        lambda caller: caller.get(_OVERVIEW),
        lambda caller: caller.get("/api/v1/admin/import/game"),
        lambda caller: caller.patch(_SOURCES, {"id": library["id"], "options": {"baseDir": str(world.games)}}),
        lambda caller: caller.post("/api/v1/admin/import/game", {"library": library["id"], "path": "Doom"}),
    ]
    hanging = calls * (_THREADS // len(calls) + 1)
    monkeypatch.setattr(world.services.disk_threads, "_max_wait", 0.05)
    callers = [world.with_token(admin.token) for _ in hanging]

    with ThreadPoolExecutor(len(hanging)) as pool:
        with _hanging(world):
            answers = [pool.submit(call, caller) for call, caller in zip(hanging, callers, strict=True)]
            wait_until(lambda: sum(answer.done() for answer in answers) >= len(hanging) - _DISK_THREADS)
            program = world.token_of(admin, "system:user:read")
            users = program.get("/api/v1/admin/users", timeout=120)
            refused = [answer.result() for answer in answers if answer.done() and answer.result().status_code == 503]
        statuses = {answer.result().status_code for answer in answers}

    assert users.status_code == 200
    assert {(answer.json()["type"], answer.headers["Retry-After"]) for answer in refused} == {("disk-busy", "10")}
    assert statuses <= {200, 202, 409, 503}


def test_an_unresponsive_library_does_not_block_compressed_downloads_of_others(world: World) -> None:
    admin = world.admin()
    bases = [world.folder / "share", world.folder / "disk"]
    urls = [_compressed_content_of_game_in(world, admin, base) for base in bases]
    back, waiting = threading.Event(), threading.Semaphore(0)

    def hang(opened: object) -> None:
        if str(opened) == str(bases[0]):
            waiting.release()
            back.wait(600)

    threads = world.services.compressing.count
    with ThreadPoolExecutor(threads + 1) as pool, told_of("open", hang):
        try:
            hanging = [pool.submit(world.with_token(admin.token).get, urls[0]) for _ in range(threads + 1)]
            for _ in range(threads):
                assert waiting.acquire(timeout=120)
            assert admin.get(urls[1], timeout=60).status_code == 200
        finally:
            back.set()
        assert {each.result().status_code for each in hanging} == {200}


def _compressed_content_of_game_in(world: World, admin: Caller, base: Path) -> str:
    """Import a game from a new library, and return the URL of its compressed content."""
    name = f"Doom on {base.name}"
    (base / name / "1.0").mkdir(parents=True)
    (base / name / "1.0/doom").write_bytes(b"content")
    game = world.import_game(admin, world.library(admin, base), name)
    assert world.import_version(admin, game, "1.0", launch="doom")["success"]
    version = admin.get(f"/api/v1/games/{game}/versions").json()[0]["id"]
    return f"/api/v1/versions/{version}/content?frames=zstd"
