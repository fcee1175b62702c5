"""A service whose objects are in an S3 server: everything works, and failures of the server are temporary."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from databases import SqliteDatabases
from patching import NEW, OLD, Doom
from playdock.storage import s3_bucket
from s3_server import ACCESS_KEY, S3Server, running_s3
from waiting import wait_until
from world import World, running_world


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[S3Server]:
    monkeypatch.setattr(s3_bucket, "_RETRIES", {"max_retries": 0})
    with running_s3() as running:
        yield running


@pytest.fixture
def stored(server: S3Server, sqlite_databases: SqliteDatabases, tmp_path: Path) -> Iterator[World]:
    """A world with its objects in the server."""
    database = sqlite_databases.fresh(tmp_path / "data")
    with running_world(tmp_path, database_url=database, **settings_of(server)) as world:
        yield world


def settings_of(server: S3Server) -> dict[str, Any]:
    return {
        "objects_url": "s3://games/play/dock",
        "objects_endpoint": server.address,
        "objects_access_key_id": ACCESS_KEY,
        "objects_secret_access_key": "any",
    }


def picture_of(game: Doom) -> str:
    return f"/api/v1/object/{game.admin.get('/api/v1/user').json()['profilePictureObjectId']}"


def kinds(server: S3Server) -> set[str]:
    return {name.removeprefix("play/dock/").partition("/")[0] for name in server.objects}


def empty_cache(world: World) -> None:
    for path in (world.services.settings.data_dir / "cache/objects").iterdir():
        path.unlink()


def problem(game: Doom, path: str) -> tuple[int, str, str]:
    answer = game.admin.get(path)
    return answer.status_code, answer.json()["type"], answer.json()["detail"]


def test_everything_is_stored_in_s3_and_read_from_there(stored: World, server: S3Server) -> None:
    game = Doom.at(stored)
    listed = game.patches(game.add("1.0", OLD), game.add("1.1", NEW))
    assert game.updated(listed, OLD) == NEW
    assert game.admin.get(picture_of(game)).status_code == 200
    assert kinds(server) == {"objects", "layers", "manifests", "patches", "patchlists"}
    assert not stored.services.settings.objects_dir.exists()

    whole = game.bytes_of(listed)
    part = game.fetch(listed["id"], Range=f"bytes=10-{len(whole) - 10}")
    assert (part.status_code, part.content) == (206, whole[10 : len(whole) - 9])
    for encoding in ("gzip", "zstd", "identity"):
        manifest = game.admin.get(f"/api/v1/versions/{listed['to']}/manifest", headers={"Accept-Encoding": encoding})
        assert manifest.status_code == 200


def test_a_failing_server_is_a_temporary_error_and_no_damage(stored: World, server: S3Server) -> None:
    game = Doom.at(stored)
    version = game.add("1.0", OLD)
    manifest, picture = f"/api/v1/versions/{version}/manifest", picture_of(game)
    for failing, words in (
        ((503, "SlowDown"), "The object storage is not responding"),
        ((404, "NoSuchBucket"), "The bucket of the object storage does not exist"),
        ((403, "AccessDenied"), "The object storage refuses the service's access key"),
    ):
        server.failing = None
        assert game.admin.get(manifest).status_code == game.admin.get(picture).status_code == 200
        server.failing = failing
        assert game.admin.get(manifest).status_code == 200  # from the cache
        empty_cache(stored)
        for path in (manifest, picture, f"/api/v1/versions/{version}/content"):
            status, code, detail = problem(game, path)
            assert (status, code) == (503, "storage-unusable")
            assert detail.startswith(words)
    server.failing = None
    assert game.admin.get(manifest).status_code == 200
    assert game.admin.get("/api/v1/admin/damage").json() == []


def test_an_import_goes_on_when_the_server_is_back(stored: World, server: S3Server) -> None:
    game = Doom.at(stored)
    game.lay("1.0", OLD)
    server.failing = (503, "SlowDown")
    body = {"id": game.game, "version": "1.0", "platform": "Linux", "delta": False, "launch": "doom"}
    started = game.admin.post("/api/v1/admin/import/version", body)
    wait_until(lambda: any("/layers/" in request for request in server.requests))
    server.failing = None

    assert stored.finish(game.admin, started.json()["taskId"])["success"]


def test_a_sweep_deletes_orphans_in_s3(stored: World, server: S3Server) -> None:
    game = Doom.at(stored)
    orphan = stored.services.objects.write(b"bytes", media_type="image/webp")
    before = len(server.objects)

    assert stored.services.objects.sweep(before=stored.clock() - timedelta(days=1)) == 0
    assert stored.services.objects.sweep(before=stored.clock() + timedelta(days=1)) == 1
    assert f"play/dock/objects/{orphan.id[:2]}/{orphan.id}" not in server.objects
    assert len(server.objects) == before - 1
    assert game.admin.get(picture_of(game)).status_code == 200
