"""Libraries in S3: versions are imported, verified and sent from there, and failures of the server are no damage."""

import io
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import httpx2
import pytest
from structlog.testing import capture_logs

from databases import SqliteDatabases
from patching import NEW, OLD, Doom
from playdock.storage import s3_bucket
from playdock.storage.file_cache import FileCache
from playdock.storage.folder_state import state_of
from playdock.storage.s3_backend import S3Library
from playdock.storage.s3_bucket import S3Bucket
from playdock.storage.s3_files import S3Base
from s3_games import SOURCES, GamesInS3, add_library, settings_of
from s3_server import S3Server, Stored, running_s3
from spoiling import damaged_files, reimport, verify_all
from versions_to_import import pack, unimported
from waiting import wait_until
from world import World, running_world

# With its own S3 server, beside objects in a folder.
pytestmark = pytest.mark.folder_objects

MIB = 1024 * 1024
# Names that must be encoded in URLs, an empty file, and one of several parts.
LARGE = b"".join(bytes([number]) * MIB for number in range(10)) + b"end"
FILES = {**OLD, "data/a b+c%20d#e?.pak": LARGE, "data/ünï [1]~.txt": b"text", "empty": b""}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[S3Server]:
    monkeypatch.setattr(s3_bucket, "_RETRIES", {"max_retries": 0})
    with running_s3() as running:
        yield running


@pytest.fixture
def shop(server: S3Server, sqlite_databases: SqliteDatabases, tmp_path: Path) -> Iterator[World]:
    settings = settings_of(server.location())
    with running_world(tmp_path, database_url=sqlite_databases.fresh(tmp_path / "data"), **settings) as world:
        yield world


@pytest.fixture
def stock(shop: World, server: S3Server) -> GamesInS3:
    return GamesInS3.at(shop, server.location(prefix="my/games"))


def image_of(files: dict[str, bytes]) -> bytes:
    return b"".join(files[path] for path in sorted(files))


def test_a_version_that_is_being_uploaded_changes(server: S3Server, tmp_path: Path) -> None:
    bucket = S3Bucket(server.location(prefix="my/games"))
    cache = FileCache(tmp_path, max_bytes=MIB, boot="boot")
    library = S3Library(S3Base("s3://games/my/games", bucket, cache))

    def state(version: str) -> str:
        return state_of(library.location("Doom", version), check=lambda: None).fingerprint

    states: list[str] = []
    for version, path in (("1.0", "1.0/doom"), ("1.0", "1.0/data"), ("1.0", "1.0/doom"), ("2.0.zip", "2.0.zip")):
        bucket.write(f"Doom/{path}", [f"{len(states)}".encode()])
        states.append(state(version))
        assert state(version) == states[-1]
    assert len(set(states)) == 4
    assert library.versions("Doom") == ["1.0", "2.0.zip"]


def test_a_version_is_imported_and_sent_in_all_forms(stock: GamesInS3, server: S3Server) -> None:
    for folder in ("", "data/", "saves/"):  # as some programs create them
        server.objects[f"my/games/Doom/1.0/{folder}"] = Stored(b"", datetime.now(UTC))
    stock.lay("1.0", FILES)
    assert unimported(stock.admin, stock.game) == ["1.0"]
    assert stock.library["working"] is True
    version, image = stock.add("1.0"), image_of(FILES)
    assert stock.content(version).content == image
    for start, end in ((0, 10), (3 * MIB, 9 * MIB), (len(image) - 700_000, len(image))):
        part = stock.content(version, headers={"Range": f"bytes={start}-{end - 1}"})
        assert (part.status_code, part.content) == (206, image[start:end])
    for path, content in FILES.items():
        url = path.replace("%", "%25").replace("#", "%23").replace("?", "%3F")
        assert stock.content(version, f"files/{url}").content == content
    with zipfile.ZipFile(io.BytesIO(stock.content(version, "archive.zip").content)) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == FILES
    assert stock.content(version, "content?frames=zstd").status_code == 200
    verify_all(stock.world, stock.admin)
    assert stock.damage() == []


def test_updates_are_patches(stock: GamesInS3) -> None:
    game = Doom(stock.world, stock.admin, stock.game)
    listed = game.patches(stock.add("1.0", OLD), stock.add("1.1", NEW))
    assert game.updated(listed, OLD) == NEW


def test_an_archive_is_a_version(stock: GamesInS3, tmp_path: Path) -> None:
    stock.bucket.write("Doom/2.0.zip", [pack(tmp_path / "2.0.zip", FILES).read_bytes()])
    assert unimported(stock.admin, stock.game) == ["2.0.zip"]
    version = stock.add("2.0.zip")
    assert stock.content(version).content == image_of(FILES)


def test_files_that_are_replaced_or_deleted_are_damage_and_are_not_sent(stock: GamesInS3) -> None:
    version = stock.add("1.0", FILES)
    stock.lay("1.0", {"doom": bytes(len(FILES["doom"])), "readme": b"short"})
    stock.bucket.delete("Doom/1.0/same")
    for path, fault in (("doom", "changed"), ("readme", "changed"), ("same", "missing")):
        answer = stock.content(version, f"files/{path}")
        assert (answer.status_code, answer.json()["type"]) == (409, "content-changed"), answer.text
        assert (path, fault) in damaged_files(stock.admin)
    with pytest.raises(httpx2.RemoteProtocolError):
        stock.content(version)

    verify_all(stock.world, stock.admin)
    assert damaged_files(stock.admin) == [("doom", "changed"), ("readme", "changed"), ("same", "missing")]
    stock.lay("1.0", {"same": FILES["same"]})
    assert reimport(stock.world, stock.admin, version)["success"]
    assert stock.content(version, "files/readme").content == b"short"
    assert stock.damage() == []


def test_an_unreachable_server_or_bucket_is_no_damage(stock: GamesInS3, server: S3Server) -> None:
    version = stock.add("1.0", FILES)
    for failing in ((503, "SlowDown"), (404, "NoSuchBucket"), (403, "AccessDenied")):
        server.failing = failing
        for part in ("content", "files/doom", "archive.zip"):
            answer = stock.content(version, part)
            assert (answer.status_code, answer.json()["type"]) == (503, "content-unavailable"), answer.text
        listed = stock.admin.get("/api/v1/admin/library/sources").json()
        assert [each["working"] for each in listed] == [False]
        assert stock.admin.get("/api/v1/admin/import/version", params={"id": stock.game}).status_code == 503
        server.failing = None
    kept, server.objects = server.objects, {}
    assert stock.content(version).status_code == 503
    server.objects = kept
    assert stock.content(version).content == image_of(FILES)
    assert stock.damage() == []


def test_an_import_goes_on_when_the_server_is_back(stock: GamesInS3, server: S3Server) -> None:
    stock.lay("1.0", FILES)
    started = stock.admin.post(
        "/api/v1/admin/import/version",
        {"id": stock.game, "version": "1.0", "platform": "Linux", "delta": False, "launch": "doom"},
    )
    server.failing = (503, "SlowDown")
    failed = len(server.requests)
    wait_until(lambda: len(server.requests) > failed)
    server.failing = None
    assert stock.world.finish(stock.admin, started.json()["taskId"])["success"]


def test_browsers_get_single_files_by_links(
    server: S3Server, sqlite_databases: SqliteDatabases, tmp_path: Path
) -> None:
    settings = {**settings_of(server.location()), "objects_public_endpoint": server.address, "access_log": True}
    database = sqlite_databases.fresh(tmp_path / "data")
    with running_world(tmp_path, database_url=database, **settings) as world, capture_logs() as logged:
        stock = GamesInS3.at(world, server.location(prefix="my/games"))
        version, browser = stock.add("1.0", FILES), world.browser("ada")
        path = f"/api/v1/versions/{version}/files/doom"
        answer = browser.get(path)
        link = answer.headers["location"]
        assert (answer.status_code, answer.headers["cache-control"]) == (302, "no-store")
        assert link.startswith(f"{server.address}/games/my/games/Doom/1.0/doom?")
        assert "X-Amz-Expires=600" in link
        assert httpx2.get(link).content == FILES["doom"]
        # What is more than a file, what others must count or limit, and programs get the bytes.
        assert browser.get(f"/api/v1/versions/{version}/content").content == image_of(FILES)
        assert stock.content(version, "files/doom").content == FILES["doom"]
        browser.patch(f"/api/v1/admin/users/{browser.get('/api/v1/user').json()['id']}", {"downloadRate": 10**9})
        assert browser.get(path).content == FILES["doom"]
        browser.patch(f"/api/v1/admin/users/{browser.get('/api/v1/user').json()['id']}", {"downloadRate": None})
        assert browser.get(path).status_code == 302

        stock.lay("1.0", {"doom": b"another"})
        assert browser.get(path).status_code == 409
        assert damaged_files(stock.admin) == [("doom", "changed")]
    assert "X-Amz" not in str(logged)


def test_what_is_no_library_is_refused(server: S3Server, sqlite_databases: SqliteDatabases, tmp_path: Path) -> None:
    settings = {
        **settings_of(server.location()),
        "objects_url": "s3://games/own/objects",
        "library_roots": "s3://another, s3://games",
        "backup_folder": "s3://games/own/backups",
    }
    with running_world(tmp_path, database_url=sqlite_databases.fresh(tmp_path / "data"), **settings) as world:
        admin = world.admin()
        world.games.mkdir()
        for backend, place, code in (
            ("S3", "/srv/games", "library-url"),
            ("S3", "s3://", "library-url"),
            ("Filesystem", "s3://games", "library-path"),
            ("Filesystem", str(tmp_path / "games"), "library-outside-roots"),
            ("S3", "s3://another", "object-storage-no-bucket"),
            ("S3", "s3://elsewhere/games", "library-outside-roots"),
            ("S3", "s3://games", "library-private"),
            ("S3", "s3://games/own/objects/deeper", "library-private"),
            ("S3", "s3://games/own/backups", "library-private"),
        ):
            answer = add_library(admin, place, backend=backend)
            assert (answer.status_code, answer.json()["errors"][0]["code"]) == (400, code)
        assert add_library(admin, "s3://games/own/objects-of-others").status_code == 201


def test_the_service_manages_no_files_there(stock: GamesInS3, server: S3Server) -> None:
    managed = {"baseDir": server.location(prefix="other").url, "managed": True}
    answers = [
        stock.admin.post(SOURCES, {"name": "Bucket", "backend": "S3", "options": managed}),
        stock.admin.patch(
            SOURCES, {"id": stock.library["id"], "options": {**stock.library["options"], "managed": True}}
        ),
    ]
    assert [each.status_code for each in answers] == [400, 400]
    assert {each.json()["errors"][0]["code"] for each in answers} == {"library-not-writable-here"}
    deleted = stock.admin.delete(f"/api/v1/admin/game/{stock.game}/files", {"name": "Doom"})
    assert (deleted.status_code, deleted.json()["type"]) == (409, "library-in-s3")
