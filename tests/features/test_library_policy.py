"""Libraries with the service's own data, or outside of the allowed folders, over HTTP."""

import errno
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from audit import told_of
from playdock.cli.server import prepare
from playdock.domain.libraries import queries as library_queries
from served import Doom, write_doom
from versions_to_import import start, unimported
from waiting import wait_until
from world import Caller, World, running_world

SOURCES = "/api/v1/admin/library/sources"


def add(admin: Caller, place: Path) -> httpx2.Response:
    return admin.post(SOURCES, {"name": "Games", "backend": "Filesystem", "options": {"baseDir": str(place)}})


@pytest.fixture
def world(embedded_world: World) -> World:
    """Folders are the same whatever the database is."""
    return embedded_world


@pytest.mark.folder_objects
def test_the_services_own_data_cannot_be_added_as_a_library(world: World) -> None:
    admin, data = world.admin(), world.services.settings.data_dir
    library = world.library(admin)
    (world.folder / "link").symlink_to(data)
    (data / "cache").mkdir(exist_ok=True)

    for place in (data, data.parent, data / "objects", data / "cache", world.folder / "link", Path("/")):
        refused = add(admin, place)
        moved = admin.patch(SOURCES, {"id": library["id"], "options": {"baseDir": str(place)}})
        for response in (refused, moved):
            [fault] = response.json()["errors"]
            assert (response.status_code, fault["field"], fault["code"]) == (400, "options.baseDir", "library-private")
    assert admin.get(SOURCES).json() == [library]


def _imported(world: World) -> Doom:
    doom = write_doom(world)
    assert doom.get("files/doom", Range="bytes=0-9").status_code == 206
    return doom


@pytest.mark.folder_objects
@pytest.mark.parametrize(
    "wanted",
    [
        pytest.param(lambda world: {"data_dir": world.games / "Doom/1.0/data"}, id="data in a version"),
        pytest.param(lambda world: {"data_dir": world.games.parent}, id="data around the library"),
        pytest.param(lambda world: {"library_roots": f"{world.folder / 'data'}"}, id="other roots"),
    ],
)
def test_a_library_that_must_no_longer_be_where_it_is_is_not_used(
    world: World, wanted: Callable[[World], dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    world.put("Doom/2.0/doom")
    doom, objects = _imported(world), world.services.settings.objects_dir
    settings = {"objects_url": str(objects), **wanted(world)}
    with running_world(world.folder, database_url=world.services.settings.database_url, **settings) as moved:
        admin = moved.with_token(doom.admin.token)
        for what, headers in (("files/doom", {"Range": "bytes=0-9"}), ("content", {}), ("archive.zip", {})):
            refused = admin.get(doom.address(what), headers=headers)
            assert (refused.status_code, refused.json()["type"]) == (503, "content-unavailable")
        assert [library["working"] for library in admin.get(SOURCES).json()] == [False]
        assert start(admin, doom.game, "2.0").json()["type"] == "library-unavailable"
        prepare(moved.services)
    told = capsys.readouterr().err
    assert told.startswith("playdock: The library games is not used. ")
    assert told.count("\n") == 1


def test_libraries_can_be_limited_to_folders(tmp_path: Path, sqlite_databases: Any) -> None:
    roots = f"{tmp_path / 'games'}, {tmp_path / 'disk'}"
    (tmp_path / "elsewhere/Doom").mkdir(parents=True)
    (tmp_path / "disk").mkdir()
    (tmp_path / "disk/link").symlink_to("../elsewhere")
    address = sqlite_databases.fresh(tmp_path / "data")
    with running_world(tmp_path, database_url=address, library_roots=roots) as world:
        admin = world.admin()
        world.library(admin)
        for place in (tmp_path / "elsewhere", tmp_path / "disk/link"):
            [fault] = add(admin, place).json()["errors"]
            assert fault["code"] == "library-outside-roots"


def test_an_import_ends_if_the_library_must_not_be_used(world: World) -> None:
    """The service's data are put into the library after the import has been requested."""
    world.put("Doom/1.0/doom")
    admin = world.admin()
    game = world.import_game(admin, world.library(admin), "Doom")
    database = Path(str(world.services.db.url.database))
    copy = world.games / "Doom/1.0/copy"

    def receive_request(opened: object) -> None:
        if opened == "1.0" and threading.current_thread().name.startswith("tasks-") and not copy.exists():
            copy.hardlink_to(database)

    with told_of("open", receive_request):
        task = world.finish(admin, start(admin, game, "1.0").json()["taskId"])

    assert (task["success"], task["error"]["title"]) == (False, "Version unusable")
    assert "belongs to the service's own data" in task["error"]["description"]
    assert unimported(admin, game) == ["1.0"]


# --- Data that cannot be written ---


@pytest.mark.folder_objects
@pytest.mark.parametrize(
    ("number", "words"),
    [(errno.EACCES, "is read-only"), (errno.EROFS, "is read-only"), (errno.ENOSPC, "disk is full")],
)
def test_data_that_cannot_be_written_are_reported(world: World, number: int, words: str) -> None:
    world.put("Doom/1.0/doom")
    admin = world.admin()
    game = world.import_game(admin, world.library(admin), "Doom")
    invitation = world.invitation()

    def refuse(path: object) -> None:
        if "data/objects" in str(path):
            raise OSError(number, "What the system says")

    with told_of("open", refuse), told_of("os.mkdir", refuse):
        refused = world.sign_up(invitation, username="bob")
        task = start(admin, game, "1.0").json()["taskId"]
        wait_until(lambda: any(words in line for line in admin.get(f"/api/v1/task/{task}").json()["log"]))

    assert (refused.status_code, refused.json()["type"]) == (503, "storage-unusable")
    assert words in refused.json()["detail"]
    assert world.sign_up(invitation, username="bob").status_code == 201
    world.clock.advance(seconds=3)
    assert world.finish(admin, task)["success"]


def test_a_folder_is_the_one_of_a_single_library_and_others_may_be_inside(world: World) -> None:
    admin = world.admin()
    library, other = world.library(admin), world.library(admin, world.folder / "other")
    (world.folder / "same").symlink_to(world.games)
    (world.games / "inside").mkdir()
    for place in (world.games, world.folder / "other" / ".." / "games", world.folder / "same"):
        for refused in (
            add(admin, place),
            admin.patch(SOURCES, {"id": other["id"], "options": {"baseDir": str(place)}}),
        ):
            [fault] = refused.json()["errors"]
            assert (refused.status_code, fault["field"], fault["code"]) == (400, "options.baseDir", "library-twice")
    assert add(admin, world.games / "inside").status_code == 201
    kept = admin.patch(SOURCES, {"id": library["id"], "options": {"baseDir": str(world.games)}})
    assert kept.status_code == 200


def test_libraries_that_have_the_same_folder_already_can_be_changed(world: World) -> None:
    admin = world.admin()
    library, other = world.library(admin), world.library(admin, world.folder / "other")
    with world.services.db.write() as session:
        # As an earlier release allowed it.
        library_queries.change(session, other["id"], {"options": {"baseDir": str(world.games), "managed": False}})
    same = {"baseDir": str(world.games)}
    changed = admin.patch(SOURCES, {"id": other["id"], "name": "Second", "options": same})
    assert (changed.status_code, changed.json()["name"]) == (200, "Second")
    assert admin.patch(SOURCES, {"id": library["id"], "options": {**same, "managed": True}}).status_code == 400
