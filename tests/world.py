"""A world to test in: a real server on loopback with a database of its own, and people who call it."""

import ssl
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import httpx2
from blake3 import blake3

from databases import Statements
from hosting import Hosts
from playdock.auth.passwords import Passwords
from playdock.cli.opening import make_data_folder
from playdock.features.invitations.schemas import InvitationCreate
from playdock.kit.clock import utc_now
from playdock.metadata.providers import Providers
from playdock.settings import Settings
from playdock.web.hot_ranges import HotRanges
from playdock.web.services import Services
from playdock.web.wiring import wire

PASSWORD = "correct horse battery"
_T = TypeVar("_T")
_PATIENCE = 120.0
_HOSTS = Hosts()
# Settings of all worlds, such as an S3 server for their objects, each with a prefix of its own.
SHARED_SETTINGS: dict[str, Any] = {}
_STATEMENTS = Statements()
# Clients that make one of their own take 65 ms each to do so, for connections that have no TLS.
NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


@dataclass
class FakeClock:
    """The real time, moved by what a test wants."""

    offset: timedelta = timedelta()

    def __call__(self) -> datetime:
        return utc_now() + self.offset

    def advance(self, **duration: float) -> None:
        self.offset += timedelta(**duration)

    def advance_to_noon(self) -> None:
        """Go on to the next noon, for what must not begin a new day during a test."""
        now = self()
        noon = now.replace(hour=12, minute=0, second=0, microsecond=0)
        self.offset += noon - now if noon > now else noon + timedelta(days=1) - now


@dataclass
class Caller:
    """Somebody who calls the service, or nobody in particular."""

    http: httpx2.Client
    user: dict[str, Any] = field(default_factory=dict)
    token: str = ""

    def request(self, method: str, path: str, **options: Any) -> httpx2.Response:
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        headers.update(options.pop("headers", {}))
        return self.http.request(method, path, headers=headers, **options)

    def get(self, path: str, **options: Any) -> httpx2.Response:
        return self.request("GET", path, **options)

    def post(self, path: str, body: Any = None, **options: Any) -> httpx2.Response:
        return self.request("POST", path, json=body, **options)

    def patch(self, path: str, body: Any = None, **options: Any) -> httpx2.Response:
        return self.request("PATCH", path, json=body, **options)

    def delete(self, path: str, body: Any = None, **options: Any) -> httpx2.Response:
        return self.request("DELETE", path, json=body, **options)


@dataclass
class World:
    """A running service and the people around it."""

    folder: Path
    services: Services
    clock: FakeClock
    address: str
    hot_ranges: HotRanges
    clients: list[httpx2.Client] = field(default_factory=list)

    def any_user(self) -> Caller:
        """Somebody with a connection of their own and no credential."""
        client = httpx2.Client(base_url=self.address, timeout=_PATIENCE, verify=NO_TLS)
        self.clients.append(client)
        return Caller(client)

    def with_token(self, token: str) -> Caller:
        caller = self.any_user()
        caller.token = token
        return caller

    def invitation(self, **wanted: Any) -> str:
        """An invitation straight from the service, as the command line makes it."""
        draft = InvitationCreate(expires=self.clock() + timedelta(days=1), **wanted)
        return self.services.invitations.issue(draft).id

    def sign_up(self, invitation: str, *, username: str = "ada", **wanted: Any) -> httpx2.Response:
        body = {
            "invitation": invitation,
            "username": username,
            "password": PASSWORD,
            "email": f"{username}@example.org",
        }
        return self.any_user().post("/api/v1/auth/signup/simple", {**body, **wanted})

    def sign_in(self, username: str, password: str = PASSWORD, **wanted: Any) -> httpx2.Response:
        body = {"username": username, "password": password, **wanted}
        return self.any_user().post("/api/v1/auth/signin/simple", body)

    def person(self, username: str = "bob", *, admin: bool = False) -> Caller:
        """Somebody who has signed up and signed in."""
        signed_up = self.sign_up(self.invitation(is_admin=admin), username=username)
        assert signed_up.status_code == 201, signed_up.text
        caller = self.with_token(self.sign_in(username).json()["accessToken"])
        caller.user = signed_up.json()
        return caller

    def browser(self, username: str) -> Caller:
        """Somebody with an account who signs in again and goes on by cookie."""
        caller = self.any_user()
        signed_in = caller.post("/api/v1/auth/signin/simple", {"username": username, "password": PASSWORD})
        assert signed_in.status_code == 200, signed_in.text
        return caller

    def admin(self, username: str = "ada") -> Caller:
        return self.person(username, admin=True)

    def token_of(self, owner: Caller, *acls: str) -> Caller:
        """A program with an API token of somebody."""
        made = owner.post("/api/v1/user/token", {"name": "a program", "acls": list(acls)})
        assert made.status_code == 201, made.text
        return self.with_token(made.json()["token"])

    def library(self, admin: Caller, base: Path | None = None, *, backend: str = "Filesystem") -> dict[str, Any]:
        """A library at a folder, by default at the world's own."""
        base = base or self.games
        base.mkdir(parents=True, exist_ok=True)
        draft = {"name": base.name, "backend": backend, "options": {"baseDir": str(base)}}
        made = admin.post("/api/v1/admin/library/sources", draft)
        assert made.status_code == 201, made.text
        library: dict[str, Any] = made.json()
        return library

    @property
    def games(self) -> Path:
        return self.folder / "games"

    def put(self, path: str, content: bytes = b"content", *, mode: int = 0o644) -> Path:
        """A file in the world's own library, such as ``Doom/1.0/doom.exe``."""
        file = self.games / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        file.chmod(mode)
        return file

    def unimported(self, admin: Caller) -> list[str]:
        """Return the names of the games that could be imported."""
        listed = admin.get("/api/v1/admin/import/game").json()["unimportedGames"]
        return [each["game"] for each in listed]

    def import_game(self, admin: Caller, library: dict[str, Any], path: str) -> str:
        """Import a game and return its id."""
        started = admin.post("/api/v1/admin/import/game", {"library": library["id"], "path": path})
        assert started.status_code == 202, started.text
        task = self.finish(admin, started.json()["taskId"])
        assert task["success"], task
        games = admin.get("/api/v1/admin/library").json()["games"]
        found: str = next(each["game"]["id"] for each in games if each["game"]["libraryPath"] == path)
        return found

    def import_version(self, admin: Caller, game: str, version: str, **wanted: Any) -> dict[str, Any]:
        """Import a version and return its task when it has ended."""
        body = {"id": game, "version": version, "platform": "Linux", "delta": False, **wanted}
        started = admin.post("/api/v1/admin/import/version", body)
        assert started.status_code == 202, started.text
        return self.finish(admin, started.json()["taskId"])

    def finish(self, caller: Caller, task_id: str) -> dict[str, Any]:
        """Wait for the end of a task."""
        deadline = time.monotonic() + _PATIENCE
        while time.monotonic() < deadline:
            task: dict[str, Any] = caller.get(f"/api/v1/task/{task_id}").json()
            if task["ended"]:
                return task
            time.sleep(0.01)
        raise AssertionError(f"The task did not end: {task}")

    def manifest(self, caller: Caller, game: str, version: str) -> dict[str, Any]:
        """The manifest of a version of that name."""
        versions = caller.get(f"/api/v1/games/{game}/versions").json()
        found = next(each["id"] for each in versions if each["name"] == version)
        manifest: dict[str, Any] = caller.get(f"/api/v1/versions/{found}/manifest").json()
        return manifest


def at_once(calls: Sequence[Callable[[], _T]]) -> list[_T]:
    """Make calls from threads that start together, and return the answers in order."""
    start = threading.Barrier(len(calls))

    def run(call: Callable[[], _T]) -> _T:
        start.wait(_PATIENCE)
        return call()

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(run, calls))


def _shared_settings(folder: Path) -> dict[str, Any]:
    if "objects_url" not in SHARED_SETTINGS:
        return SHARED_SETTINGS
    name = blake3(str(folder).encode()).hexdigest(length=8)
    return {**SHARED_SETTINGS, "objects_url": f"{SHARED_SETTINGS['objects_url']}/{name}"}


@contextmanager
def running_world(
    folder: Path,
    *,
    database_url: str,
    passwords: Passwords | None = None,
    providers: Providers | None = None,
    url_path: str = "",
    **wanted: Any,
) -> Iterator[World]:

    def settings_at(address: str) -> Settings:
        given = {"external_url": f"{address}{url_path}", "data_dir": folder / "data", "database_url": database_url}
        return Settings(
            **{**given, "metadata_providers": "none", "watch_libraries": False, **_shared_settings(folder), **wanted}
        )

    with _HOSTS.host(settings_at) as (host, settings):
        clock = FakeClock()
        passwords = passwords or Passwords(time_cost=1, memory_cost=8)
        make_data_folder(settings)
        services = wire(settings, clock=clock, passwords=passwords, providers=providers)
        _STATEMENTS.share(services.db)
        with host.serving(services) as app:
            world = World(folder, services, clock, f"{host.address}{settings.url_path}", hot_ranges=app)
            try:
                yield world
            finally:
                for client in world.clients:
                    client.close()
