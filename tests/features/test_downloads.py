"""Versions and manifests as players see them: true to the files on disk, and cheap to ask for again."""

import gzip
import json
import os
from pathlib import Path
from random import Random
from typing import Any
from zlib import crc32

import pytest
import zstandard
from blake3 import blake3
from hypothesis import given
from hypothesis import strategies as st

from playdock.kit.content_encoding import ContentEncoding, choose_encoding
from world import Caller, World

KIB = 1024


def write_version(world: World) -> Path:
    """A version of files that are not cut, cut, empty, linked and named in other letters."""
    random = Random(7)
    world.put("Doom/1.0/doom", random.randbytes(3_000_000), mode=0o755)
    world.put("Doom/1.0/data/zeros", bytes(2_500_000))
    world.put("Doom/1.0/data/small", random.randbytes(1000))
    world.put("Doom/1.0/data/edge", random.randbytes(64 * KIB))
    world.put("Doom/1.0/data/copy", random.randbytes(10) + (world.games / "Doom/1.0/doom").read_bytes())
    world.put("Doom/1.0/empty", b"")
    world.put("Doom/1.0/\u30c9.txt", b"text")
    (world.games / "Doom/1.0/data/link").symlink_to("../doom")
    return world.games / "Doom/1.0"


def stand(world: World, *names: str, **wanted: Any) -> tuple[Caller, str]:
    """An admin and the game Doom with these versions, imported in order."""
    admin = world.admin()
    game = world.import_game(admin, world.library(admin), "Doom")
    for name in names:
        task = world.import_version(admin, game, name, **{"launch": "doom", **wanted})
        assert task["success"], task
    return admin, game


def address(caller: Caller, game: str) -> str:
    """The manifest's address of the game's newest version."""
    newest = caller.get(f"/api/v1/games/{game}/versions").json()[-1]["id"]
    return f"/api/v1/versions/{newest}/manifest"


# --- The manifest ---


def files_below(root: Path) -> dict[str, Path]:
    places = (Path(folder, name) for folder, _, names in os.walk(root) for name in names)
    return {str(place.relative_to(root)): place for place in places if not place.is_symlink()}


def test_the_manifest_matches_the_files_on_disk(world: World) -> None:
    """Sizes, modes, CRC-32, chunks and hashes, all computed once more from the files themselves."""
    on_disk = files_below(write_version(world))
    admin, game = stand(world, "1.0")

    files = {file["path"]: file for file in world.manifest(admin, game, "1.0")["files"]}

    assert files.keys() == on_disk.keys()
    for path, place in on_disk.items():
        data, file = place.read_bytes(), files[path]
        assert (file["size"], file["mode"]) == (len(data), place.stat().st_mode & 0o777)
        assert file["crc32"] == crc32(data)
        assert (_cut(data, file["chunks"]), file["hash"]) == (file["chunks"], _hash(file["chunks"]))


def _cut(data: bytes, chunks: list[list[Any]]) -> list[list[Any]]:
    """The chunks that these lengths make of the data."""
    ends = [sum(length for length, _ in chunks[: number + 1]) for number in range(len(chunks))]
    starts = [0, *ends][: len(chunks)]
    pieces = [data[start:end] for start, end in zip(starts, ends, strict=True)]
    assert b"".join(pieces) == data
    return [[len(piece), blake3(piece).hexdigest()] for piece in pieces]


def _hash(chunks: list[list[Any]]) -> str:
    ids: list[str] = [chunk for _, chunk in chunks]
    return ids[0] if len(ids) == 1 else blake3(bytes.fromhex("".join(ids))).hexdigest()


def test_chunk_sizes_are_within_bounds_and_small_files_are_not_split(world: World) -> None:
    write_version(world)
    admin, game = stand(world, "1.0")
    for file in world.manifest(admin, game, "1.0")["files"]:
        lengths = [length for length, _ in file["chunks"]]
        assert all(length <= 1024 * KIB for length in lengths)
        assert all(length >= 64 * KIB for length in lengths[:-1])
        assert file["size"] > 64 * KIB or len(lengths) == min(1, file["size"])


def test_identical_content_shares_chunks_regardless_of_its_position(world: World) -> None:
    write_version(world)
    admin, game = stand(world, "1.0")
    files = {file["path"]: file for file in world.manifest(admin, game, "1.0")["files"]}
    first, second = ({chunk for _, chunk in files[path]["chunks"]} for path in ("doom", "data/copy"))
    assert len(first & second) >= len(first) - 2


def test_the_version_image_concatenates_files_in_path_order(world: World) -> None:
    write_version(world)
    admin, game = stand(world, "1.0")

    manifest = world.manifest(admin, game, "1.0")

    files = manifest["files"]
    paths = [file["path"].encode() for file in files]
    assert paths == sorted(paths)
    ends = [file["offset"] + file["size"] for file in files]
    assert [file["offset"] for file in files] == [0, *ends[:-1]]
    assert [(image["size"], manifest["size"]) for image in manifest["images"]] == [(ends[-1], ends[-1])]


def test_the_manifest_contains_the_game_version_and_links(world: World) -> None:
    write_version(world)
    admin, game = stand(world, "1.0")

    manifest = world.manifest(admin, game, "1.0")

    version = admin.get(f"/api/v1/games/{game}/versions").json()[0]["id"]
    assert (manifest["format"], manifest["game"], manifest["version"]) == (1, game, version)
    assert manifest["images"][0]["version"] == version
    assert (manifest["links"], manifest["removed"]) == ([{"path": "data/link", "target": "../doom"}], [])


def test_a_manifest_does_not_change_with_the_files(world: World) -> None:
    world.put("Doom/1.0/doom", b"one")
    admin, game = stand(world, "1.0")
    before = admin.get(address(admin, game)).content

    world.put("Doom/1.0/doom", b"another")

    assert admin.get(address(admin, game)).content == before


# --- Asking for it ---


def test_the_etag_is_the_hash_of_the_manifest(world: World) -> None:
    world.put("Doom/1.0/doom")
    admin, game = stand(world, "1.0")

    answer = admin.get(address(admin, game), headers={"Accept-Encoding": "identity"})

    assert answer.headers["etag"] == f'"{blake3(answer.content).hexdigest()}"'
    assert answer.headers["cache-control"] == "private, no-cache"
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize("asked", ["{etag}", "W/{etag}", '"other", {etag}', "*"])
def test_a_matching_etag_returns_304(world: World, asked: str) -> None:
    world.put("Doom/1.0/doom")
    admin, game = stand(world, "1.0")
    etag = admin.get(address(admin, game)).headers["etag"]

    answer = admin.get(address(admin, game), headers={"If-None-Match": asked.format(etag=etag)})

    assert (answer.status_code, answer.content, answer.headers["etag"]) == (304, b"", etag)


def test_a_different_etag_returns_the_manifest(world: World) -> None:
    world.put("Doom/1.0/doom")
    admin, game = stand(world, "1.0")
    assert admin.get(address(admin, game), headers={"If-None-Match": '"other"'}).status_code == 200


@pytest.mark.parametrize("coding", ["zstd", "gzip", "identity"])
def test_head_returns_the_same_headers_as_get(world: World, coding: str) -> None:
    world.put("Doom/1.0/doom")
    admin, game = stand(world, "1.0")
    asked = {"Accept-Encoding": coding}

    head = admin.request("HEAD", address(admin, game), headers=asked)
    whole = admin.get(address(admin, game), headers=asked)

    told = ("etag", "content-type", "content-encoding", "cache-control", "vary")
    assert (head.status_code, head.content) == (200, b"")
    assert [head.headers.get(name) for name in told] == [whole.headers.get(name) for name in told]


@pytest.mark.parametrize(
    ("asked", "coding"), [("zstd", "zstd"), ("gzip", "gzip"), ("gzip, zstd", "zstd"), ("identity", None), ("br", None)]
)
def test_the_manifest_is_sent_in_the_requested_content_encoding(world: World, asked: str, coding: str | None) -> None:
    world.put("Doom/1.0/doom")
    admin, game = stand(world, "1.0")
    plain = admin.get(address(admin, game), headers={"Accept-Encoding": "identity"}).content

    with admin.http.stream(
        "GET", address(admin, game), headers={"Accept-Encoding": asked, "Authorization": f"Bearer {admin.token}"}
    ) as answer:
        raw = b"".join(answer.iter_raw())

    unpack = {
        "zstd": lambda data: zstandard.ZstdDecompressor().decompressobj().decompress(data),
        "gzip": gzip.decompress,
    }
    assert (answer.headers.get("content-encoding"), answer.headers["vary"]) == (coding, "Accept-Encoding")
    assert (unpack[coding](raw) if coding else raw) == plain
    assert json.loads(plain)["format"] == 1


# --- Who may, and what there is ---


def test_players_get_the_same_manifests_as_admins(world: World) -> None:
    world.put("Doom/1.0/doom")
    admin, game = stand(world, "1.0")
    bob = world.person("bob")
    assert bob.get(address(bob, game)).content == admin.get(address(admin, game)).content


def test_a_token_requires_the_permission(world: World) -> None:
    world.put("Doom/1.0/doom")
    admin, game = stand(world, "1.0")
    place = address(admin, game)

    for path in (place, f"/api/v1/games/{game}/versions"):
        assert world.any_user().get(path).status_code == 401
        assert world.token_of(admin, "user:read").get(path).status_code == 403
        assert world.token_of(admin, "user:content:read").get(path).status_code == 200


@pytest.mark.parametrize("unknown", ["nothing", "..%2F..", "%00", "%ff", "00000000-0000-0000-0000-000000000000"])
def test_unknown_games_and_versions_are_not_found(world: World, unknown: str) -> None:
    bob = world.person("bob")
    for path in (f"/api/v1/games/{unknown}/versions", f"/api/v1/versions/{unknown}/manifest"):
        answer = bob.get(path)
        assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")


def test_a_game_without_versions_has_an_empty_list(world: World) -> None:
    (world.games / "Doom").mkdir(parents=True)
    admin, game = stand(world)
    assert admin.get(f"/api/v1/games/{game}/versions").json() == []


def test_a_delta_has_its_own_size_and_that_of_the_installation(world: World) -> None:
    world.put("Doom/1.0/doom", bytes(1000))
    world.put("Doom/1.0/wad", bytes(500))
    world.put("Doom/1.1/wad", bytes(70))
    admin, game = stand(world, "1.0")
    assert world.import_version(admin, game, "1.1", delta=True)["success"]

    full, delta = admin.get(f"/api/v1/games/{game}/versions").json()

    assert (full["delta"], full["size"], full["installedSize"]) == (False, 1500, 1500)
    assert (delta["delta"], delta["size"], delta["installedSize"]) == (True, 70, 1070)


def test_a_missing_manifest_is_reported(world: World) -> None:
    world.put("Doom/1.0/doom")
    admin, game = stand(world, "1.0")
    [version] = admin.get(f"/api/v1/games/{game}/versions").json()
    world.services.blobs.delete(f"manifests/{version['id']}")

    answer = admin.get(f"/api/v1/versions/{version['id']}/manifest")

    assert (answer.status_code, answer.json()["type"]) == (503, "manifest-missing")


# --- Codings ---


@pytest.mark.parametrize(
    ("header", "coding"),
    [
        (None, ContentEncoding.IDENTITY),
        ("", ContentEncoding.IDENTITY),
        ("*", ContentEncoding.ZSTD),
        ("zstd;q=0, *", ContentEncoding.GZIP),
        ("gzip;q=1.0, zstd;q=0.5", ContentEncoding.GZIP),
        ("GZIP", ContentEncoding.GZIP),
        ("gzip;q=0", ContentEncoding.IDENTITY),
        ("gzip;q=nonsense", ContentEncoding.IDENTITY),
        ("deflate, br", ContentEncoding.IDENTITY),
        (" gzip ; q=0.3 ,, zstd ; q=0.2 ", ContentEncoding.GZIP),
    ],
)
def test_a_content_encoding_is_chosen_by_weight(header: str | None, coding: ContentEncoding) -> None:
    assert choose_encoding(header) is coding


@given(st.text(max_size=60))
def test_any_header_selects_a_content_encoding(header: str) -> None:
    assert choose_encoding(header) in ContentEncoding


@given(st.sampled_from(["gzip", "zstd"]), st.floats(0.001, 1).map(lambda weight: round(weight, 3)))
def test_the_only_accepted_content_encoding_is_chosen(name: str, weight: float) -> None:
    assert choose_encoding(f"{name};q={weight}") == name
