"""The clients that a server offers, on systems that have nothing else: Windows (wine) and Linux without Python.

They are built first, which takes some minutes. `PLAYDOCK_BUILT_CLIENTS` names a folder with clients to test instead,
such as those of a release.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from databases import SqliteDatabases
from playdock_client import __version__
from world import Caller, World, running_world

from .bare_root import in_root, require

pytestmark = [pytest.mark.heavy, pytest.mark.network, pytest.mark.xdist_group("clients")]

_LIST = "/api/v1/client-downloads"
_GAME = {"doom.exe": b"MZ not really", "doom.sh": b"#!/bin/sh\n", "data/maps.pak": bytes(range(256)) * 4000}
# Wine on a busy machine is slow; this is for what never ends.
_PATIENCE = 600
_MINGW = "x86_64-w64-mingw32-gcc"
# wine 8 lacks a function that CPython's libraries in Rust need. SystemFunction036 is the same under another name.
_PRNG = """\
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T count) { return SystemFunction036(bytes, count); }
"""
# wine 8 ends the process when CPython asks it for the release of Windows.
_WITHOUT_WMI = "import sys\n\nsys.modules['_wmi'] = None\n"


@dataclass(frozen=True, slots=True)
class Offer:
    """A server that offers clients, and a player with a game for each system."""

    world: World
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
            for path, content in _GAME.items():
                world.put(f"Doom/{version}/{path}", content, mode=0o755)
            if version == "1.0":
                game = world.import_game(admin, world.library(admin), "Doom")
            task = world.import_version(admin, game, version, platform=platform, launch=launch)
            assert task["success"], task
        yield Offer(world, world.person("bob"), game)


def _game_in(folder: Path) -> dict[str, bytes]:
    return {path: (folder / path).read_bytes() for path in _GAME}


@dataclass(frozen=True, slots=True)
class Wine:
    """A Windows of its own."""

    prefix: Path

    def run(self, *words: str | Path, status: int = 0, token: str = "") -> str:
        done = subprocess.run(
            ["wine", *words],
            env={**self._environment, "PLAYDOCK_TOKEN": token},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PATIENCE,
            check=False,
        )
        assert done.returncode == status, (words, done.stdout, done.stderr)
        return done.stdout

    def start(self, *words: str | Path) -> "subprocess.Popen[bytes]":
        nothing, pipe = subprocess.DEVNULL, subprocess.PIPE
        return subprocess.Popen(["wine", *words], env=self._environment, stdin=nothing, stdout=pipe, stderr=pipe)

    def wait(self) -> None:
        """Wait for programs that others have started."""
        server = next(each for each in ("/usr/lib/wine/wineserver64", "wineserver") if shutil.which(each))
        subprocess.run([server, "-w"], env=self._environment, timeout=_PATIENCE, check=True)

    @property
    def _environment(self) -> dict[str, str]:
        own = {"WINEPREFIX": str(self.prefix), "WINEDEBUG": "-all", "WINEARCH": "win64", "DISPLAY": ""}
        return {**os.environ, **own}

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


def _adapt_to_wine(program: Path, folder: Path) -> None:
    """Work around what wine 8 lacks; Windows has it."""
    (folder / "prng.c").write_text(_PRNG)
    library = program / "runtime/bcryptprimitives.dll"
    subprocess.run([_MINGW, "-shared", "-o", library, folder / "prng.c", "-ladvapi32"], check=True)
    (program / "lib/sitecustomize.py").write_text(_WITHOUT_WMI)
    with (program / "runtime/python313._pth").open("a") as search_path:
        search_path.write("import site\n")


def test_the_setup_program_installs_a_client_that_installs_a_game(offer: Offer, wine: Wine, tmp_path: Path) -> None:
    setup = offer.fetch("Windows", tmp_path)
    wine.run(setup, "/S")
    [program] = wine.find("AppData/Local/Programs/Playdock")
    [link] = wine.find("AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Playdock.lnk")
    [name] = wine.find("AppData/Local/playdock-client/download-name.txt")
    assert name.read_text("utf-16") == setup.name
    command = wine.run("reg", "query", r"HKCU\Software\Classes\playdock\shell\open\command")
    assert re.search(r'"C:\\users\\[^\\]+\\AppData\\Local\\Programs\\Playdock\\Playdock.exe" "%1"', command)

    _adapt_to_wine(program, tmp_path)
    client = program / "playdock-client.exe"
    assert wine.run(client, "--version").strip() == __version__
    wine.run(client, *offer.install(r"C:\games\doom"), token=offer.player.token)
    assert _game_in(wine.prefix / "drive_c/games/doom") == _GAME
    code = "from playdock_client.client_folders import ClientFolders as F; import playdock_client.suggestion as s"
    suggest = f"{code}; print(s.suggested_server(F.from_environment({{}})))"
    assert wine.run(program / "runtime/python.exe", "-c", suggest).strip() == offer.world.address

    _run_while_open(wine, program, setup)
    (program / "lib/of-an-older-version").touch()
    wine.run(setup, "/S")
    assert not (program / "lib/of-an-older-version").exists()

    wine.run(program / "uninstall.exe", "/S")
    wine.wait()
    assert not program.exists()
    assert not link.exists()
    assert not name.exists()
    assert _game_in(wine.prefix / "drive_c/games/doom") == _GAME
    keys = wine.run("reg", "query", r"HKCU\Software\Classes") + wine.run("reg", "query", r"HKCU\Software", "/s")
    assert "playdock" not in keys.lower()


def _run_while_open(wine: Wine, program: Path, setup: Path) -> None:
    """Run the setup program while the client is open: it changes nothing."""
    code = "import os, time; print('open', flush=True)\nwhile os.path.exists('C:/open'): time.sleep(0.1)"
    keep_open = wine.prefix / "drive_c/open"
    keep_open.touch()
    with wine.start(program / "runtime/python.exe", "-c", code) as client:
        try:
            assert client.stdout
            assert client.stdout.readline().strip() == b"open"
            before = [path.stat().st_mtime_ns for path in sorted(program.rglob("*.pyd"))]
            wine.run(setup, "/S", status=3)
            assert [path.stat().st_mtime_ns for path in sorted(program.rglob("*.pyd"))] == before
        finally:
            keep_open.unlink()
        client.wait(_PATIENCE)


def test_the_archive_for_linux_installs_a_client_without_python(offer: Offer, bare_root: Path) -> None:
    home = bare_root / "home/ada"
    archive = offer.fetch("Linux", home / "Downloads")
    in_root(bare_root, "tar", "-xzf", f"/home/ada/Downloads/{archive.name}", "-C", "/home/ada/Downloads")
    in_root(bare_root, "sh", "/home/ada/Downloads/playdock-client/install.sh")
    # A second installation replaces the first.
    in_root(bare_root, "sh", "/home/ada/Downloads/playdock-client/install.sh")
    client = "/home/ada/.local/bin/playdock-client"
    assert in_root(bare_root, client, "--version").strip() == __version__
    assert (home / ".config/playdock-client/download-name.txt").read_text() == f"{archive.name}\n"
    entry = (home / ".local/share/applications/playdock.desktop").read_text()
    assert 'Exec="/home/ada/.local/share/playdock/program/playdock-client" app %u\n' in entry
    assert "MimeType=x-scheme-handler/playdock;" in entry
    in_root(bare_root, client, *offer.install("/home/ada/doom"), token=offer.player.token)
    assert _game_in(home / "doom") == _GAME

    shutil.rmtree(home / "Downloads")
    in_root(bare_root, "sh", "/home/ada/.local/share/playdock/uninstall.sh")
    assert _game_in(home / "doom") == _GAME
    rest = {path.name for path in home.rglob("*") if path.is_file() or path.is_symlink()}
    assert not any("desktop" in name or "svg" in name or name == "download-name.txt" for name in rest)
    assert not (home / ".local/share/playdock").exists()
    assert not (home / ".local/bin/playdock-client").is_symlink()
