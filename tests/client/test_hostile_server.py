"""Servers that mean harm: nothing is written outside of the folder, and nothing goes on for ever."""

import os
from typing import Any

import pytest
import zstandard

from client.installations import Player, tree
from client.lying_server import HostileServer, HostileVersion
from playdock_client.errors import (
    BadManifest,
    BadResponse,
    ClientError,
    DiskError,
    NotSignedIn,
    ServerUnavailable,
    WrongBytes,
)
from playdock_client.installing import FetchOptions, read_installation


def _path(path: str) -> Any:
    return lambda manifest: manifest["files"][0].update(path=path)


@pytest.mark.parametrize("path", ["../stolen", "/tmp/stolen", "a/../../stolen", ".playdock/lock", "..\\stolen"])
def test_paths_outside_the_folder_are_rejected(hostile: HostileServer, player: Player, path: str) -> None:
    hostile.serve(HostileVersion("v1", {"a": b"x"}, edit=_path(path)))

    with pytest.raises(BadManifest):
        player.install()
    assert tree(player.folder.parent).keys() <= {"game/.playdock/lock"}


def test_files_behind_a_symlink_are_rejected(hostile: HostileServer, player: Player) -> None:
    hostile.serve(HostileVersion("v1", {"way/x": b"x"}, links={"way": ".."}))

    with pytest.raises(BadManifest):
        player.install()


def test_wrong_bytes_are_requested_three_times_and_never_installed(hostile: HostileServer, player: Player) -> None:
    hostile.serve(HostileVersion("v1", {"a": b"right"}))
    hostile.tamper = lambda body: b"wrong"[: len(body)]
    player.options = FetchOptions(compress=False)

    with pytest.raises(WrongBytes, match="3 times"):
        player.install()
    assert len(hostile.fetches()) == 3
    assert player.files() == {}


def test_a_decompression_bomb_is_rejected(hostile: HostileServer, player: Player) -> None:
    hostile.serve(HostileVersion("v1", {"a": b"right"}))
    bomb = zstandard.compress(bytes(200_000_000))
    hostile.tamper = lambda body: bomb[: len(body)]
    player.options = FetchOptions(compress=True)

    with pytest.raises(ClientError):
        player.install()


def test_the_manifest_of_another_version_is_rejected(hostile: HostileServer, player: Player) -> None:
    hostile.serve(HostileVersion("v1", {"a": b"x"}, edit=lambda manifest: manifest.update(version="v2")))

    with pytest.raises(BadManifest, match="another version"):
        player.install()


DEEP = b"[" * 100_000 + b"]" * 100_000


@pytest.mark.parametrize(
    "manifest", [DEEP, b'{"format": 1, "more": ' + DEEP + b"}", b'{"format": 1, "files": ' + DEEP + b"}"]
)
def test_a_deeply_nested_manifest_is_refused(hostile: HostileServer, player: Player, manifest: bytes) -> None:
    version = HostileVersion("v1", {"a": b"x"})
    version.__dict__["manifest"] = manifest
    hostile.serve(version)

    with pytest.raises(BadManifest, match="Nothing was changed"):
        player.install()


def test_a_redirect_is_not_followed(hostile: HostileServer, player: Player) -> None:
    hostile.serve(HostileVersion("v1", {"a": b"x"}))
    hostile.refusals = [(302, {"Location": "http://127.0.0.1:9/steal"})]

    with pytest.raises(BadResponse, match="redirects to"):
        player.install()


def test_an_unreachable_server_is_reported(player: Player) -> None:
    with Player.at("http://127.0.0.1:9", player.folder) as stranded:
        stranded.server.retry_seconds = 0.1
        with pytest.raises(ServerUnavailable, match="cannot be reached"):
            stranded.install()


@pytest.mark.parametrize("address", ["ftp://a", "http://", "https://a/path?query", "http://u:p@a", "http://a:x", "a b"])
def test_an_invalid_address_is_rejected(player: Player, address: str) -> None:
    with pytest.raises(ServerUnavailable), Player.at(address, player.folder):
        pass


def test_a_token_cannot_inject_headers(player: Player) -> None:
    with pytest.raises(NotSignedIn), Player.at(player.server.address, player.folder, token="a\r\nX: y"):
        pass


@pytest.mark.skipif(os.name == "nt", reason="links need a right on Windows")
def test_the_clients_own_folder_must_not_be_a_symlink(hostile: HostileServer, player: Player) -> None:
    hostile.serve(HostileVersion("v1", {"a": b"x"}))
    elsewhere = player.folder.parent / "elsewhere"
    elsewhere.mkdir()
    player.folder.mkdir()
    (player.folder / ".playdock").symlink_to(elsewhere)

    with pytest.raises(DiskError, match="is a link"):
        player.install()
    assert not list(elsewhere.iterdir())


def test_a_switch_file_cannot_name_paths_outside_the_folder(hostile: HostileServer, player: Player) -> None:
    outside = player.folder.parent / "precious"
    outside.write_bytes(b"mine")
    switch = b'{"remove":["../precious"],"aside":[],"links":[],"execute":[]}'
    player.put(".playdock/switch.json", switch)

    with pytest.raises(DiskError, match="is not in the installation"):
        read_installation(player.folder)
    assert outside.exists()


def test_an_installation_restarts_if_the_version_changes(hostile: HostileServer, player: Player) -> None:
    old, new = HostileVersion("v1", {"a": b"1" * 3_000_000}), HostileVersion("v1", {"a": b"2" * 3_000_000})
    hostile.serve(old)

    def change(body: bytes) -> bytes:
        hostile.serve(new)
        return body

    hostile.tamper = change
    player.options = FetchOptions(connections=1)
    player.install()

    assert player.files() == new.files
