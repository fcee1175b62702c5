"""Browsing, installing and updating with a client of Drop 0.4."""

import hashlib
import hmac
import shlex
import time
import zipfile
from base64 import urlsafe_b64encode
from pathlib import Path
from typing import Any

import httpx2
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import ECB
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given
from hypothesis import strategies as st

from playdock.content.file_table import ServedFile
from playdock.features.drop_bridge.bundles import pack
from playdock.features.drop_bridge.cipher import CounterCipher, encrypted
from playdock.features.drop_bridge.rules import CHUNK_BYTES, command_line
from spoiling import reimport
from world import World

from .arcade import NAMES, Arcade, add_version, open_arcade, same
from .client import error_of, sign_in

MIB = 1024 * 1024


@pytest.fixture
def world(embedded_world: World) -> World:
    return embedded_world


@pytest.fixture
def arcade(world: World) -> Arcade:
    return open_arcade(world)


def bundle_of(arcade: Arcade, version: str, previous: str = "") -> dict[str, Any]:
    answer = arcade.client.get_v2("/api/v1/client/game/manifest", id=arcade.game, version=version, previous=previous)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def decrypted(data: bytes, key: bytes, iv: bytes) -> bytes:
    """Decrypt as the protocol describes it: the first half of the IV counts, as a little-endian number."""
    counter, count = int.from_bytes(iv[:8], "little"), -(-len(data) // 16)
    blocks = [((counter + number) % 2**64).to_bytes(8, "little") + iv[8:] for number in range(count)]
    stream = Cipher(AES(key), ECB()).encryptor().update(b"".join(blocks))[: len(data)]
    return (int.from_bytes(data, "big") ^ int.from_bytes(stream, "big")).to_bytes(len(data), "big")


def install(arcade: Arcade, version: str, folder: Path, previous: str = "") -> dict[str, Any]:
    """Download what a version needs beyond the previous one, and write it as the client does."""
    bundle = bundle_of(arcade, version, previous)
    endpoint = arcade.client.get_v2("/api/v1/client/depots").json()[0]["endpoint"].removeprefix(arcade.world.address)
    streams: list[tuple[bytes, bytes]] = []
    downloaded = 0
    for version_id, manifest in bundle["manifests"].items():
        for chunk_id, chunk in manifest["chunks"].items():
            key, iv = bytes(manifest["key"]), bytes(chunk["iv"])
            streams.append((key, iv))
            answer = arcade.client.get_v2(f"{endpoint}content/{arcade.game}/{version_id}/{chunk_id}")
            assert answer.status_code == 200, answer.text
            assert int(answer.headers["content-length"]) == len(answer.content)
            plain = decrypted(answer.content, key, iv)
            assert hashlib.sha256(plain).hexdigest() == chunk["checksum"]
            assert {bundle["fileList"][piece["filename"]] for piece in chunk["files"]} == {version_id}
            downloaded += len(plain)
            _write(folder, chunk["files"], plain)
    assert len(set(streams)) == len(streams)
    assert downloaded == bundle["downloadSize"]
    return bundle


def _write(folder: Path, pieces: list[dict[str, Any]], plain: bytes) -> None:
    assert len(pieces) <= 512
    position = 0
    for piece in pieces:
        place = folder / piece["filename"]
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("r+b" if place.exists() else "wb") as file:
            file.seek(piece["start"])
            file.write(plain[position : position + piece["length"]])
        place.chmod(piece["permissions"] & 0o7777)
        position += piece["length"]
    assert position == len(plain)


def version_ids(arcade: Arcade) -> dict[str, str]:
    options = arcade.client.get_v2(f"/api/v1/client/game/{arcade.game}/versions", previous="").json()
    return {each["displayName"]: each["versionId"] for each in options}


@pytest.mark.parametrize(
    ("program", "arguments", "platform", "words"),
    [
        ("bin/game", "-w 640", "Linux", ["bin/game", "-w", "640"]),
        ("My Game/it's.exe", "", "Windows", ["My Game/it's.exe"]),
        (
            "game.exe",
            '-dir C:\\x\\y -n O\'Neil -t "a b"',
            "Windows",
            ["game.exe", "-dir", r"C:\x\y", "-n", "O'Neil", "-t", "a b"],
        ),
        ("game", r"-t 'a b' c\ d", "Linux", ["game", "-t", "a b", "c d"]),
        ("game", "-n O'Neil", "Linux", ["game", "-n", "O'Neil"]),
    ],
)
def test_a_client_reads_the_words_of_a_command(program: str, arguments: str, platform: str, words: list[str]) -> None:
    # Clients split it as POSIX shells do.
    assert shlex.split(command_line(program, arguments, platform=platform)) == words


def test_a_client_lists_versions(arcade: Arcade) -> None:
    client, game = arcade.client, arcade.game
    (option,) = client.get_v2(f"/api/v1/client/game/{game}/versions").json()
    assert (option["gameId"], option["platform"], option["versionPath"]) == (game, "Linux", "1.0")
    assert option["size"]["installSize"] == option["size"]["downloadSize"] > 0
    version = client.get_v2(f"/api/v1/client/game/{game}/version/{option['versionId']}").json()
    assert version["launches"][0]["command"] == "bin/game -w 640"
    assert (version["setups"], version["delta"], version["onlySetup"]) == ([], False, False)
    listing = arcade.world.any_user().get("/api/v1/depot/manifest.json").json()
    assert listing == {"content": {game: [{"versionId": option["versionId"], "compression": "none"}]}}
    speed = arcade.world.any_user().get("/api/v1/depot/speedtest")
    assert (len(speed.content), speed.content.count(0)) == (50 * MIB, 50 * MIB)


def test_a_client_installs_and_updates(arcade: Arcade, tmp_path: Path) -> None:
    world, folder = arcade.world, tmp_path / "installed"
    ids = version_ids(arcade)
    install(arcade, ids["1.0"], folder)
    same(folder, world.games / "Portal/1.0")
    world.put("Portal/1.1/small/5", b"changed")
    world.put("Portal/1.1/added", b"new")
    add_version(arcade, "1.1", delta=True, launch="added")
    ids = version_ids(arcade)
    update = install(arcade, ids["1.1"], folder, previous=ids["1.0"])
    assert update["downloadSize"] == len(b"changednew")
    assert set(update["manifests"]) == set(ids.values())
    assert (update["fileList"]["small/5"], update["fileList"]["small/6"]) == (ids["1.1"], ids["1.0"])
    install(arcade, ids["1.1"], tmp_path / "fresh")
    same(tmp_path / "fresh", folder)
    assert (folder / "small/5").read_bytes() == b"changed"
    options = arcade.client.get_v2(f"/api/v1/client/game/{arcade.game}/versions", previous=ids["1.0"]).json()
    assert [each["size"]["downloadSize"] for each in options] == [len(b"changednew"), 0]


def test_checksums_are_computed_before_they_are_needed(arcade: Arcade) -> None:
    world = arcade.world
    world.put("Portal/1.1/small/5", b"changed")
    add_version(arcade, "1.1", delta=True, launch="bin/game")
    ids = version_ids(arcade)
    arcade.client.get_v2(f"/api/v1/client/game/{arcade.game}/versions", previous=ids["1.0"])
    lists = arcade.admin.get("/api/v1/admin/task").json()
    tasks = [each for each in lists["runningTasks"] + lists["historicalTasks"] if each["taskGroup"] == "drop:version"]
    assert all(world.finish(arcade.admin, each["id"])["success"] for each in tasks)
    # The installation of the newest version, and the update to it.
    assert len(tasks) == 2

    world.put("Portal/1.1/small/5", b"others!")

    assert bundle_of(arcade, ids["1.1"], ids["1.0"])["downloadSize"] == len(b"changed")
    assert bundle_of(arcade, ids["1.1"])["downloadSize"] > 0


def test_a_client_installs_an_archive_and_a_sparse_file(arcade: Arcade, tmp_path: Path) -> None:
    source = arcade.world.games / "Portal/1.0"
    with zipfile.ZipFile(arcade.world.games / "Portal/2.0.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in NAMES:
            archive.write(source / name, name)
    add_version(arcade, "2.0.zip", launch="bin/game")
    install(arcade, version_ids(arcade)["2.0.zip"], tmp_path / "archive")
    for name in NAMES:
        assert (tmp_path / "archive" / name).read_bytes() == (source / name).read_bytes()
    with arcade.world.put("Portal/3.0/large").open("r+b") as large:
        large.truncate(CHUNK_BYTES + 1)
    arcade.world.put("Portal/3.0/other", b"after")
    add_version(arcade, "3.0", launch="large")
    install(arcade, version_ids(arcade)["3.0"], tmp_path / "sparse")
    same(tmp_path / "sparse", arcade.world.games / "Portal/3.0")


def test_a_changed_version_has_no_chunks(arcade: Arcade) -> None:
    client, world, version = arcade.client, arcade.world, version_ids(arcade)["1.0"]
    chunk = next(iter(bundle_of(arcade, version)["manifests"][version]["chunks"]))
    address = f"/api/v1/depot/content/{arcade.game}/{version}/{chunk}"
    assert error_of(world.any_user().get(address))[0] == 403
    for wrong in ("nothing", "0" * 32, chunk[:-1] + "f"):
        assert error_of(client.get_v2(address.replace(chunk, wrong)))[0] == 404
    # The largest file is the first in the chunk.
    world.put(f"Portal/1.0/{NAMES[-1]}", b"other")
    assert error_of(client.get_v2(address))[0] == 409
    assert reimport(world, arcade.admin, version)["success"]
    assert error_of(client.get_v2(address))[0] == 404


def test_a_file_that_changes_later_breaks_the_connection(arcade: Arcade) -> None:
    client, version = arcade.client, version_ids(arcade)["1.0"]
    chunk = next(iter(bundle_of(arcade, version)["manifests"][version]["chunks"]))
    arcade.world.put("Portal/1.0/small/1", b"other")
    with pytest.raises(httpx2.TransportError):
        client.get_v2(f"/api/v1/depot/content/{arcade.game}/{version}/{chunk}")


def test_tokens_are_checked(arcade: Arcade) -> None:
    client, user, now = arcade.client, "/api/v1/client/user", int(time.time())
    assert client.get_v2(user).status_code == 200

    def status(header: str) -> tuple[int, str]:
        return error_of(client.caller.get(user, headers={"Authorization": header}))

    assert status(client.token(nbf=now - 60, exp=now - 41)) == (403, "Nonce expired")
    assert status(client.token(nbf=now + 60, exp=now + 70)) == (403, "Nonce expired")
    assert client.caller.get(user, headers={"Authorization": client.token(exp=now - 20)}).status_code == 200
    scheme, client_id, token = client.token().split()
    head, claims, signature = token.split(".")
    heads = ("eyJhbGciOiJub25lIn0", "eyJhbGciOiJIUzI1NiJ9", "eyJhbGciOiJFUzI1NiJ9")
    for wrong in (*(f"{each}.{claims}.{signature}" for each in heads), f"{heads[0]}.{claims}.", "x", head):
        assert status(f"{scheme} {client_id} {wrong}")[0] == 403
    assert status(f"{scheme} {client_id[:-1]}g {token}")[0] == 403
    # A token of another device, and one whose secret is the public key, which everybody may know.
    other = sign_in(arcade.world, arcade.player)
    assert status(f"{scheme} {client_id} {other.token().split()[2]}") == (403, "Invalid nonce signature.")
    signed = f"{heads[1]}.{claims}"
    public = client.key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    mac = urlsafe_b64encode(hmac.digest(public, signed.encode(), "sha256")).rstrip(b"=").decode()
    assert status(f"{scheme} {client_id} {signed}.{mac}") == (403, "Invalid nonce signature.")


@pytest.mark.parametrize(
    ("iv", "stream"),
    [
        (
            "101112131415161718191a1b1c1d1e1f",
            "07feef74e1d5036e900eee118e949293c29ace46a443ed2bd05b93b526d05511a29c41c61c6d51ec0a74b3a1d6cf82d0",
        ),
        (
            "ffffffffffffffff0001020304050607",
            "bd6ce184f0d11e3728ef8ac581fbcb37f4275e434da74e9f929f404d18753284",
        ),
    ],
)
def test_the_cipher_has_the_documented_key_streams(iv: str, stream: str) -> None:
    key, length = bytes(range(16)), len(stream) // 2
    assert CounterCipher(key, bytes.fromhex(iv)).update(bytes(length)).hex() == stream
    pieces = [bytes(1), bytes(20), bytes(length - 21)]
    assert b"".join(encrypted(pieces, key, bytes.fromhex(iv))).hex() == stream


@given(st.lists(st.integers(0, 3 * CHUNK_BYTES) | st.sampled_from([0, 1, CHUNK_BYTES - 1, CHUNK_BYTES]), max_size=30))
def test_every_byte_is_in_exactly_one_piece(sizes: list[int]) -> None:
    files = [(str(number), ServedFile(0, str(number), size, 0, 0, 0, b"")) for number, size in enumerate(sizes)]
    found: dict[str, list[tuple[int, int]]] = {}
    for chunk in pack(files):
        assert sum(piece.length for piece in chunk) <= CHUNK_BYTES
        for piece in chunk:
            found.setdefault(piece.path, []).append((piece.start, piece.length))
    assert found.keys() == {path for path, _ in files}
    for path, file in files:
        end = 0
        for start, length in sorted(found[path]):
            assert start == end
            end += length
        assert end == file.size


def test_a_chunk_has_at_most_512_pieces() -> None:
    files = [(str(number), ServedFile(0, str(number), 1, 0, 0, 0, b"")) for number in range(1025)]
    assert [len(chunk) for chunk in pack(files)] == [512, 512, 1]
