"""The clients that a server offers, on systems that have nothing else: Windows (wine) and Linux without Python.

They are built first, which takes some minutes.
"""

import re
import shutil
from pathlib import Path

import pytest

from playdock_client import __version__
from release.bare_root import in_root
from release.client_systems import GAME, PATIENCE, Offer, Wine, adapt_to_wine

pytestmark = [pytest.mark.heavy, pytest.mark.network, pytest.mark.xdist_group("clients")]


def _game_in(folder: Path) -> dict[str, bytes]:
    return {path: (folder / path).read_bytes() for path in GAME}


def test_the_setup_program_installs_a_client_that_installs_a_game(offer: Offer, wine: Wine, tmp_path: Path) -> None:
    setup = offer.fetch("Windows", tmp_path)
    wine.run(setup, "/S")
    [program] = wine.find("AppData/Local/Programs/Playdock")
    [link] = wine.find("AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Playdock.lnk")
    [name] = wine.find("AppData/Local/playdock-client/download-name.txt")
    assert name.read_text("utf-16") == setup.name
    command = wine.run("reg", "query", r"HKCU\Software\Classes\playdock\shell\open\command")
    assert re.search(r'"C:\\users\\[^\\]+\\AppData\\Local\\Programs\\Playdock\\Playdock.exe" "%1"', command)

    adapt_to_wine(program, tmp_path)
    client = program / "playdock-client.exe"
    assert wine.run(client, "--version").strip() == __version__
    wine.run(client, *offer.install(r"C:\games\doom"), token=offer.player.token)
    assert _game_in(wine.prefix / "drive_c/games/doom") == GAME
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
    assert _game_in(wine.prefix / "drive_c/games/doom") == GAME
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
        client.wait(PATIENCE)


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
    assert _game_in(home / "doom") == GAME

    shutil.rmtree(home / "Downloads")
    in_root(bare_root, "sh", "/home/ada/.local/share/playdock/uninstall.sh")
    assert _game_in(home / "doom") == GAME
    rest = {path.name for path in home.rglob("*") if path.is_file() or path.is_symlink()}
    assert not any("desktop" in name or "svg" in name or name == "download-name.txt" for name in rest)
    assert not (home / ".local/share/playdock").exists()
    assert not (home / ".local/bin/playdock-client").is_symlink()
