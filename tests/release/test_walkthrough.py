"""The installed wheels in separate environments: from the first sign-up to an installed and verified game."""

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from random import Random
from typing import Any

import pytest

import playdock_client
from build_release import PAGES
from processes.service import PATIENCE, Service

from .conftest import Packages
from .environments import Environment, environment_with

pytestmark = pytest.mark.xdist_group("release")
GAME = {
    "teeworlds": b"#!/bin/sh\necho running\n",
    "data/maps/dm1.map": Random(1).randbytes(700_000),
    "data/readme.txt": "Grüße\n".encode(),
}


class _Assets(HTMLParser):
    """Collect the URLs of the resources that a page loads from its own server."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        loaded = [value for name, value in attrs if name in {"src", "href"}]
        self.found += [value for value in loaded if value and value.startswith("/") and tag in {"script", "link"}]


def _assets(page: str) -> list[str]:
    parser = _Assets()
    parser.feed(page)
    return parser.found


@dataclass(frozen=True, slots=True)
class Client:
    """The installed client, with its own home folder and environment."""

    environment: Environment
    home: Path

    def start(self, *words: str) -> subprocess.Popen[str]:
        own = {"HOME": str(self.home), "PLAYDOCK_CLIENT_HOME": str(self.home)}
        return subprocess.Popen(
            [self.environment.program("playdock-client"), *words],
            cwd=self.home,
            env={**self.environment.variables, **own},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    def run(self, *words: str) -> str:
        """Run a command and return its output."""
        with self.start(*words) as process:
            out, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, err
        return out

    def document(self, *words: str) -> Any:
        """Return the machine-readable result of a command, which is its last line."""
        return json.loads(self.run(*words, "--json").splitlines()[-1])

    def sign_in(self, service: Service) -> None:
        """Sign in with a device code, which the user of the service approves."""
        address = f"http://127.0.0.1:{service.port}"
        with self.start("login", address, "--no-browser", "--json") as process:
            assert process.stdout
            code = json.loads(process.stdout.readline())["code"]
            approved = service.request("POST", "/api/v1/user/client/request", {"userCode": code, "approve": True})
            assert approved.status_code == 204, approved.text
            out, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, json.loads(out)["event"]) == (0, "signed-in"), err


@pytest.fixture(scope="module")
def service(packages: Packages, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A running server that was installed from its wheel, without users."""
    folder = tmp_path_factory.mktemp("server")
    wheel = packages.path("playdock-*.whl")
    environment = environment_with(wheel, folder=folder / "venv", locked="run.txt")
    (folder / "data").mkdir()
    found = Service(
        folder,
        f"sqlite:///{folder / 'data/playdock.sqlite3'}",
        more=environment.variables,
        program=environment.program("playdock"),
    )
    found.start()
    yield found
    found.end()


@pytest.fixture(scope="module")
def member(service: Service) -> Service:
    """The same server, with the first user signed in."""
    [link] = service.invitations
    service.sign_up(link)
    return service


@pytest.fixture(scope="module")
def game(member: Service) -> str:
    """The id of a game with one imported version."""
    folder = member.folder / "games"
    for path, content in GAME.items():
        file = folder / "Teeworlds/0.7.5" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    found = member.import_game(folder, "Teeworlds")
    imported = member.finish(member.start_import(found, "0.7.5", launch="teeworlds"))
    assert imported["success"], imported
    return found


@pytest.fixture(scope="module")
def client(packages: Packages, tmp_path_factory: pytest.TempPathFactory) -> Client:
    folder = tmp_path_factory.mktemp("client")
    wheel = packages.path("playdock_client-*.whl")
    environment = environment_with(wheel, folder=folder / "venv", locked="dev.txt")
    (folder / "home").mkdir()
    return Client(environment, folder / "home")


def test_the_installed_server_serves_the_pages_and_all_they_load(service: Service) -> None:
    page = service.request("GET", "/")
    assets = _assets(page.text)
    loaded = {asset: service.request("GET", asset) for asset in assets}

    assert page.headers["content-type"].startswith("text/html")
    assert len(assets) > 5
    assert {asset: answer.content for asset, answer in loaded.items()} == {
        asset: (PAGES.parent / asset.removeprefix("/")).read_bytes() for asset in assets
    }


@pytest.mark.parametrize("path", ["/auth/register?id=x", "/store", "/admin", "/docs/api"])
def test_the_installed_server_serves_a_page_at_every_path(service: Service, path: str) -> None:
    answer = service.request("GET", path)

    assert (answer.status_code, answer.headers["content-type"].partition(";")[0]) == (200, "text/html")


def test_the_first_user_is_an_admin(member: Service) -> None:
    user = member.get("/api/v1/user")

    assert (user["username"], user["admin"]) == ("ada", True)


def test_a_downloaded_game_equals_the_imported_one(member: Service, game: str) -> None:
    [version] = member.get(f"/api/v1/games/{game}/versions")
    manifest = member.get(f"/api/v1/versions/{version['id']}/manifest")
    content = member.request("GET", f"/api/v1/versions/{version['id']}/content")

    assert (version["name"], len(manifest["files"])) == ("0.7.5", len(GAME))
    assert content.content == b"".join(data for _, data in sorted(GAME.items()))


def test_the_installed_client_prints_its_version(client: Client) -> None:
    assert client.run("--version") == f"{playdock_client.__version__}\n"


@pytest.mark.usefixtures("game")
def test_the_installed_client_signs_in_installs_and_verifies_a_game(client: Client, member: Service) -> None:
    client.sign_in(member)
    client.document("install", "Teeworlds", "--to", str(client.home / "Teeworlds"))
    [listed] = client.document("list")["installations"]
    verified = client.document("verify", "Teeworlds")

    assert (listed["state"], verified["sound"]) == ("current", True)
    assert {path: (client.home / "Teeworlds" / path).read_bytes() for path in GAME} == GAME
