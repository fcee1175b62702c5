"""What the access log shows of a request, and the ids of requests."""

import re
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from databases import SqliteDatabases
from playdock.server import access_log
from playdock.server.access_log import masked
from served import Doom, is_hot, is_repeated, warm, write_doom
from waiting import wait_until
from world import running_world

_API = "/api/v1/games/{game_id}"
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@pytest.mark.parametrize(
    ("path", "route", "logged"),
    [
        (b"/api/v1/games/0b2f-1", _API, "/api/v1/games/0b2f-1"),
        (b"/api/v1/versions/x/files/a%20b%0A.txt", _API, "/api/v1/versions/x/files/a%20b%0A.txt"),
        (b"/api/v1/games/pds_abcdefghijklm", _API, "/api/v1/games/***"),
        (b"/auth/register/0b2f4d6e-1c2d-4e5f-8a9b-0c1d2e3f4a5b", "/{path}", "/auth/register/***"),
        (b"/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0", "", "/***.***"),
        (b"/a\x1b[31m\xc3\xa4", "", "/a%1B%5B31m%C3%A4"),
        (b"/" + b"a/" * 1000, "", "/" + "a/" * 249 + "a"),
    ],
)
def test_paths_are_masked(path: bytes, route: str, logged: str) -> None:
    assert masked(path, route=route) == logged


@pytest.fixture(scope="module")
def doom(sqlite_databases: SqliteDatabases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doom]:
    folder = tmp_path_factory.mktemp("logged")
    with running_world(
        folder, database_url=sqlite_databases.fresh(folder / "data"), access_log=True, trusted_proxies="127.0.0.2"
    ) as world:
        yield write_doom(world)


@pytest.fixture
def lines(doom: Doom, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []

    class _Log:
        def info(self, event: str, **fields: Any) -> None:
            found.append({"event": event, **fields})

    monkeypatch.setattr(access_log, "_log", _Log())
    return found


def test_each_request_is_logged_with_its_id(doom: Doom, lines: list[dict[str, Any]]) -> None:
    world, player = doom.world, doom.player
    link = player.post(f"/api/v1/versions/{doom.version}/links", {"kind": "content"}).json()
    answers = [
        player.get("/api/v1/user", headers={"X-Request-Id": "chosen-by-a-client"}),
        world.any_user().get(f"/api/v1/auth/signup/simple?id={world.invitation()}"),
        world.any_user().get(link["url"]),
        doom.get(),
        world.any_user().get("/api/v1/nothing/here"),
    ]
    ids = [answer.headers["x-request-id"] for answer in answers]
    assert all(map(_UUID.fullmatch, ids))
    # A line is written when the response has been sent.
    wait_until(lambda: set(ids) <= {line["request"] for line in lines})
    seen = sorted((line for line in lines if line["request"] in ids), key=lambda line: ids.index(line["request"]))
    assert [(line["status"], line["bytes"]) for line in seen] == [
        (answer.status_code, len(answer.content)) for answer in answers
    ]
    assert [line["user"] for line in seen] == [doom.player.user["id"], None, *[doom.player.user["id"]] * 2, None]
    assert {line["address"] for line in seen} == {"127.0.0.1"}
    assert link["url"].rpartition("=")[2] not in str(lines)


@pytest.mark.parametrize(
    ("source", "chosen", "accepted"),
    [
        ("127.0.0.2", "0123456789abcdef", True),
        ("127.0.0.2", "a b", False),
        ("127.0.0.2", "x" * 65, False),
        ("127.0.0.3", "0123456789abcdef", False),
    ],
)
def test_only_a_trusted_proxy_chooses_ids(doom: Doom, source: str, chosen: str, *, accepted: bool) -> None:
    transport = httpx2.HTTPTransport(local_address=source)
    with httpx2.Client(base_url=doom.world.address, transport=transport) as client:
        answer = client.get("/api/v1/user", headers={"X-Request-Id": chosen})
    assert (answer.headers["x-request-id"] == chosen) is accepted


def test_every_range_is_logged(doom: Doom, lines: list[dict[str, Any]]) -> None:
    warm(doom)
    assert is_hot(doom, lambda: doom.get(Range="bytes=5-9"))
    assert not is_repeated(doom, lambda: doom.get(Range="bytes=1-2"), attempts=3)
    wait_until(lambda: [(line["path"], line["bytes"]) for line in lines].count((doom.address(), 2)) == 3)
