"""Browsing and installing with a client of Drop 0.3."""

import hashlib
import os
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playdock.content.file_table import FileTable
from playdock.content.records import FileRecord, Layer, LinkRecord
from playdock.features.drop_bridge import rules
from spoiling import reimport
from world import World

from .arcade import NAMES, Arcade, add_version, open_arcade, same
from .client import error_of, sign_in

MIB = 1024 * 1024
CHUNK = 64 * MIB
EMPTY = "d41d8cd98f00b204e9800998ecf8427e"


@pytest.fixture
def world(embedded_world: World) -> World:
    return embedded_world


@pytest.fixture
def arcade(world: World) -> Arcade:
    return open_arcade(world)


def test_a_client_browses(arcade: Arcade) -> None:
    client, game = arcade.client, arcade.game
    assert client.get("/api/v1/client/user/library") == []
    entry = "/api/v1/client/collection/default/entry"
    assert client.call("POST", entry, {"id": game}).status_code == 200
    (shown,) = client.get("/api/v1/client/user/library")
    texts = ("id", "mName", "mShortDescription", "mDescription", "mIconObjectId", "mBannerObjectId", "mCoverObjectId")
    assert {type(shown[name]) for name in (*texts, "type", "libraryPath")} == {str}
    assert {type(shown[name]) for name in ("mImageLibraryObjectIds", "mImageCarouselObjectIds")} == {list}
    assert client.get(f"/api/v1/client/game/{game}") == shown
    image = client.call("GET", f"/api/v1/client/object/{shown['mCoverObjectId']}")
    assert (image.status_code, image.headers["content-type"]) == (200, "image/png")
    assert error_of(client.call("GET", "/api/v1/client/game/nothing"))[0] == 404
    assert error_of(client.call("GET", "/api/v1/client/object/nothing"))[0] == 404
    assert client.get("/api/v1/client/news", order="desc") == []
    default = client.get("/api/v1/client/collection/default")
    assert (default["isDefault"], default["entries"][0]["game"]) == (True, shown)
    assert client.call("DELETE", entry, {"id": game}).json() is True
    made = client.call("POST", "/api/v1/client/collection", {"name": "Best"}).json()
    place = f"/api/v1/client/collection/{made['id']}"
    assert client.call("POST", f"{place}/entry", {"id": game}).status_code == 200
    assert client.get("/api/v1/client/collection")[0]["entries"][0]["gameId"] == game
    assert client.call("DELETE", f"{place}/entry", {"id": game}).json() is True
    assert client.get(place)["entries"] == []
    assert client.call("DELETE", place).json() is True
    assert error_of(client.call("GET", place))[0] == 404


def test_a_client_reads_versions(arcade: Arcade) -> None:
    client, game = arcade.client, arcade.game
    arcade.world.put("Portal/2.0/program")
    add_version(arcade, "2.0", platform="macOS")
    newest, version = client.get("/api/v1/client/game/versions", id=game)
    assert (newest["versionName"], newest["platform"], newest["launchArgs"]) == ("2.0", "MacOs", [""])
    assert version == {
        "gameId": game,
        "versionName": "1.0",
        "platform": "Linux",
        "launchCommand": "bin/game",
        "launchArgs": ["-w", "640"],
        "launchCommandTemplate": "{}",
        "setupCommand": "",
        "setupArgs": [""],
        "setupCommandTemplate": "{}",
        "onlySetup": False,
        "versionIndex": 1,
        "delta": False,
        "umuIdOverride": None,
    }
    assert client.get("/api/v1/client/game/version", id=game, version="1.0") == version
    assert error_of(client.call("GET", "/api/v1/client/game/version", id=game, version="2"))[0] == 404
    assert error_of(client.call("GET", "/api/v1/client/game/manifest", id=game, version="2"))[0] == 400


def test_a_client_installs_a_folder_and_a_delta(arcade: Arcade, tmp_path: Path) -> None:
    world, client, game = arcade.world, arcade.client, arcade.game
    client.install(game, "1.0", tmp_path / "first")
    same(tmp_path / "first", world.games / "Portal/1.0")
    assert os.access(tmp_path / "first/bin/game", os.X_OK)
    manifest = client.manifest(game, "1.0")
    assert manifest["empty"]["checksums"] == [EMPTY]
    assert all(file["permissions"] & 0o600 == 0o600 for file in manifest.values())
    world.put("Portal/1.1/small/5", b"changed")
    world.put("Portal/1.1/added", b"new")
    add_version(arcade, "1.1", delta=True, launch="added")
    client.install(game, "1.1", tmp_path / "second")
    assert (tmp_path / "second/small/5").read_bytes() == b"changed"
    assert (tmp_path / "second/small/6").read_bytes() == b"6"
    merged = client.manifest(game, "1.1")
    assert (merged["small/5"]["versionName"], merged["small/6"]["versionName"]) == ("1.1", "1.0")


def test_a_client_installs_an_archive_and_a_sparse_file(arcade: Arcade, tmp_path: Path) -> None:
    world, client, game = arcade.world, arcade.client, arcade.game
    source = world.games / "Portal/1.0"
    with zipfile.ZipFile(world.games / "Portal/2.0.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in NAMES:
            archive.write(source / name, name)
    add_version(arcade, "2.0.zip", launch="bin/game")
    client.install(game, "2.0.zip", tmp_path / "archive")
    for name in NAMES:
        assert (tmp_path / "archive" / name).read_bytes() == (source / name).read_bytes()
    with world.put("Portal/3.0/large").open("r+b") as large:
        large.truncate(CHUNK + 1)
    add_version(arcade, "3.0", launch="large")
    assert client.manifest(game, "3.0")["large"]["lengths"] == [CHUNK, 1]
    client.install(game, "3.0", tmp_path / "sparse")
    same(tmp_path / "sparse", world.games / "Portal/3.0")


def test_chunks_are_sent_in_their_order(arcade: Arcade) -> None:
    client, game = arcade.client, arcade.game
    context = client.context(game, "1.0")
    got = client.chunks(context, [("small/12", 0), ("empty", 0), ("small/299", 0)])
    assert (got.content, got.headers["content-lengths"]) == (b"12299", "2,0,3")
    assert client.chunks(context, [("empty", 0)]).content == b""
    assert client.chunks(context, [("bin/link", 0), ("copy/ö ü.txt", 0)]).content.startswith(b"#!/bin/sh\n")
    many = [(f"small/{number % 300}", 0) for number in range(5000)]
    assert client.chunks(context, many).content == b"".join(str(number % 300).encode() for number in range(5000))
    legacy = {"id": game, "version": "1.0", "name": "small/7"}
    assert client.call("GET", "/api/v1/client/chunk", **legacy, chunk="0").content == b"7"
    assert error_of(client.call("GET", "/api/v1/client/chunk", **legacy, chunk="1"))[0] == 400
    assert error_of(client.call("GET", "/api/v1/client/chunk", **legacy, chunk="-1"))[0] == 400


def test_wrong_chunks_are_errors(arcade: Arcade) -> None:
    client, world = arcade.client, arcade.world
    context = client.context(arcade.game, "1.0")
    for name in ("nothing", "../1.0/small/1", "/etc/passwd", "small/../small/1", "small", "__proto__", "small\\1"):
        assert error_of(client.chunks(context, [(name, 0)])) == (400, f"Unknown file: {name}")
    for index in (-1, 1, 1.5, "0", None):
        assert error_of(client.chunks(context, [("small/1", index)]))[0] == 400
    assert error_of(client.chunks("no-context", [("small/1", 0)])) == (400, "Invalid download context.")
    other = sign_in(world, world.person("eve"))
    assert error_of(other.chunks(context, [("small/1", 0)])) == (400, "Invalid download context.")
    assert error_of(client.call("POST", "/api/v2/client/context", {"game": arcade.game, "version": "9"}))[0] == 400
    world.clock.advance(minutes=61)
    client.offset_ms = 61 * 60 * 1000
    assert error_of(client.chunks(context, [("small/1", 0)])) == (400, "Invalid download context.")


def test_a_changed_file_is_an_error_and_never_other_bytes(arcade: Arcade) -> None:
    client, game = arcade.client, arcade.game
    client.manifest(game, "1.0")
    context = client.context(game, "1.0")
    arcade.world.put("Portal/1.0/small/1", b"other")
    assert error_of(client.chunks(context, [("small/0", 0), ("small/1", 0)]))[0] == 409
    assert client.chunks(context, [("small/2", 0)]).content == b"2"
    versions = arcade.player.get(f"/api/v1/games/{game}/versions").json()
    assert versions[0]["damaged"]


def test_a_manifest_of_changed_files_is_an_error(arcade: Arcade) -> None:
    arcade.world.put("Portal/1.0/small/1", b"other")
    answer = arcade.client.call("GET", "/api/v1/client/game/manifest", id=arcade.game, version="1.0")
    assert error_of(answer)[0] == 409


def test_a_context_ends_when_its_version_is_imported_again(arcade: Arcade) -> None:
    client, game, world = arcade.client, arcade.game, arcade.world
    context = client.context(game, "1.0")
    world.put("Portal/1.0/small/1", b"other")
    version = arcade.player.get(f"/api/v1/games/{game}/versions").json()[0]["id"]
    assert reimport(world, arcade.admin, version)["success"]
    assert error_of(client.chunks(context, [("small/2", 0)])) == (400, "Invalid download context.")
    assert client.chunks(client.context(game, "1.0"), [("small/1", 0)]).content == b"other"


def test_errors_below_the_paths_of_clients_are_json(arcade: Arcade) -> None:
    client = arcade.client
    for method, path in (
        ("GET", "/api/v1/client/nothing"),
        ("GET", "/api/v1/client/game/x/y/z"),
        ("DELETE", "/api/v1/client/user"),
        ("POST", "/api/v2/client/chunk"),
        ("POST", "/api/v2/client/context"),
        ("POST", "/api/v1/client/auth/initiate"),
    ):
        assert error_of(client.call(method, path, [1]))[0] in {400, 404, 405}


def test_checksums_are_computed_before_they_are_needed(arcade: Arcade) -> None:
    client, world = arcade.client, arcade.world
    client.get("/api/v1/client/game/versions", id=arcade.game)
    lists = arcade.admin.get("/api/v1/admin/task").json()
    tasks = lists["runningTasks"] + lists["historicalTasks"]
    task = next(each for each in tasks if each["taskGroup"] == "drop:version")
    assert world.finish(arcade.admin, task["id"])["success"]
    arcade.world.put("Portal/1.0/small/1", b"other")
    assert client.manifest(arcade.game, "1.0")["small/1"]["checksums"] == [hashlib.md5(b"1").hexdigest()]


@given(st.integers(0, 5 * CHUNK))
def test_the_chunks_of_a_file_cover_it(size: int) -> None:
    lengths = rules.chunk_lengths(size)
    assert sum(lengths) == size
    assert len(lengths) == rules.count_chunks(size)
    assert set(lengths[:-1]) <= {CHUNK}
    assert rules.chunk_lengths(CHUNK - 1) == [CHUNK - 1]
    assert rules.chunk_lengths(CHUNK) == [CHUNK]
    assert rules.chunk_lengths(0) == [0]


def test_links_are_copies_of_what_they_lead_to() -> None:
    record = FileRecord("lib/a.so.1", 1, 0o644, 0, 0, bytes(32), b"")
    table = FileTable.of_layer(Layer((record,)), image=0)
    links = (LinkRecord("dir", "lib"), LinkRecord("lib/a.so", "a.so.1"), LinkRecord("x", "lib/a.so"))
    found = {each.path: each.file.path for each in rules.installed_paths(table, links)}
    assert found == dict.fromkeys(("lib/a.so.1", "dir/a.so.1", "lib/a.so", "x"), "lib/a.so.1")
