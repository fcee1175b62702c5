"""Short ranges that are answered before the framework's routing: the same as what the route answers.

There are two ways: the first request of a connection is parsed, the following ones are not (`repeated_requests.py`).
"""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import httpx2
import pytest

from databases import SqliteDatabases
from served import Doom, connection, is_hot, is_repeated, rewrite, warm, write_doom
from waiting import wait_until
from world import Caller, World, running_world

_DIFFERENT = ("date", "content-type", "x-request-id")
# With this header a request is left to the route, which ignores it unless a reverse proxy is configured.
ROUTE = {"X-Sendfile-Type": "none"}


@pytest.fixture(scope="module")
def read_only(sqlite_databases: SqliteDatabases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doom]:
    """A game that no test changes."""
    folder = tmp_path_factory.mktemp("hot")
    with running_world(folder, database_url=sqlite_databases.fresh(folder / "data")) as world:
        yield warm(write_doom(world))


@pytest.fixture
def doom(embedded_world: World) -> Doom:
    return warm(write_doom(embedded_world))


def all_ways(doom: Doom, caller: Caller, what: str, method: str = "GET", **headers: str) -> list[Any]:
    """Return what is answered to a new request, to a repeated one and by the route, without random parts."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    others = [{**named, "Range": "bytes=0-1"}] * 2
    ways = [named, *others, named, {**named, **ROUTE}]
    answers = [comparable(caller.request(method, doom.address(what), headers=each)) for each in ways]
    return [answers[0], answers[3], answers[4]]


def comparable(answer: httpx2.Response) -> Any:
    if answer.headers.get("content-type", "").endswith("json"):
        return answer.status_code, {**answer.json(), "requestId": ""}
    headers = {name: value for name, value in answer.headers.items() if name not in _DIFFERENT}
    if "boundary=" in answer.headers.get("content-type", ""):
        return answer.status_code, len(answer.content)
    return answer.status_code, headers, answer.headers.get("content-type"), answer.content


HOT = [
    ("content", {"Range": "bytes=0-0"}),
    ("content", {"Range": "bytes=1048570-1100000"}),
    ("content", {"Range": "bytes=-1"}),
    ("files/doom", {"Range": "bytes=3145728-99999999999"}),
    ("content", {"Range": "bytes=100-200", "If_None_Match": '"other"'}),
    ("content", {"Range": "bytes=100-200", "If_Match": "*"}),
    ("files/doom", {"Range": "bytes=70000-135535"}),
    ("files/doom", {"Range": "bytes=-17"}),
    ("files/with space.txt", {"Range": "bytes=0-"}),
    ("files/ドア.txt", {"Range": "bytes=0-0"}),
]
LEFT_TO_THE_ROUTE = [
    ("content", {}),
    ("content", {"Range": "bytes=0-1000000"}),
    ("content", {"Range": "bytes=0-0,5-9"}),
    ("content", {"Range": "bytes=99999999999-"}),
    ("content", {"Range": "bytes=99999999990-99999999999"}),
    ("content", {"Range": "bytes=0-99999999999"}),
    ("content", {"Range": "bytes=0-0", "If_Match": '"other"'}),
    ("content", {"Range": "bytes=0-0", "If_None_Match": "*"}),
    ("content?frames=zstd", {"Range": "bytes=0-0"}),
    ("files/nothing", {"Range": "bytes=0-0"}),
    ("files/../1.0/doom", {"Range": "bytes=0-0"}),
    ("files/doom%00", {"Range": "bytes=0-0"}),
    ("files/empty", {"Range": "bytes=0-0"}),
    ("files/zz", {"Range": "bytes=5-2"}),
    ("files/zz", {"Range": "bytes=0-0", "If_Range": '"other"'}),
    ("archive.zip", {"Range": "bytes=0-0"}),
]


@pytest.mark.parametrize(("what", "headers"), HOT)
def test_a_hot_range_equals_the_response_of_the_route(read_only: Doom, what: str, headers: dict[str, str]) -> None:
    new, repeated, route = all_ways(read_only, read_only.player, what, **headers)
    assert new == repeated == route
    assert is_hot(read_only, lambda: read_only.get(what, **headers))


@pytest.mark.parametrize(("what", "headers"), LEFT_TO_THE_ROUTE)
def test_other_requests_are_left_to_the_route(read_only: Doom, what: str, headers: dict[str, str]) -> None:
    new, repeated, route = all_ways(read_only, read_only.player, what, **headers)
    assert new == repeated == route
    assert not is_hot(read_only, lambda: read_only.get(what, **headers), attempts=1)


def test_a_head_request_is_left_to_the_route(read_only: Doom) -> None:
    new, repeated, route = all_ways(read_only, read_only.player, "content", method="HEAD", Range="bytes=0-0")
    assert new == repeated == route


@pytest.mark.parametrize("credential", ["none", "unknown", "without the right", "of another link"])
def test_a_hot_range_requires_permission(read_only: Doom, credential: str) -> None:
    world = read_only.world
    callers: dict[str, Callable[[], Caller]] = {
        "none": world.any_user,
        "unknown": lambda: world.with_token("pdt_unknown"),
        "without the right": lambda: world.token_of(read_only.player, "user:read"),
        "of another link": lambda: world.with_token(link(read_only, "files/zz")),
    }
    caller = callers[credential]()
    for _ in range(2):
        new, repeated, route = all_ways(read_only, caller, "content", Range="bytes=0-0")
        assert new == repeated == route
        assert new[0] in (401, 403)


def link(doom: Doom, what: str) -> str:
    """Return the secret of a link to a file of the game."""
    made = doom.player.post(f"/api/v1/versions/{doom.version}/links", {"kind": "file", "path": what[6:]})
    assert made.status_code == 201, made.text
    secret: str = made.json()["url"].partition("link=")[2]
    return secret


@pytest.mark.parametrize(("what", "span"), [("content", "1048570-1100000"), ("files/doom", "3145728-99999999999")])
def test_a_repeated_request_is_not_parsed(read_only: Doom, what: str, span: str) -> None:
    assert is_repeated(read_only, lambda: read_only.get(what, Range=f"bytes={span}"))


@pytest.mark.parametrize(("what", "headers"), LEFT_TO_THE_ROUTE)
def test_a_request_left_to_the_route_is_not_repeated(read_only: Doom, what: str, headers: dict[str, str]) -> None:
    read_only.get(what, **{**headers, "Range": "bytes=0-0"})
    assert not is_repeated(read_only, lambda: read_only.get(what, **headers), attempts=2)


def test_a_credential_works_until_it_is_revoked(doom: Doom) -> None:
    program = doom.world.token_of(doom.player, "user:content:read")
    for _ in range(2):
        assert program.get(doom.address(), headers={"Range": "bytes=0-9"}).status_code == 206
    assert is_repeated(doom, lambda: program.get(doom.address(), headers={"Range": "bytes=0-9"}))
    doom.admin.patch(f"/api/v1/admin/users/{doom.player.user['id']}", {"enabled": False})
    assert program.get(doom.address(), headers={"Range": "bytes=0-9"}).status_code == 401


def test_a_credential_works_until_it_expires(doom: Doom) -> None:
    expiry = (doom.world.clock() + timedelta(minutes=5)).isoformat()
    made = doom.player.post("/api/v1/user/token", {"name": "n", "acls": ["user:content:read"], "expiry": expiry})
    program = doom.world.with_token(made.json()["token"])
    assert is_repeated(doom, lambda: program.get(doom.address(), headers={"Range": "bytes=0-9"}))
    doom.world.clock.advance(minutes=6)
    assert program.get(doom.address(), headers={"Range": "bytes=0-9"}).status_code == 401


def test_a_changed_file_is_not_sent_as_a_hot_range(doom: Doom) -> None:
    assert is_repeated(doom, lambda: doom.get("files/doom", Range="bytes=0-9"))
    rewrite(doom.folder / "doom")
    refused = doom.get("files/doom", Range="bytes=0-9")
    assert (refused.status_code, refused.json()["type"]) == (409, "content-changed")


def test_a_replaced_file_is_not_sent(doom: Doom) -> None:
    assert is_repeated(doom, lambda: doom.get("files/doom", Range="bytes=0-9"))
    other = doom.folder / "other"
    other.write_bytes(bytes(len(doom.files["doom"])))
    other.replace(doom.folder / "doom")
    refused = doom.get("files/doom", Range="bytes=0-9")
    assert (refused.status_code, refused.json()["type"]) == (409, "content-changed")


def test_a_file_replaced_by_a_symlink_is_not_followed(doom: Doom) -> None:
    assert is_repeated(doom, lambda: doom.get("files/doom", Range="bytes=0-9"))
    file = doom.folder / "doom"
    file.rename(doom.world.games / "elsewhere")
    file.symlink_to(doom.world.games / "elsewhere")
    refused = doom.get("files/doom", Range="bytes=0-9")
    assert (refused.status_code, refused.json()["type"]) == (409, "content-changed")


def test_a_deleted_version_is_not_found_immediately(doom: Doom) -> None:
    assert is_repeated(doom, lambda: doom.get(Range="bytes=0-9"))
    assert doom.admin.delete(f"/api/v1/admin/game/{doom.game}").status_code == 204
    assert doom.get(Range="bytes=0-9").status_code == 404


@pytest.mark.parametrize(
    ("limits", "hot"), [({"downloadsAtOnce": 1}, True), ({"downloadRate": 10_000_000}, False), ({}, True)]
)
def test_only_a_rate_limit_disables_hot_ranges(doom: Doom, limits: dict[str, int], *, hot: bool) -> None:
    doom.admin.patch(f"/api/v1/admin/users/{doom.player.user['id']}", limits)
    doom.get(Range="bytes=0-9")
    assert is_repeated(doom, lambda: doom.get(Range="bytes=0-9")) is hot


def test_the_limit_of_simultaneous_downloads_is_enforced(doom: Doom) -> None:
    doom.admin.patch(f"/api/v1/admin/users/{doom.player.user['id']}", {"downloadsAtOnce": 1})
    assert is_repeated(doom, lambda: doom.get(Range="bytes=0-9"))
    with connection(doom):
        wait_until(lambda: doom.player.get("/api/v1/user/limits").json()["running"] == 1)
        assert doom.get(Range="bytes=0-9").status_code == 429


@pytest.mark.parametrize("is_so", [is_hot, is_repeated])
def test_hot_ranges_are_recorded_but_do_not_count_as_running(doom: Doom, is_so: Callable[..., bool]) -> None:
    before, fetched = sent_today(doom), list[bytes]()
    assert is_so(doom, lambda: fetched.append(doom.get(Range="bytes=0-65535").content))
    assert sent_today(doom) - before == len(fetched) * 65_536


def sent_today(doom: Doom) -> int:
    # A transfer may end after its last byte has arrived, but before the next request is answered.
    assert doom.player.get("/api/v1/user/limits").json()["running"] == 0
    doom.world.services.transfer_recorder.write()
    days = doom.admin.get("/api/v1/admin/statistics").json()["days"]
    sent: int = days[-1]["bytes"]
    return sent
