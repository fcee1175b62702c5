"""Links to large files in S3: who gets them, and that the client downloads with them without trusting the S3 server."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import httpx2
import pytest

from client.installations import PATIENCE, Watching
from databases import SqliteDatabases
from playdock_client.connection import Server
from playdock_client.installing import FetchOptions, install
from playdock_client.progress import NoticeKind
from s3_games import GamesInS3, settings_of
from s3_server import S3Server, running_s3
from world import Caller, World, running_world

# With its own S3 server for the objects.
pytestmark = pytest.mark.folder_objects

MIB = 1024 * 1024
LARGE = {f"data/{number} ü%+.pak": Random(number).randbytes(3 * MIB) for number in range(3)}
SMALL = {f"texts/{number}": f"{number}".encode() * 1000 for number in range(20)}


@pytest.fixture(scope="module")
def server() -> Iterator[S3Server]:
    with running_s3() as running:
        yield running


@pytest.fixture(scope="module")
def shop(
    server: S3Server, sqlite_databases: SqliteDatabases, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("shop")
    settings = {**settings_of(server.location()), "objects_public_endpoint": server.address}
    with running_world(folder, database_url=sqlite_databases.fresh(folder / "data"), **settings) as world:
        yield world


@pytest.fixture(scope="module")
def stock(shop: World, server: S3Server) -> GamesInS3:
    return GamesInS3.at(shop, server.location(prefix="my/games"))


@pytest.fixture(scope="module")
def version(stock: GamesInS3) -> str:
    return stock.add("1.0", {**LARGE, **SMALL}, launch="texts/1")


def _links(caller: Caller, version: str, start: int = 0) -> dict[str, Any]:
    answer = caller.get(f"/api/v1/versions/{version}/file-links", params={"start": start})
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")
    found: dict[str, Any] = answer.json()
    return found


def test_large_files_have_links(stock: GamesInS3, version: str) -> None:
    image = b"".join({**LARGE, **SMALL}[path] for path in sorted({**LARGE, **SMALL}))
    listed = _links(stock.admin, version)
    assert (listed["until"], listed["expiresIn"]) == (len(image), 3600)
    assert [each["size"] for each in listed["links"]] == [3 * MIB] * 3
    for each in listed["links"]:
        assert httpx2.get(each["url"]).content == image[each["start"] : each["start"] + each["size"]]
    # A file that begins before the offset has bytes after it.
    assert [each["start"] for each in _links(stock.admin, version, 4 * MIB)["links"]] == [3 * MIB, 6 * MIB]
    assert _links(stock.admin, version, len(image))["links"] == []
    assert stock.admin.get(f"/api/v1/versions/{version}/file-links", params={"start": -1}).status_code == 400


def test_whose_downloads_are_counted_or_limited_gets_none(stock: GamesInS3, version: str) -> None:
    limited = stock.world.person("slow")
    own_id = limited.get("/api/v1/user").json()["id"]
    assert _links(limited, version)["links"]
    stock.admin.patch(f"/api/v1/admin/users/{own_id}", {"downloadRate": 10**9})
    assert (_links(limited, version, 5)["links"], _links(limited, version, 5)["until"]) == ([], 5)
    assert limited.get(f"/api/v1/versions/{version}/mirrors").json()["fileLinks"] is False


@pytest.mark.usefixtures("version")
def test_the_client_downloads_with_links(shop: World, stock: GamesInS3, server: S3Server, tmp_path: Path) -> None:
    before, progress = len(server.requests), Watching()
    player = shop.token_of(shop.person("carla"), "user:content:read", "user:store:read", "user:read")
    with Server(shop.address, player.token, retry_seconds=PATIENCE) as at:
        version = at.versions(stock.game)[-1]
        install(at, at.game(stock.game), version, tmp_path / "doom", options=FetchOptions(), progress=progress)

    for path, content in {**LARGE, **SMALL}.items():
        assert (tmp_path / "doom" / path).read_bytes() == content
    assert [request for request in server.requests[before:] if "X-Amz-Signature" in request]
    assert [notice for notice in progress.notices if notice.kind is NoticeKind.MIRROR_DROPPED] == []
