"""A service below a path of a host: what it accepts, and the URLs, paths and cookies that it sends."""

import gzip
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import httpx2
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from databases import SqliteDatabases
from playdock.server.security_headers import DEFAULT_POLICY
from playdock.web.application import BUILT, assets_of
from playdock_client import api
from processes.service import PATIENCE
from served import Doom, is_hot, is_repeated, warm, write_doom
from world import PASSWORD, World, running_world

get = partial(httpx2.get, timeout=PATIENCE)
_LINK = re.compile(r'(?:src|href)="([^"]+)"')
_BUILT = pytest.mark.skipif(not (BUILT / "index.html").is_file(), reason="The pages have not been built.")


@pytest.fixture(scope="module")
def doom(sqlite_databases: SqliteDatabases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doom]:
    folder = tmp_path_factory.mktemp("below")
    database_url = sqlite_databases.fresh(folder / "data")
    openid: dict[str, Any] = {"oidc_client_id": "playdock", "oidc_client_secret": "s"}
    openid |= {f"oidc_{name}": f"http://127.0.0.1:1/{name}" for name in ("issuer", "authorization", "token", "jwks")}
    openid["oidc_end_session"] = "http://127.0.0.1:1/end"
    with running_world(folder, database_url=database_url, url_path="/games", **openid) as world:
        yield write_doom(world)


@pytest.fixture
def below(doom: Doom) -> World:
    assert doom.world.address.endswith("/games")
    return doom.world


def _host(world: World) -> str:
    return world.address.removesuffix("/games")


# --- What is accepted ---


@pytest.mark.parametrize(
    "path",
    ["/", "/api/v1/user", "/gamesabc", "/games2/api/v1/user", "/Games/api/v1/user", "//games/api/v1/user"],
)
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "OPTIONS"])
def test_requests_for_other_paths_get_404(below: World, path: str, method: str) -> None:
    refused = httpx2.request(method, f"{_host(below)}{path}", headers={"Accept": "text/html"}, timeout=PATIENCE)
    assert (refused.status_code, refused.headers["content-type"]) == (404, "application/problem+json")
    assert refused.headers["content-security-policy"] == DEFAULT_POLICY[1].decode()
    assert refused.headers["x-content-type-options"] == "nosniff"
    if method != "HEAD":
        assert refused.json()["type"] == "not-found"


def test_health_is_answered_with_and_without_the_path(below: World) -> None:
    for path in ("/health/live", "/games/health/live"):
        assert get(f"{_host(below)}{path}").json()["status"] == "live"


@pytest.mark.parametrize("path", ["/games", "/games/", "/games/store/x", "/%67ames/"])
@_BUILT
def test_pages_are_sent_with_and_without_a_slash(below: World, path: str) -> None:
    shown = get(f"{_host(below)}{path}")
    assert (shown.status_code, shown.headers["content-type"].partition(";")[0]) == (200, "text/html")


def test_web_sockets_are_accepted_below_the_path_only(doom: Doom) -> None:
    address = doom.world.address.replace("http", "ws")
    credential = {"Authorization": f"Bearer {doom.admin.token}"}
    with connect(f"{address}/api/v1/task", additional_headers=credential, open_timeout=120) as opened:
        assert opened.recv(timeout=120) == "connect"
    with pytest.raises(InvalidStatus), connect(address.removesuffix("/games") + "/api/v1/task", open_timeout=120):
        pass


def test_downloads_use_the_fast_paths(doom: Doom) -> None:
    warm(doom)
    headers = {"Range": "bytes=100-199"}
    assert is_hot(doom, lambda: doom.get("files/doom", **headers))
    assert is_repeated(doom, lambda: doom.get("files/doom", **headers))
    assert doom.get("files/doom", **headers).content == doom.files["doom"][100:200]


# --- Cookies ---


def _attributes(response: httpx2.Response) -> dict[str, str]:
    """Return the path of each cookie that a response sets."""
    cookies = response.headers.get_list("set-cookie")
    return {each.partition("=")[0]: re.search("Path=([^;]+)", each, re.IGNORECASE)[1] for each in cookies}  # type: ignore[index]


def test_cookies_are_limited_to_the_path(below: World) -> None:
    body = {"username": "bob", "password": PASSWORD}
    browser = below.any_user()
    signed_in = browser.post("/api/v1/auth/signin/simple", body)
    set_at = _attributes(signed_in)
    assert {name.rpartition(".")[2] for name in set_at} == {"games"}
    assert list(set_at.values()) == ["/games", "/games"]
    assert browser.get("/api/v1/user").json()["username"] == "bob"
    confirmed = browser.post("/api/v1/user/session/confirm", {"password": PASSWORD})
    assert _attributes(confirmed) == {"playdock_session.games": "/games"}
    assert _attributes(browser.post("/api/v1/auth/signout")) == {"playdock_session.games": "/games"}
    assert browser.get("/api/v1/user").json() is None
    started = below.any_user().get("/auth/oidc")
    assert (started.status_code, _attributes(started)) == (303, {"playdock_openid.games": "/games"})


def test_the_cookie_of_another_service_at_a_shorter_path_is_ignored(doom: Doom) -> None:
    cookies = f"playdock_session.games={doom.player.token}; playdock_session=other; playdock_session.games.b=other"
    assert doom.world.any_user().get("/api/v1/user", headers={"Cookie": cookies}).json()["username"] == "bob"


def test_origins_are_compared_without_the_path(doom: Doom) -> None:
    cookie = {"Cookie": f"playdock_session.games={doom.player.token}"}
    asked = {
        _host(doom.world): 200,
        "http://127.0.0.1:1": 403,
        "http://play.example.org": 403,
    }
    for origin, status in asked.items():
        headers = {**cookie, "Origin": origin}
        changed = doom.world.any_user().patch("/api/v1/user", {"displayName": "bob"}, headers=headers)
        assert changed.status_code == status, origin
    linking = {**cookie, "Referer": f"{doom.world.address}/account/sign-in"}
    assert doom.world.any_user().get("/auth/oidc?link=true", headers=linking).status_code != 403


# --- URLs ---


def test_urls_contain_the_path(doom: Doom) -> None:
    world, admin = doom.world, doom.admin
    invited = admin.post("/api/v1/admin/auth/invitation", {"expires": "2100-01-01T00:00:00Z"}).json()
    reset = admin.post(f"/api/v1/admin/users/{doom.player.user['id']}/reset")
    link = doom.player.post(f"/api/v1/versions/{doom.version}/links", {"kind": "file", "path": "zz"}).json()["url"]
    form = {"client_id": "playdock-client"}
    device = world.any_user().request("POST", "/oauth/device_authorization", data=form).json()
    urls = [
        invited[0]["inviteUrl"],
        admin.get("/api/v1/admin/auth/invitation").json()[0]["inviteUrl"],
        reset.json()["resetUrl"],
        link,
        device["verification_uri"],
        device["verification_uri_complete"],
        f"{admin.get('/api/v1/admin/auth').json()['OpenID']['externalUrl']}/",
    ]
    assert [url for url in urls if not url.startswith(f"{world.address}/")] == []
    assert get(link).content == doom.files["zz"]


def test_redirects_contain_the_path(below: World) -> None:
    signed_out = below.browser("bob").post("/auth/signout")
    assert (signed_out.status_code, signed_out.headers["location"]) == (303, "/games/")
    foreign = {"Sec-Fetch-Site": "cross-site", "Referer": "https://evil.example/"}
    followed = below.any_user().get("/auth/oidc?redirect=/library", headers=foreign)
    assert followed.headers["location"] == "/games/auth/signin?redirect=%2Flibrary"
    started = below.any_user().get("/auth/oidc").headers["location"]
    assert httpx2.URL(started).params["redirect_uri"] == f"{below.address}/auth/callback/oidc"


def test_error_pages_link_below_the_path(below: World) -> None:
    refused = below.any_user().get("/auth/callback/oidc?code=x&state=y")
    assert _LINK.findall(refused.text) == ["/games/auth/oidc", "/games/"]


def test_the_api_description_names_the_path(below: World) -> None:
    assert below.any_user().get("/api/openapi.json").json()["servers"] == [{"url": "/games"}]


# --- Pages ---


@_BUILT
def test_the_document_and_its_preloads_refer_to_files_below_the_path(below: World) -> None:
    shown = below.any_user().get("/store/x", headers={"Accept-Language": "de"})
    preloaded = re.findall("<([^>]+)>", shown.headers["link"])
    paths = [*_LINK.findall(shown.text), *preloaded]
    files = [path for path in paths if path != "/games/api/openapi.json"]
    assert len(files) > len(preloaded) == 1
    assert {path.removeprefix("/games") for path in files} <= assets_of(BUILT).keys()
    assert {get(f"{_host(below)}{path}").status_code for path in paths} == {200}


@_BUILT
def test_the_manifest_of_the_pages_leads_below_the_path(below: World) -> None:
    address = f"{below.address}/manifest.webmanifest"
    manifest = get(address).json()
    assert urljoin(address, manifest["start_url"]) == f"{below.address}/"
    assert [get(urljoin(address, icon["src"])).status_code for icon in manifest["icons"]] == [200]


@_BUILT
def test_a_compressed_document_is_the_same(below: World) -> None:
    sent: dict[str, Any] = {}
    for encoding in ("identity", "gzip, br"):
        with httpx2.stream(
            "GET", f"{below.address}/", headers={"accept-encoding": encoding}, timeout=PATIENCE
        ) as response:
            sent[response.headers.get("content-encoding", "")] = b"".join(response.iter_raw()), response.headers["etag"]
    assert gzip.decompress(sent["gzip"][0]) == sent[""][0]
    assert sent["gzip"][1] != sent[""][1]


# --- The client ---


def test_the_client_signs_in_and_installs(doom: Doom, tmp_path: Path) -> None:
    with api.Server(f"{doom.world.address}/", doom.player.token) as server:
        user = server.user()
        assert user is not None
        assert (server.address, user.username) == (doom.world.address, "bob")
        game = server.game(doom.game)
        api.install(
            server, game, game.versions[0], tmp_path / "Doom", options=api.FetchOptions(), progress=api.NoProgress()
        )
        assert server.begin_sign_in("a machine", None).verification_uri == f"{doom.world.address}/device"
    assert {path: (tmp_path / "Doom" / path).read_bytes() for path in doom.files} == doom.files
