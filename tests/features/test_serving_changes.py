"""Files that were changed since their import, and readers who are slow, gone or many."""

import os
import re
import time
from pathlib import Path
from random import Random
from typing import Any

import httpx2
import pytest
from blake3 import blake3

from served import MIB, Doom, connection, open_files_below, rewrite, write_doom
from waiting import wait_until
from world import World


@pytest.fixture
def world(embedded_world: World) -> World:
    """Bytes are the same whatever the database is."""
    return embedded_world


@pytest.fixture
def doom(world: World) -> Doom:
    return write_doom(world)


# --- Files that are not as they were imported ---


def grow(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"more")


def exchange_for_link(path: Path) -> None:
    path.rename(path.with_name("away"))
    path.symlink_to("away")


FAULTS = [rewrite, grow, Path.unlink, exchange_for_link, lambda path: os.utime(path, (1, 1))]


@pytest.mark.parametrize("fault", FAULTS, ids=["rewritten", "grown", "gone", "a link", "touched"])
@pytest.mark.parametrize("path", ["doom", "small/150"])
def test_a_changed_file_is_never_sent(doom: Doom, path: str, fault: Any) -> None:
    fault(doom.folder / path)
    start = doom.image.index(doom.files[path])
    for what, asked in (("content", f"bytes={start}-{start + 99}"), (f"files/{path}", "bytes=0-99")):
        refused = doom.get(what, Range=asked)
        assert (refused.status_code, refused.json()["type"]) == (409, "content-changed")
        assert path in refused.json()["detail"]
        assert str(doom.world.folder) not in refused.text


def test_unchanged_files_are_still_sent(doom: Doom) -> None:
    rewrite(doom.folder / "doom")
    assert doom.get("files/data/wad").content == doom.files["data/wad"]


def test_a_changed_file_late_in_a_response_aborts_the_connection(world: World) -> None:
    for number in range(600):
        world.put(f"Doom/1.0/{number:03}", bytes([number % 256]) * 20_000)
    admin = world.admin()
    game = world.import_game(admin, world.library(admin), "Doom")
    assert world.import_version(admin, game, "1.0", launch="000")["success"]
    version = admin.get(f"/api/v1/games/{game}/versions").json()[0]["id"]
    rewrite(world.games / "Doom/1.0/599")
    with pytest.raises(httpx2.HTTPError):
        admin.get(f"/api/v1/versions/{version}/content")


def test_an_unavailable_library_is_reported_as_503(doom: Doom) -> None:
    doom.world.games.rename(doom.world.folder / "elsewhere")
    refused = doom.get("files/doom")
    assert (refused.status_code, refused.json()["type"]) == (503, "content-unavailable")
    (doom.world.folder / "elsewhere").rename(doom.world.games)
    assert doom.get("files/doom").status_code == 200


# --- Readers ---


@pytest.fixture
def long_game(world: World) -> Doom:
    """A game with one file that no socket takes at once."""
    content = Random(2).randbytes(MIB) * 24
    world.put("Doom/1.0/doom", content)
    admin = world.admin()
    game = world.import_game(admin, world.library(admin), "Doom")
    assert world.import_version(admin, game, "1.0", launch="doom")["success"]
    version = admin.get(f"/api/v1/games/{game}/versions").json()[0]["id"]
    return Doom(world, admin, admin, game, version, {"doom": content})


def test_a_slow_client_receives_every_byte(long_game: Doom) -> None:
    with connection(long_game) as reader:
        head = b""
        while b"\r\n\r\n" not in head:
            head += reader.recv(1000)
        length = int(re.search(rb"content-length: (\d+)", head, re.IGNORECASE)[1])  # type: ignore[index]
        begun = head.partition(b"\r\n\r\n")[2]
        hashed, left = blake3(begun), length - len(begun)
        while left:
            time.sleep(0.005)
            piece = reader.recv(min(left, 500_000))
            hashed.update(piece)
            left -= len(piece)
    assert hashed.digest() == blake3(long_game.image).digest()


def test_files_are_closed_when_the_client_disconnects(long_game: Doom) -> None:
    with connection(long_game) as reader:
        assert reader.recv(1000).startswith(b"HTTP/1.1 200")
        wait_until(lambda: open_files_below(long_game.folder))
    wait_until(lambda: not open_files_below(long_game.folder))


def test_stalled_clients_do_not_block_others(long_game: Doom) -> None:
    readers = [connection(long_game) for _ in range(30)]
    try:
        assert long_game.get(Range="bytes=0-99").content == long_game.image[:100]
        assert long_game.get().content == long_game.image
    finally:
        for reader in readers:
            reader.close()


def test_a_connection_can_be_reused(long_game: Doom) -> None:
    for _ in range(3):
        assert long_game.get().content == long_game.image
        assert long_game.get(Range="bytes=5-9").content == long_game.image[5:10]


def test_a_malformed_request_is_answered_after_the_file_before_it(long_game: Doom) -> None:
    with connection(long_game) as reader:
        received = bytearray(reader.recv(1000))
        reader.sendall(b"\x00\x01 rubbish\r\n\r\n")
        while piece := reader.recv(1_000_000):
            received += piece
    body = bytes(received.partition(b"\r\n\r\n")[2])
    length = len(long_game.image)
    assert (body[:length], body[length : length + 12]) == (long_game.image, b"HTTP/1.1 400")


def test_a_changed_file_leaks_no_file_descriptors(doom: Doom) -> None:
    rewrite(doom.folder / "data/wad")
    doom.get("content?frames=zstd")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(20):
        assert doom.get("content?frames=zstd").status_code == 409
    assert len(list(Path("/proc/self/fd").iterdir())) < before + 10


def test_an_unmounted_disk_is_not_reported_as_damage(doom: Doom) -> None:
    doom.world.games.rename(doom.world.folder / "elsewhere")
    doom.world.games.mkdir()
    assert doom.get("files/doom").status_code == 503
    doom.world.games.rmdir()
    (doom.world.folder / "elsewhere").rename(doom.world.games)
    assert doom.admin.get("/api/v1/admin/damage").json() == []


def test_a_download_started_before_a_reimport_reports_no_damage(long_game: Doom) -> None:
    with connection(long_game) as reader:
        assert reader.recv(1000).startswith(b"HTTP/1.1 200")
        rewrite(long_game.folder / "doom")
        again = long_game.admin.post(f"/api/v1/admin/version/{long_game.version}/import")
        assert long_game.world.finish(long_game.admin, again.json()["taskId"])["success"]
        while reader.recv(1_000_000):
            pass
    assert long_game.admin.get("/api/v1/admin/damage").json() == []


def test_changed_file_times_change_the_etag_of_the_archive(doom: Doom) -> None:
    before = doom.head("archive.zip").headers["etag"]
    os.utime(doom.folder / "doom", (1_500_000_000, 1_500_000_000))
    again = doom.admin.post(f"/api/v1/admin/version/{doom.version}/import")
    assert doom.world.finish(doom.admin, again.json()["taskId"])["success"]
    assert doom.head("archive.zip").headers["etag"] != before
    assert doom.get("archive.zip", Range="bytes=0-9", If_Range=before).status_code == 200
