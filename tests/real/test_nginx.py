"""A real nginx in front, with the file from ``docs``: what it passes on, and what it sends itself."""

import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

import httpx2
import pytest
from websockets.sync.client import connect

from databases import SqliteDatabases
from nginx import XAccel, running_nginx
from playdock.features.editing.schemas import PicturesForm
from processes.service import free_port
from world import PASSWORD, Caller, World, running_world

DOOM = Random(8).randbytes(700_000)
NAMES = (
    "with space.txt",
    "100%.txt",
    "a%20b.txt",
    "ドア/扉.txt",
    "what?.txt",
    "#1.txt",
    "a+b;c&d=e.txt",
    "[1] 'x'.txt",
)


@dataclass
class Site:
    """A service behind nginx, with a game, and people who come by nginx."""

    world: World
    front: XAccel
    admin: Caller
    ada: Caller
    game: str
    version: str

    def by_nginx(self, token: str = "") -> Caller:
        client = httpx2.Client(base_url=self.front.address, verify=self.front.trusted, timeout=120)
        self.world.clients.append(client)
        return Caller(client, token=token)

    def address(self, file: str = "doom") -> str:
        return f"/api/v1/versions/{self.version}/files/{quote(file)}"

    def get(self, file: str = "doom", **headers: str) -> httpx2.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.ada.get(self.address(file), headers=named)


@pytest.fixture
def world(embedded_world: World) -> World:
    """Bytes are the same whatever the database is."""
    return embedded_world


@pytest.fixture
def site(program: str, database_url: str, tmp_path: Path) -> Iterator[Site]:
    port, http_port = free_port(), free_port()
    settings: dict[str, Any] = {
        "external_url": f"https://127.0.0.1:{port}",
        "trusted_proxies": "127.0.0.1",
        "x_accel_prefix": "/playdock-files",
    }
    with running_world(tmp_path, database_url=database_url, **settings) as world:
        world.put("Doom/1.0/doom", DOOM, mode=0o755)
        for name in NAMES:
            world.put(f"Doom/1.0/{name}", name.encode())
        admin = world.admin("keeper")
        library = world.library(admin)
        game = world.import_game(admin, library, "Doom")
        assert world.import_version(admin, game, "1.0", launch="doom")["success"]
        version = admin.get(f"/api/v1/games/{game}/versions").json()[0]["id"]
        places = {
            "http://127.0.0.1:3000": world.address,
            "LIBRARY-ID": library["id"],
            "/srv/games/": f"{world.games}/",
        }
        with running_nginx(program, tmp_path / "nginx", port=port, http_port=http_port, places=places) as front:
            site = Site(world, front, admin, admin, game, version)
            site.ada = site.by_nginx(world.person("ada").token)
            yield site


# --- Files that nginx sends ---


def test_a_file_is_sent_by_nginx(site: Site) -> None:
    own = site.world.with_token(site.ada.token).get(site.address())
    fetched = site.get()
    assert (fetched.status_code, fetched.content) == (200, DOOM)
    assert len(site.front.sent_itself(of=1)) == 1
    same = ("etag", "content-type", "content-length", "content-disposition", "cache-control", "x-content-type-options")
    assert {name: fetched.headers[name] for name in same} == {name: own.headers[name] for name in same}
    assert fetched.headers.get_list("accept-ranges") == ["bytes"]
    assert not {"last-modified", "x-accel-redirect"} & set(fetched.headers)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [("0-99", DOOM[:100]), ("100-", DOOM[100:]), ("-7", DOOM[-7:]), ("699999-9999999", DOOM[-1:])],
)
def test_a_range_is_sent_by_nginx(site: Site, asked: str, expected: bytes) -> None:
    fetched = site.get(Range=f"bytes={asked}")
    assert (fetched.status_code, fetched.content) == (206, expected)
    assert len(site.front.sent_itself(of=1)) == 1


def test_several_ranges_are_sent_by_nginx(site: Site) -> None:
    fetched = site.get(Range="bytes=0-9,20-29")
    assert fetched.headers["content-type"].startswith("multipart/byteranges")
    assert DOOM[:10] in fetched.content
    assert DOOM[20:30] in fetched.content


def test_a_range_beyond_the_end_is_rejected_by_the_server(site: Site) -> None:
    refused = site.get(Range="bytes=700000-")
    assert (refused.status_code, refused.json()["type"]) == (416, "range-not-satisfiable")


def test_conditional_requests_use_the_etag_of_the_server(site: Site) -> None:
    etag = site.get().headers["etag"]
    asked: list[tuple[dict[str, str], int]] = [
        ({"If_Range": etag, "Range": "bytes=0-9"}, 206),
        ({"If_Range": '"other"', "Range": "bytes=0-9"}, 200),
        ({"If_Range": "Fri, 20 Nov 2026 10:00:00 GMT", "Range": "bytes=0-9"}, 200),
        ({"If_None_Match": etag}, 304),
        ({"If_None_Match": '"other"'}, 200),
        ({"If_None_Match": "*"}, 304),
        ({"If_Match": etag, "Range": "bytes=0-9"}, 206),
        ({"If_Match": '"other"'}, 412),
        ({"If_Modified_Since": "Fri, 20 Nov 2099 10:00:00 GMT"}, 200),
        ({"If_Unmodified_Since": "Thu, 01 Jan 1970 00:00:00 GMT"}, 200),
    ]
    answered = [site.get(**headers) for headers, _ in asked]
    assert [answer.status_code for answer in answered] == [status for _, status in asked]
    assert {answer.headers.get("etag", etag) for answer in answered} == {etag}


@pytest.mark.parametrize("name", NAMES)
def test_file_names_with_any_characters_are_found(site: Site, name: str) -> None:
    assert site.get(name).content == name.encode()
    assert len(site.front.sent_itself(of=1)) == 1


def test_a_file_of_the_base_version_is_found(site: Site) -> None:
    site.world.put("Doom/1.1/added", b"added")
    assert site.world.import_version(site.admin, site.game, "1.1", delta=True)["success"]
    site.version = site.admin.get(f"/api/v1/games/{site.game}/versions").json()[-1]["id"]
    assert (site.get("added").content, site.get().content) == (b"added", DOOM)
    assert [place.rpartition("/Doom/")[2] for place in site.front.sent_itself(of=2)] == ["1.1/added", "1.0/doom"]


def test_head_is_answered_by_the_server(site: Site) -> None:
    head = site.ada.request("HEAD", site.address())
    assert (head.status_code, head.headers["content-length"]) == (200, str(len(DOOM)))


# --- What is refused ---


def test_rejections_are_passed_through(site: Site) -> None:
    other = site.world.token_of(site.admin, "user:read")
    assert site.by_nginx().get(site.address()).status_code == 401
    assert site.by_nginx(other.token).get(site.address()).status_code == 403
    assert site.get("none").status_code == 404
    assert site.front.sent_itself(of=3) == []


def test_a_changed_file_is_not_sent(site: Site) -> None:
    (site.world.games / "Doom/1.0/doom").write_bytes(b"another")
    refused = site.get()
    assert (refused.status_code, refused.json()["type"]) == (409, "content-changed")


def test_files_cannot_be_fetched_past_the_server(site: Site) -> None:
    site.get()
    (place,) = site.front.sent_itself(of=1)
    folders = [place.rpartition("/")[0] + "/", "/playdock-files/", "/playdock-files"]
    for path in (place, *folders):
        asked = site.ada.get(path)
        assert asked.status_code == 404
        assert DOOM[:20] not in asked.content


# --- What the service sends itself ---


def test_version_images_and_archives_are_sent_by_the_server(site: Site) -> None:
    assert DOOM in site.ada.get(f"/api/v1/versions/{site.version}/content").content
    assert site.ada.get(f"/api/v1/versions/{site.version}/archive.zip").content.startswith(b"PK")
    assert site.front.sent_itself(of=2) == []


def test_packed_files_are_sent_by_the_server(site: Site) -> None:
    with zipfile.ZipFile(site.world.games / "Doom/2.0.zip", "w") as archive:
        archive.writestr("doom", DOOM)
    assert site.world.import_version(site.admin, site.game, "2.0.zip", launch="doom")["success"]
    site.version = site.admin.get(f"/api/v1/games/{site.game}/versions").json()[-1]["id"]
    assert site.get().content == DOOM
    assert site.front.sent_itself(of=1) == []


@pytest.mark.parametrize("limits", [{"downloadRate": 10**9}, {"downloadsAtOnce": 5}])
def test_downloads_of_limited_users_are_sent_by_the_server(site: Site, limits: dict[str, int]) -> None:
    me = site.ada.get("/api/v1/user").json()["id"]
    assert site.admin.patch(f"/api/v1/admin/users/{me}", limits).status_code == 200
    assert site.get().content == DOOM
    assert site.front.sent_itself(of=2) == []


def test_downloads_by_links_with_a_limit_are_sent_by_the_server(site: Site) -> None:
    draft = {"kind": "file", "path": "doom", "downloads": 1}
    link = site.ada.post(f"/api/v1/versions/{site.version}/links", draft).json()["url"]
    assert link.startswith(site.front.address)
    assert [site.by_nginx().get(link).status_code for _ in range(2)] == [200, 404]
    assert site.front.sent_itself(of=3) == []


def test_downloads_by_links_without_a_limit_are_sent_by_nginx(site: Site) -> None:
    draft = {"kind": "file", "path": "doom"}
    link = site.ada.post(f"/api/v1/versions/{site.version}/links", draft).json()["url"]
    assert site.by_nginx().get(link).content == DOOM
    assert len(site.front.sent_itself(of=2)) == 1


def test_requests_that_bypass_nginx_are_answered_with_content(site: Site) -> None:
    assert site.world.with_token(site.ada.token).get(site.address()).content == DOOM


# --- Below a path ---


def test_a_service_below_a_path_works_from_sign_up_to_download(
    program: str, sqlite_databases: SqliteDatabases, tmp_path: Path
) -> None:
    port, http_port = free_port(), free_port()
    settings: dict[str, Any] = {
        "external_url": f"https://127.0.0.1:{port}/games",
        "trusted_proxies": "127.0.0.1",
        "x_accel_prefix": "/playdock-files",
    }
    with running_world(tmp_path, database_url=sqlite_databases.fresh(tmp_path / "data"), **settings) as world:
        world.put("Doom/1.0/doom", DOOM, mode=0o755)
        admin = world.admin("keeper")
        library = world.library(admin)
        game = world.import_game(admin, library, "Doom")
        assert world.import_version(admin, game, "1.0", launch="doom")["success"]
        places = {
            "location / {\n        proxy_pass": "location /games/ {\n        proxy_pass",
            "http://127.0.0.1:3000": world.address.removesuffix("/games"),
            "LIBRARY-ID": library["id"],
            "/srv/games/": f"{world.games}/",
        }
        with running_nginx(program, tmp_path / "nginx", port=port, http_port=http_port, places=places) as front:
            options: Any = {"verify": front.trusted, "timeout": 120}
            expires = {"expires": "2100-01-01T00:00:00Z"}
            invitation = admin.post("/api/v1/admin/auth/invitation", expires).json()[0]
            assert invitation["inviteUrl"].startswith(f"{front.address}/games/auth/register?id=")
            redirected = httpx2.get(f"{front.address}/games", **options)
            assert (redirected.status_code, redirected.headers["location"]) == (301, f"{front.address}/games/")
            assert httpx2.get(f"{front.address}/api/v1/user", **options).status_code == 404

            with httpx2.Client(base_url=f"{front.address}/games", **options) as browser:
                credentials = {"username": "ada", "password": PASSWORD}
                signed_up = browser.post(
                    f"/api/v1/auth/signup/simple?id={invitation['id']}",
                    json={"invitation": invitation["id"], "email": "ada@example.org", **credentials},
                )
                assert signed_up.status_code == 201, signed_up.text
                assert browser.post("/api/v1/auth/signin/simple", json=credentials).status_code == 200
                cookies = list(browser.cookies.jar)
                assert all(cookie.name.startswith("__Secure-") and cookie.path == "/games" for cookie in cookies)
                assert browser.get("/api/v1/user").json()["username"] == "ada"
                version = browser.get(f"/api/v1/games/{game}/versions").json()[0]["id"]
                before = len(front.sent_itself(of=6))
                fetched = browser.get(f"/api/v1/versions/{version}/files/doom", headers={"Range": "bytes=0-99"})
                assert (fetched.status_code, fetched.content) == (206, DOOM[:100])
                draft = {"kind": "file", "path": "doom"}
                link = browser.post(
                    f"/api/v1/versions/{version}/links", json=draft, headers={"Origin": front.address}
                ).json()["url"]
                socket = f"{front.address.replace('https', 'wss')}/games/api/v1/task"
                session = "; ".join(f"{cookie.name}={cookie.value}" for cookie in cookies)
                with connect(
                    socket, ssl=front.trusted, additional_headers={"Cookie": session}, open_timeout=120
                ) as opened:
                    assert opened.recv(timeout=120) == "connect"
            assert httpx2.get(link, **options).content == DOOM
            assert (before, len(front.sent_itself(of=10))) == (0, 2)
            paths = ("/games/store", "/games/api/v1/user", "/games/oauth/token")
            plain = [httpx2.get(f"http://127.0.0.1:{http_port}{path}", **options).status_code for path in paths]
            assert plain == [301, 403, 403]


# --- The rest ---


def test_web_sockets_are_passed_through(site: Site) -> None:
    address = site.front.address.replace("https", "wss")
    credential = {"Authorization": f"Bearer {site.ada.token}"}
    with connect(
        f"{address}/api/v1/task", ssl=site.front.trusted, additional_headers=credential, open_timeout=120
    ) as opened:
        assert opened.recv(timeout=120) == "connect"


def test_http_redirects_pages_to_https_and_refuses_the_api(site: Site) -> None:
    plain = (site.front.folder / "site.conf").read_text().partition("listen ")[2].partition(";")[0]
    paths = ("/", "/games/1?a=b", "/auth/signin", "/api/v1/auth", "/api/openapi.json", "/oauth/token")
    got = [httpx2.get(f"http://{plain}{path}", verify=site.front.trusted) for path in paths]
    assert [(each.status_code, each.headers.get("location")) for each in got] == [
        *[(301, f"https://127.0.0.1{path}") for path in paths[:3]],
        *[(403, None)] * 3,
    ]


def test_nginx_accepts_bodies_up_to_the_limit_of_the_server(site: Site) -> None:
    allowed = (site.front.folder / "site.conf").read_text().partition("client_max_body_size ")[2].partition("m;")[0]
    assert int(allowed) * 1024 * 1024 >= PicturesForm.limits.max_body_bytes
