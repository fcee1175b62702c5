"""Bounds in the conformance list of Drop's protocol: large files, many files, long chains, and what ends early."""

import hashlib
import json
import os
import socket
from pathlib import Path

import pytest

from databases import SqliteDatabases
from waiting import wait_until
from world import World, running_world

from .arcade import Arcade, add_version, open_arcade

CHUNK = 64 * 1024 * 1024


@pytest.fixture
def arcade(embedded_world: World) -> Arcade:
    return open_arcade(embedded_world)


def put_sparse(arcade: Arcade, path: str, size: int) -> Path:
    file = arcade.world.put(path, b"")
    os.truncate(file, size)
    return file


def test_files_of_about_a_chunk_are_cut_where_a_client_expects_it(arcade: Arcade) -> None:
    lengths = {"below": [CHUNK - 1], "exact": [CHUNK], "three": [CHUNK, CHUNK, 1]}
    for name, parts in lengths.items():
        put_sparse(arcade, f"Portal/2.0/{name}", sum(parts))
    add_version(arcade, "2.0", launch="below")
    manifest = arcade.client.manifest(arcade.game, "2.0")
    assert {name: file["lengths"] for name, file in manifest.items()} == lengths
    md5 = {length: hashlib.md5(bytes(length)).hexdigest() for length in (1, CHUNK - 1, CHUNK)}
    for name, parts in lengths.items():
        assert manifest[name]["checksums"] == [md5[length] for length in parts]
        assert len(set(manifest[name]["ids"])) == len(set(parts))
    context = arcade.client.context(arcade.game, "2.0")
    assert arcade.client.chunks(context, [("three", 2)]).content == b"\0"
    for name, index in (("below", 1), ("exact", 1), ("three", 3)):
        assert arcade.client.chunks(context, [(name, index)]).status_code == 400


def test_a_client_requests_5000_different_files_at_once(arcade: Arcade) -> None:
    names = [f"{number:04}" for number in range(5000)]
    for name in names:
        arcade.world.put(f"Portal/2.0/{name}", name.encode())
    add_version(arcade, "2.0", launch="0000")
    got = arcade.client.chunks(arcade.client.context(arcade.game, "2.0"), [(name, 0) for name in reversed(names)])
    assert (got.status_code, got.content) == (200, "".join(reversed(names)).encode())
    assert got.headers["content-lengths"] == ",".join(["4"] * 5000)


def test_deltas_are_merged_over_three_levels_and_over_versions_of_other_platforms(
    arcade: Arcade, tmp_path: Path
) -> None:
    world = arcade.world
    world.put("Portal/1.1/small/1", b"second")
    world.put("Portal/1.1/small/2", b"second")
    world.put("Portal/1.1-windows/game.exe", b"MZ")
    world.put("Portal/1.2/small/2", b"third")
    add_version(arcade, "1.1", delta=True, launch="bin/game")
    add_version(arcade, "1.1-windows", platform="Windows", launch="game.exe")
    add_version(arcade, "1.2", delta=True, launch="bin/game")
    manifest = arcade.client.manifest(arcade.game, "1.2")
    assert [manifest[f"small/{number}"]["versionName"] for number in range(3)] == ["1.0", "1.1", "1.2"]
    assert "game.exe" not in manifest
    arcade.client.install(arcade.game, "1.2", tmp_path / "installed")
    found = [(tmp_path / f"installed/small/{number}").read_bytes() for number in range(3)]
    assert found == [b"0", b"second", b"third"]


def test_a_client_that_disconnects_leaves_no_file_open(arcade: Arcade) -> None:
    large = put_sparse(arcade, "Portal/2.0/large", CHUNK)
    add_version(arcade, "2.0", launch="large")
    context = arcade.client.context(arcade.game, "2.0")
    body = json.dumps({"context": context, "files": [{"filename": "large", "chunkIndex": 0}]})
    host, _, port = arcade.world.address.removeprefix("http://").partition(":")
    header = (
        f"POST /api/v2/client/chunk HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: {arcade.client.header()}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection((host, int(port)), timeout=120) as connection:
        connection.sendall(f"{header}{body}".encode())
        assert connection.recv(4096).startswith(b"HTTP/1.1 200 ")
        wait_until(lambda: is_open(large))
    wait_until(lambda: not is_open(large))


def is_open(file: Path) -> bool:
    """Return whether this process, which also runs the service, has a file open."""
    found = []
    for descriptor in Path("/proc/self/fd").iterdir():
        # Others are closed at the same time.
        try:
            found.append(descriptor.readlink())
        except FileNotFoundError:
            continue
    return file in found


def test_a_context_outlives_a_restart(sqlite_databases: SqliteDatabases, tmp_path: Path) -> None:
    address = sqlite_databases.fresh(tmp_path / "data")
    with running_world(tmp_path, database_url=address) as world:
        arcade = open_arcade(world)
        client, context = arcade.client, arcade.client.context(arcade.game, "1.0")
    with running_world(tmp_path, database_url=address) as world:
        client.caller = world.any_user()
        assert client.chunks(context, [("small/7", 0)]).content == b"7"
