"""Folders of a library that are replaced with links to folders outside of it, before and after the import."""

import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from audit import told_of
from served import Doom, write_doom
from versions_to_import import doom as imported_game
from versions_to_import import pack, start, versions
from waiting import wait_until
from world import World


@pytest.fixture
def world(embedded_world: World) -> World:
    """Bytes are the same whatever the database is."""
    return embedded_world


@pytest.fixture
def doom(world: World) -> Doom:
    return write_doom(world)


def copy_outside(doom: Doom) -> Path:
    """Copy the game to a folder outside of the library, with the same names, sizes and times but other bytes."""
    outside = doom.world.folder / "outside"
    shutil.copytree(doom.folder.parent, outside, symlinks=True)
    for path in doom.files:
        copy, status = outside / "1.0" / path, (doom.folder / path).stat()
        copy.write_bytes(bytes(255 - byte for byte in copy.read_bytes()))
        os.utime(copy, ns=(status.st_atime_ns, status.st_mtime_ns))
    return outside


def exchange_game(doom: Doom, outside: Path) -> None:
    doom.folder.parent.rename(doom.world.folder / "before")
    doom.folder.parent.symlink_to(outside)


def exchange_version(doom: Doom, outside: Path) -> None:
    doom.folder.rename(doom.world.folder / "before")
    doom.folder.symlink_to(os.path.relpath(outside / "1.0", doom.folder.parent))


@pytest.mark.parametrize("exchange", [exchange_game, exchange_version])
def test_a_folder_that_became_a_link_is_not_served(doom: Doom, exchange: Callable[[Doom, Path], None]) -> None:
    asked: list[tuple[str, dict[str, Any]]] = [
        ("content", {"Range": "bytes=0-99"}),
        ("files/doom", {"Range": "bytes=0-99"}),
        ("files/doom", {}),
        ("archive.zip", {}),
    ]
    for what, headers in asked * 2:
        assert doom.get(what, **headers).status_code in (200, 206)
    exchange(doom, copy_outside(doom))

    for what, headers in asked:
        refused = doom.get(what, **headers)
        assert (what, refused.status_code, refused.json()["type"]) == (what, 409, "content-changed")


@pytest.mark.parametrize(
    "make_target", [lambda store, _: store, lambda store, link: os.path.relpath(store, link.parent)]
)
def test_a_version_may_be_moved_behind_a_link_inside_its_library(doom: Doom, make_target: Any) -> None:
    store = doom.world.games / "store"
    doom.folder.rename(store)
    doom.folder.symlink_to(make_target(store, doom.folder))

    for _ in range(2):
        assert doom.get("files/doom", Range="bytes=10-19").content == doom.files["doom"][10:20]
        assert doom.get().content == doom.image


@pytest.mark.parametrize("name", ["1.0", "1.0.zip"])
def test_an_import_does_not_follow_a_link_that_appeared_after_the_listing(world: World, name: str) -> None:
    outside = world.folder / "outside"
    (outside / "1.0").mkdir(parents=True)
    (outside / "1.0/doom").write_bytes(b"secret")
    pack(outside / "1.0.zip", {"doom": b"secret"})
    world.put("Doom/1.0/doom", b"a game")
    pack(world.games / "Doom/1.0.zip", {"doom": b"a game"})
    admin, game = imported_game(world)
    version = world.games / "Doom" / name

    def receive_request(opened: object) -> None:
        """Exchange the version before the task opens it."""
        in_task = threading.current_thread().name.startswith("tasks-")
        if in_task and opened == name and not version.is_symlink():
            version.rename(world.folder / "before")
            version.symlink_to(outside / name)

    with told_of("open", receive_request):
        task = start(admin, game, name).json()["taskId"]
        wait_until(lambda: any("missing" in line for line in admin.get(f"/api/v1/task/{task}").json()["log"]))
    assert version.is_symlink()
    version.unlink()
    (world.folder / "before").rename(version)
    world.clock.advance(seconds=3)

    assert world.finish(admin, task)["success"]
    [imported] = versions(admin, game)
    assert admin.get(f"/api/v1/versions/{imported['id']}/files/doom").content == b"a game"
