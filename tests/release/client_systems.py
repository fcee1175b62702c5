"""Systems on which clients are installed: Windows (wine), and a server that offers the clients of a build.

`PLAYDOCK_BUILT_CLIENTS` names a folder with clients to test, such as those of a release, instead of new ones.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from databases import SqliteDatabases
from playdock_client import __version__
from release.lacking import require
from world import Caller, World, running_world

_LIST = "/api/v1/client-downloads"
GAME = {"doom.exe": b"MZ not really", "doom.sh": b"#!/bin/sh\n", "data/maps.pak": bytes(range(256)) * 4000}
# Wine on a busy machine is slow; this is for what never ends.
PATIENCE = 600
_MINGW = "x86_64-w64-mingw32-gcc"
# wine 8 lacks a function that CPython's libraries in Rust need. SystemFunction036 is the same under another name.
_PRNG = """\
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T count) { return SystemFunction036(bytes, count); }
"""
_SIGN_IN = """\
import sys
from playdock_client.client_folders import ClientFolders
from playdock_client.credentials import Credentials

Credentials(ClientFolders.from_environment({}).credentials).add(*sys.argv[1:])
"""
# wine 8 ends the process when CPython asks it for the release of Windows.
_WITHOUT_WMI = "import sys\n\nsys.modules['_wmi'] = None\n"


@pytest.fixture(scope="session")
def clients(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if given := os.environ.get("PLAYDOCK_BUILT_CLIENTS"):
        return Path(given).absolute()
    from build_clients import build

    folder = tmp_path_factory.mktemp("clients")
    build(folder)
    return folder


@dataclass(frozen=True, slots=True)
class Offer:
    """A server that offers clients, and a player with a game for each system."""

    world: World
    admin: Caller
    player: Caller
    game: str

    def fetch(self, system: str, folder: Path) -> Path:
        """Download a client as a browser does."""
        stranger = self.world.any_user()
        offered: dict[str, Any] = next(each for each in stranger.get(_LIST).json() if each["system"] == system)
        assert offered["version"] == __version__
        path = folder / str(offered["downloadName"])
        path.write_bytes(stranger.get(f"{_LIST}/{offered['name']}").content)
        return path

    def install(self, folder: str) -> list[str]:
        return ["install", self.game, "--server", self.world.address, "--to", folder]


@pytest.fixture
def offer(clients: Path, sqlite_databases: SqliteDatabases, tmp_path: Path) -> Iterator[Offer]:
    database = sqlite_databases.fresh(tmp_path / "data")
    with running_world(tmp_path, database_url=database, clients=str(clients)) as world:
        admin = world.admin()
        for version, (platform, launch) in {"1.0": ("Linux", "doom.sh"), "2.0": ("Windows", "doom.exe")}.items():
            for path, content in GAME.items():
                world.put(f"Doom/{version}/{path}", content, mode=0o755)
            if version == "1.0":
                game = world.import_game(admin, world.library(admin), "Doom")
            task = world.import_version(admin, game, version, platform=platform, launch=launch)
            assert task["success"], task
        yield Offer(world, admin, world.person("bob"), game)


def run_program(command: Sequence[str | Path], environment: Mapping[str, str], *, status: int = 0) -> str:
    """Run a program to its end, and return what it has written to its standard output."""
    done = subprocess.run(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == status, (command, done.stdout, done.stderr)
    return done.stdout


@dataclass(frozen=True, slots=True)
class Wine:
    """A Windows of its own. Without a ``display``, programs have no windows."""

    prefix: Path
    display: str = ""

    def run(self, *words: str | Path, status: int = 0, token: str = "") -> str:
        return run_program(["wine", *words], {**self._environment, "PLAYDOCK_TOKEN": token}, status=status)

    def start(self, *words: str | Path) -> "subprocess.Popen[bytes]":
        nothing, pipe = subprocess.DEVNULL, subprocess.PIPE
        return subprocess.Popen(["wine", *words], env=self._environment, stdin=nothing, stdout=pipe, stderr=pipe)

    def wait(self) -> None:
        """Wait for programs that others have started."""
        server = next(each for each in ("/usr/lib/wine/wineserver64", "wineserver") if shutil.which(each))
        subprocess.run([server, "-w"], env=self._environment, timeout=PATIENCE, check=True)

    @property
    def _environment(self) -> dict[str, str]:
        own = {"WINEPREFIX": str(self.prefix), "WINEDEBUG": "-all", "WINEARCH": "win64", "DISPLAY": self.display}
        return {**os.environ, **own}

    def set_up(self, setup: Path, folder: Path) -> Path:
        """Install a client, and return its folder."""
        self.run(setup, "/S")
        [program] = self.find("AppData/Local/Programs/Playdock")
        adapt_to_wine(program, folder)
        return program

    def sign_in(self, program: Path, address: str, token: str) -> None:
        """Let a client act for a player, as if it had been authorized in a browser."""
        self.run(program / "runtime/python.exe", "-c", _SIGN_IN, address, token)

    def find(self, pattern: str) -> list[Path]:
        return sorted((self.prefix / "drive_c/users").glob(f"*/{pattern}"))


@pytest.fixture
def wine(tmp_path: Path) -> Iterator[Wine]:
    require("wine", _MINGW)
    wine = Wine(tmp_path / "wine")
    wine.run("wineboot", "-i")
    wine.run("winecfg", "-v", "win10")
    yield wine
    wine.run("wineboot", "--kill")


def adapt_to_wine(program: Path, folder: Path) -> None:
    """Work around what wine 8 lacks; Windows has it."""
    (folder / "prng.c").write_text(_PRNG)
    compile_for_windows(folder / "prng.c", program / "runtime/bcryptprimitives.dll", "-shared", "-ladvapi32")
    (program / "lib/sitecustomize.py").write_text(_WITHOUT_WMI)
    with (program / "runtime/python313._pth").open("a") as search_path:
        search_path.write("import site\n")


def compile_for_windows(source: Path, program: Path, *options: str) -> None:
    program.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([_MINGW, "-o", program, source, *options], check=True)
