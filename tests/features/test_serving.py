"""The bytes of games as they are fetched: any part of them, true to the files on disk (RFC 9110)."""

import io
import zipfile
from random import Random

import httpx2
import pytest
import zstandard

from served import MIB, Doom, rewrite, write_doom
from world import World


@pytest.fixture
def world(embedded_world: World) -> World:
    """Bytes are the same whatever the database is."""
    return embedded_world


@pytest.fixture
def doom(world: World) -> Doom:
    return write_doom(world)


# --- The image ---


def test_the_version_image_is_the_concatenation_of_the_files(doom: Doom) -> None:
    answer = doom.get()
    assert (answer.status_code, answer.headers["accept-ranges"]) == (200, "bytes")
    assert answer.content == doom.image


def test_manifest_offsets_are_positions_in_the_version_image(doom: Doom) -> None:
    image = doom.get().content
    for file in doom.world.manifest(doom.player, doom.game, "1.0")["files"]:
        assert image[file["offset"] : file["offset"] + file["size"]] == doom.files[file["path"]]


RANGES = [
    ("bytes=0-0", [(0, 1)]),
    ("bytes=0-", [(0, None)]),
    ("bytes=-1", [(-1, None)]),
    ("bytes=-99999999999", [(0, None)]),
    ("bytes=1000-1999", [(1000, 2000)]),
    ("bytes=1048570-4000000", [(1048570, 4000001)]),
    ("BYTES = 5-9", [(5, 10)]),
    ("bytes=4000000-99999999999", [(4000000, None)]),
    ("bytes=0-9,20-29", [(0, 10), (20, 30)]),
    ("bytes=20-29, 0-9 ,-5", [(20, 30), (0, 10), (-5, None)]),
    ("bytes=99999999999-,0-4", [(0, 5)]),
]


@pytest.mark.parametrize(("asked", "expected"), RANGES, ids=[asked for asked, _ in RANGES])
def test_a_range_request_returns_that_slice(doom: Doom, asked: str, expected: list[tuple[int, int | None]]) -> None:
    answer = doom.get(Range=asked)
    assert answer.status_code == 206
    assert parts_of(answer) == [doom.image[start:end] for start, end in expected]


def test_random_ranges_of_the_version_image_are_correct(doom: Doom) -> None:
    random, image = Random(5), doom.image
    for _ in range(25):
        start = random.randrange(len(image))
        end = min(start + random.choice([1, 700, 70_000, 300_000, 5 * MIB]), len(image))
        answer = doom.get(Range=f"bytes={start}-{end - 1}")
        assert answer.headers["content-range"] == f"bytes {start}-{end - 1}/{len(image)}"
        assert answer.content == image[start:end]


@pytest.mark.parametrize(
    "asked", ["bytes=9-5", "bytes=0.5-9.5", "lines=0-9", "bytes=", "bytes=a-b", "bytes=--1", "0-9"]
)
def test_an_invalid_range_is_ignored(doom: Doom, asked: str) -> None:
    answer = doom.get(Range=asked)
    assert (answer.status_code, len(answer.content)) == (200, len(doom.image))


def test_too_many_overlapping_ranges_are_ignored(doom: Doom) -> None:
    answer = doom.get(Range="bytes=" + ",".join(["0-"] * 3))
    assert (answer.status_code, len(answer.content)) == (200, len(doom.image))


@pytest.mark.parametrize("asked", ["bytes=99999999999-", "bytes=-0"])
def test_a_range_beyond_the_end_is_rejected_with_the_size(doom: Doom, asked: str) -> None:
    answer = doom.get(Range=asked)
    assert (answer.status_code, answer.json()["type"]) == (416, "range-not-satisfiable")
    assert answer.headers["content-range"] == f"bytes */{len(doom.image)}"


def test_head_returns_the_headers_of_get_without_the_body(doom: Doom) -> None:
    for what in ("content", "archive.zip", "files/doom"):
        head, got = doom.head(what, Range="bytes=0-9"), doom.get(what)
        assert (head.status_code, head.content) == (200, b"")
        assert head.headers["content-length"] == str(len(got.content))
        assert head.headers["etag"] == got.headers["etag"]


def test_unchanged_content_is_not_sent_again(doom: Doom) -> None:
    etag = doom.head().headers["etag"]
    assert not etag.startswith("W/")
    assert doom.get(If_None_Match=etag).status_code == 304
    assert doom.get(If_None_Match='"other"').status_code == 200
    assert doom.get(If_None_Match=etag, Range="bytes=0-9").status_code == 304


def test_a_range_is_sent_only_if_if_range_matches_the_etag(doom: Doom) -> None:
    etag = doom.head().headers["etag"]
    assert doom.get(Range="bytes=0-9", If_Range=etag).status_code == 206
    for other in ('"other"', f"W/{etag}", "Fri, 20 Nov 2026 10:00:00 GMT"):
        assert doom.get(Range="bytes=0-9", If_Range=other).status_code == 200


def test_a_request_with_another_etag_in_if_match_is_rejected(doom: Doom) -> None:
    etag = doom.head().headers["etag"]
    assert doom.get(Range="bytes=0-9", If_Match=etag).status_code == 206
    assert doom.get(If_Match="*", Range="bytes=0-9").status_code == 206
    refused = doom.get(If_Match='"other"')
    assert (refused.status_code, refused.json()["type"]) == (412, "precondition-failed")


def test_every_representation_has_its_own_etag(doom: Doom) -> None:
    etags = {doom.head(what).headers["etag"] for what in ("content", "archive.zip", "files/doom", "files/zz")}
    assert len(etags) == 4


# --- One file ---


def test_every_file_can_be_fetched_by_its_path(doom: Doom) -> None:
    for path in ("doom", "empty", "data/wad", "ドア.txt", "with space.txt", "small/007"):
        answer = doom.get(f"files/{path}")
        assert (answer.status_code, answer.content) == (200, doom.files[path])


def test_a_range_of_a_file_can_be_fetched(doom: Doom) -> None:
    assert doom.get("files/doom", Range="bytes=-17").content == doom.files["doom"][-17:]
    assert doom.get("files/empty", Range="bytes=0-").status_code == 416


@pytest.mark.parametrize(
    "path", ["nothing", "data", "latest/x", "../1.0/doom", "%2e%2e/%2e%2e/secret", "doom%00", "/etc/passwd"]
)
def test_a_path_outside_the_version_is_not_found(doom: Doom, path: str) -> None:
    doom.world.put("secret", b"secret")
    answer = doom.get(f"files/{path}")
    assert answer.status_code == 404
    assert b"secret" not in answer.content


def test_files_are_sent_as_downloads_and_never_displayed(doom: Doom) -> None:
    answer = doom.get("files/ドア.txt")
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-disposition"].startswith('attachment; filename="__.txt"')


# --- The archive ---


def test_the_archive_contains_the_installation(doom: Doom) -> None:
    answer = doom.get("archive.zip")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/zip")
    assert 'filename="Doom 1.0.zip"' in answer.headers["content-disposition"]
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.testzip() is None
        found = {name: archive.read(name) for name in archive.namelist()}
        assert archive.getinfo("doom").external_attr >> 16 == 0o100755
    assert found == {**doom.files, "latest": b"doom"}


def test_random_ranges_of_the_archive_are_correct(doom: Doom) -> None:
    whole, random = doom.get("archive.zip").content, Random(3)
    for _ in range(25):
        start = random.randrange(len(whole))
        end = min(start + random.choice([1, 100, 30_000, 300_000, 5 * MIB]), len(whole))
        assert doom.get("archive.zip", Range=f"bytes={start}-{end - 1}").content == whole[start:end]
    assert doom.get("archive.zip", Range="bytes=-22").content == whole[-22:]


# --- Compressed on the way ---


def unpacked(answer: httpx2.Response) -> bytes:
    """All frames of an answer, unpacked by a decoder that knows nothing of the table behind them."""
    return zstandard.ZstdDecompressor().stream_reader(answer.content, read_across_frames=True).read()


def test_the_version_image_is_compressed_on_request(doom: Doom) -> None:
    answer = doom.get("content?frames=zstd")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/zstd")
    assert answer.headers["etag"] == doom.head().headers["etag"]
    assert unpacked(answer) == doom.image
    assert len(answer.content) < len(doom.image)


def test_a_range_of_whole_chunks_is_compressed(doom: Doom) -> None:
    file = next(each for each in doom.world.manifest(doom.player, doom.game, "1.0")["files"] if each["path"] == "doom")
    start = file["offset"] + file["chunks"][0][0]
    end = start + sum(length for length, _ in file["chunks"][1:4])
    assert unpacked(doom.get(f"content?frames=zstd&start={start}&end={end}")) == doom.image[start:end]


@pytest.mark.parametrize("asked", ["start=1", "end=1", "start=99999999999", "start=-1", "start=x", "start=10&end=5"])
def test_a_compressed_range_that_cuts_chunks_is_rejected(doom: Doom, asked: str) -> None:
    assert doom.get(f"content?frames=zstd&{asked}").status_code == 400


def test_an_unknown_compression_is_rejected(doom: Doom) -> None:
    assert doom.get("content?frames=br").status_code == 400


def test_a_changed_file_is_not_sent_compressed_either(doom: Doom) -> None:
    rewrite(doom.folder / "data/wad")
    refused = doom.get("content?frames=zstd")
    assert (refused.status_code, refused.json()["type"]) == (409, "content-changed")


# --- Who may, and what is not there ---


def test_fetching_content_requires_permission(doom: Doom) -> None:
    without = doom.world.token_of(doom.player, "user:read")
    allowed = doom.world.token_of(doom.player, "user:content:read")
    for what in ("content", "archive.zip", "files/doom"):
        assert doom.world.any_user().get(doom.address(what)).status_code == 401
        assert without.get(doom.address(what)).status_code == 403
        assert allowed.get(doom.address(what)).status_code == 200


def test_permissions_are_checked_on_every_request(doom: Doom) -> None:
    assert doom.get(Range="bytes=0-9").status_code == 206
    disabled = doom.admin.patch(f"/api/v1/admin/users/{doom.player.user['id']}", {"enabled": False})
    assert disabled.status_code == 200
    assert doom.get(Range="bytes=0-9").status_code == 401


def test_an_unknown_version_is_not_found(doom: Doom) -> None:
    for what in ("content", "archive.zip", "files/doom"):
        answer = doom.player.get(f"/api/v1/versions/{doom.game}/{what}")
        assert (answer.status_code, answer.json()["type"]) == (404, "version-unknown")


def test_the_content_of_a_deleted_game_is_not_found(doom: Doom) -> None:
    assert doom.get(Range="bytes=0-9").status_code == 206
    assert doom.admin.delete(f"/api/v1/admin/game/{doom.game}").status_code == 204
    assert doom.get(Range="bytes=0-9").status_code == 404


# --- Deltas ---


def test_a_delta_has_its_own_image_but_the_files_of_the_whole_installation(doom: Doom) -> None:
    doom.world.put("Doom/1.1/zz", b"new end")
    doom.world.put("Doom/1.1/added", b"added")
    assert doom.world.import_version(doom.admin, doom.game, "1.1", delta=True)["success"]
    delta = doom.admin.get(f"/api/v1/games/{doom.game}/versions").json()[-1]["id"]
    fetched = Doom(doom.world, doom.admin, doom.player, doom.game, delta, doom.files)
    assert fetched.get().content == b"addednew end"
    assert fetched.get("files/zz").content == b"new end"
    assert fetched.get("files/doom").content == doom.files["doom"]
    with zipfile.ZipFile(io.BytesIO(fetched.get("archive.zip").content)) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == {
            **doom.files, "zz": b"new end", "added": b"added", "latest": b"doom",
        }  # fmt: skip


def parts_of(answer: httpx2.Response) -> list[bytes]:
    """The ranges of an answer, one or several."""
    kind = answer.headers["content-type"]
    if not kind.startswith("multipart/byteranges"):
        return [answer.content]
    boundary = kind.partition("boundary=")[2]
    assert answer.content.endswith(f"\r\n--{boundary}--\r\n".encode())
    parts = answer.content.split(f"\r\n--{boundary}\r\n".encode())[1:]
    parts[-1] = parts[-1].removesuffix(f"\r\n--{boundary}--\r\n".encode())
    return [part.partition(b"\r\n\r\n")[2] for part in parts]
