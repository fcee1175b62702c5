"""A player at a prompt, and a server with a game for them."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from databases import SqliteDatabases
from playdock_client.client_folders import ClientFolders
from playdock_client.credentials import Credentials
from world import Caller, World, running_world

PROGRAM = Path(sys.executable).with_name("playdock-client")
_PATIENCE = 120


@dataclass(frozen=True, slots=True)
class InstallOutcome:
    """How a command ended and what it said."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The answer for programs: the last line."""
        return json.loads(self.out.splitlines()[-1])

    @property
    def events(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


# Lets `make coverage` measure the commands too, although they get none of the other variables.
COVERAGE = {name: value for name, value in os.environ.items() if name.startswith("COVERAGE_")}


@dataclass(frozen=True, slots=True)
class Player:
    """Somebody at a prompt, with a home of their own."""

    home: Path
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def folders(self) -> ClientFolders:
        return ClientFolders.from_environment({"PLAYDOCK_CLIENT_HOME": str(self.home)})

    def run(self, *words: str | Path, **variables: str) -> InstallOutcome:
        ended = subprocess.run(
            [PROGRAM, *words],
            cwd=self.home,
            env=self._environment(variables),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=_PATIENCE,
            check=False,
        )
        return InstallOutcome(ended.returncode, ended.stdout, ended.stderr)

    def start(self, *words: str | Path, **variables: str) -> subprocess.Popen[str]:
        """Run a command that goes on while the test does something."""
        return _Started(
            [PROGRAM, *words],
            cwd=self.home,
            env=self._environment(variables),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    def sign_in(self, address: str, token: str) -> None:
        """Sign in as if it had been done before."""
        Credentials(self.folders.credentials).add(address, token)

    def _environment(self, variables: dict[str, str]) -> dict[str, str]:
        own = {"PATH": os.environ["PATH"], "HOME": str(self.home), "PLAYDOCK_CLIENT_HOME": str(self.home)}
        # Tests have no network but loopback.
        own["PLAYDOCK_DISCOVERY"] = "off"
        return {**COVERAGE, **own, **self.environment, **variables}


class _Started(subprocess.Popen[str]):
    """A process that a failed test does not wait for."""

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if kind is not None:
            self.kill()
        super().__exit__(kind, *rest)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class ServerWithGames:
    """A server, its admin, a game that lies in its library, and a program with a token for what the client needs."""

    world: World
    admin: Caller
    program: Caller
    game: str
    name: str = "Doom"

    @property
    def address(self) -> str:
        return self.world.address

    def release(self, version: str, files: dict[str, bytes], *, executable: str = "", **wanted: Any) -> str:
        """Import a version with these files, and return its id."""
        for path, content in files.items():
            self.world.put(f"{self.name}/{version}/{path}", content, mode=0o755 if path == executable else 0o644)
        wanted = {"launch": next(iter(files)), **wanted}
        task = self.world.import_version(self.admin, self.game, version, **wanted)
        assert task["success"], task
        versions = self.admin.get(f"/api/v1/games/{self.game}/versions").json()
        found: str = next(each["id"] for each in versions if each["name"] == version)
        return found


@pytest.fixture
def player(tmp_path: Path) -> Player:
    """Somebody who has never been signed in anywhere."""
    home = tmp_path / "player"
    home.mkdir()
    return Player(home)


@pytest.fixture
def shop(sqlite_databases: SqliteDatabases, tmp_path: Path) -> Iterator[ServerWithGames]:
    """A server with a game of no versions. Which database it has does not matter to a client."""
    with running_world(tmp_path, database_url=sqlite_databases.fresh(tmp_path / "data")) as world:
        (world.games / "Doom").mkdir(parents=True)
        admin = world.admin()
        game = world.import_game(admin, world.library(admin), "Doom")
        yield ServerWithGames(
            world, admin, world.token_of(admin, "user:store:read", "user:content:read", "user:read"), game
        )


@pytest.fixture
def member(player: Player, shop: ServerWithGames) -> Player:
    """A player who is signed in at the shop."""
    player.sign_in(shop.address, shop.program.token)
    return player
