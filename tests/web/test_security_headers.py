"""Headers that protect browsers: in every response, whatever it is."""

import socket
from collections.abc import Iterator

import pytest

from databases import SqliteDatabases
from served import Doom, write_doom
from world import World, running_world

HTTPS = {"strict-transport-security": "max-age=31536000; includeSubDomains", "x-content-type-options": "nosniff"}
POLICY = "content-security-policy"


@pytest.fixture(scope="module")
def doom(sqlite_databases: SqliteDatabases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doom]:
    """A game on a server that users reach over https."""
    folder = tmp_path_factory.mktemp("secure")
    address = "https://games.example.org"
    with running_world(folder, database_url=sqlite_databases.fresh(folder / "data"), external_url=address) as world:
        yield write_doom(world)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/v1/user", 200),
        ("GET", "/api/v1/versions/{version}/content", 200),
        ("GET", "/api/v1/versions/{version}/content?frames=zstd", 200),
        ("GET", "/api/v1/versions/{version}/archive.zip", 200),
        ("GET", "/api/v1/versions/{version}/manifest", 200),
        ("HEAD", "/api/v1/versions/{version}/files/doom", 200),
        ("GET", "/api/v1/object/{picture}", 200),
        ("GET", "/api/openapi.json", 200),
        ("OPTIONS", "/api/v1/user", 204),
        ("PATCH", "/api/v1/user", 400),
        ("GET", "/api/v1/admin/users", 403),
        ("GET", "/api/v1/nothing", 404),
        ("PUT", "/api/v1/user", 405),
        ("GET", "/oauth/nothing", 404),
        ("POST", "/oauth/token", 400),
        ("GET", "/auth/oidc", 404),
        ("POST", "/auth/signout", 303),
        ("GET", "/nothing.js", None),
        ("GET", "/", None),
    ],
)
def test_every_response_has_them(doom: Doom, method: str, path: str, status: int | None) -> None:
    address = path.format(version=doom.version, picture=doom.player.user["profilePictureObjectId"])
    headers = {"Range": "bytes=0-9"}
    caller = doom.world.any_user() if path.startswith("/auth/") else doom.player
    for more in ({}, headers, headers) if "content" in path else ({},):
        answer = caller.request(method, address, headers=more)
        assert answer.status_code == status or status is None or (more and answer.status_code == 206)
        assert {name: answer.headers.get_list(name) for name in HTTPS} == {name: [each] for name, each in HTTPS.items()}
        (policy,) = answer.headers.get_list(POLICY)
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy


def test_an_invalid_request_has_them_too(doom: Doom) -> None:
    host, port = doom.world.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=120) as opened:
        opened.sendall(b"nonsense\r\n\r\n")
        answer = opened.makefile("rb").read().decode().lower()
    assert answer.startswith("http/1.1 400")
    assert [name for name in (*HTTPS, POLICY) if answer.count(f"\r\n{name}: ") != 1] == []


def test_without_https_browsers_are_not_told_to_use_it(site: World) -> None:
    headers = site.any_user().get("/api/v1/user").headers
    assert ("strict-transport-security" in headers, headers["x-content-type-options"]) == (False, "nosniff")
