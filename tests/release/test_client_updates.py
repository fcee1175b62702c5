"""The built clients replace themselves: on Windows from the setup program on, and on Linux."""

import hashlib
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from client.commands.conftest import Player
from client.updating.builds import BROKEN, InstalledClient, archive_of, offer_update, phase_is, window_of, write_base
from playdock.settings import Settings
from playdock_client import __version__
from playdock_client.updating.version_state import MAX_STARTS
from release.client_systems import GAME, PATIENCE, Offer, Wine, adapt_to_wine
from reproducible import update_archive
from waiting import wait_until

pytestmark = [pytest.mark.heavy, pytest.mark.network, pytest.mark.xdist_group("clients")]


def _changed(clients: Path, folder: Path, version: str, *, defect: str = "") -> bytes:
    """Return the update for Windows as another version, adapted to wine."""
    with tarfile.open(clients / f"playdock-update-{__version__}-windows-x86_64.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    adapt_to_wine(folder, folder.parent)
    own = folder / "lib/playdock_client/__init__.py"
    own.write_text(re.sub(r'__version__ = ".*"', f'__version__ = "{version}"', own.read_text()))
    main = folder / "lib/playdock_client/__main__.py"
    main.write_text(f"import sys\n{defect}\n{main.read_text()}")
    return update_archive(folder, epoch=1_700_000_000)


def _offer(monkeypatch: pytest.MonkeyPatch, folder: Path, version: str, archive: bytes) -> None:
    """Let the server offer an update for Windows."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    name = f"playdock-update-{version}-windows-x86_64.tar.xz"
    (folder / name).write_bytes(archive)
    (folder / "SHA256SUMS").write_text(f"{hashlib.sha256(archive).hexdigest()}  {name}\n")
    monkeypatch.setattr(Settings, "clients_dir", property(lambda _: folder))


@pytest.mark.timeout(3600)  # dozens of slow starts under wine
def test_a_client_on_windows_updates_itself_and_returns_from_a_broken_update(
    clients: Path, offer: Offer, wine: Wine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup = offer.fetch("Windows", tmp_path)
    program = wine.set_up(setup, tmp_path)
    client, offered = program / "playdock-client.exe", tmp_path / "offered"
    wine.sign_in(program, offer.world.address, offer.player.token)
    wine.run(client, *offer.install(r"C:\games\doom"))
    _offer(monkeypatch, offered, "9.1.0", _changed(clients, tmp_path / "9.1.0", "9.1.0"))

    app = wine.start(client, "app", "--no-window", "--json")
    with window_of(app) as window:
        assert window.wait(phase_is("ready"), seconds=PATIENCE)["version"] == __version__
        assert wine.run(client, "--version").strip() == __version__
        window.do("POST", "client-update/restart")
    with window_of(app) as window:
        assert window.state()["version"] == "9.1.0"
        # What shortcuts and links start is still the program of the setup, and runs the new version.
        wait_until(lambda: wine.run(client, "--version").strip() == "9.1.0")
        # The base is in use as well, so the setup program changes nothing.
        wine.run(setup, "/S", status=3)
        _offer(monkeypatch, offered, "9.2.0", _changed(clients, tmp_path / "9.2.0", "9.2.0", defect=BROKEN))
        window.do("POST", "updates")
        assert window.wait(phase_is("ready"), seconds=PATIENCE)["clientUpdate"]["version"] == "9.2.0"
        window.do("POST", "client-update/restart")
    app.communicate(timeout=PATIENCE)
    wine.wait()
    for _ in range(MAX_STARTS - 1):
        wine.run(client, "app", "--no-window", "--json", status=1)
    app = wine.start(client, "app", "--no-window", "--json")
    with window_of(app) as window:
        state = window.state()
        assert (state["version"], state["clientUpdate"]["failed"]) == ("9.1.0", "9.2.0")
        assert wine.run(client, "--version").strip() == "9.1.0"
    wine.run("wineboot", "--kill")
    app.communicate(timeout=PATIENCE)
    _uninstall(wine, program)


def _uninstall(wine: Wine, program: Path) -> None:
    """Uninstall an updated client: nothing of its versions is left, and what belongs to the player is."""
    assert list((program / "versions").glob("9.1.0-*"))
    wine.run(program / "uninstall.exe", "/S")
    wine.wait()
    assert not program.exists()
    assert wine.find("AppData/Local/playdock-client/credentials.json")
    assert (wine.prefix / "drive_c/games/doom/data/maps.pak").read_bytes() == GAME["data/maps.pak"]
    keys = wine.run("reg", "query", r"HKCU\Software\Classes") + wine.run("reg", "query", r"HKCU\Software", "/s")
    assert "playdock" not in keys.lower()


def _update_and_break(client: InstalledClient, offered: Path, builds: Path, *, old: str, new: str) -> None:
    """Start a client that finds an update, and let the next release be a broken one."""
    with client.app() as process:
        with window_of(process) as window:
            assert window.wait(phase_is("ready"))["version"] == old
            assert client.version() == old
            window.do("POST", "client-update/restart")
        with window_of(process) as window:
            assert window.state()["version"] == new
            wait_until(lambda: client.version() == new)
            offer_update(offered, "9.2.0", archive_of(builds, "9.2.0", defect=BROKEN))
            window.do("POST", "updates")
            window.wait(phase_is("ready"))
            window.do("POST", "client-update/restart")
    for _ in range(MAX_STARTS - 1):
        with client.app() as process:
            assert process.wait(PATIENCE) == 1
    with client.app() as process, window_of(process) as window:
        state = window.state()
        assert (state["version"], state["clientUpdate"]["failed"]) == (new, "9.2.0")


def test_a_client_on_linux_updates_itself(
    clients: Path, offer: Offer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the built client to another one, and from another one to the built update."""
    offered = tmp_path / "offered"
    archive = offer.fetch("Linux", tmp_path)
    update = (clients / f"playdock-update-{__version__}-linux-x86_64.tar.xz").read_bytes()
    subprocess.run(["tar", "-xzf", archive, "-C", tmp_path], check=True)
    monkeypatch.setattr(Settings, "clients_dir", property(lambda _: offered))
    for name in ("built", "other"):
        player = Player(tmp_path / name)
        player.home.mkdir()
        player.sign_in(offer.world.address, offer.player.token)
        if name == "built":
            environment = {"HOME": str(player.home), "PATH": "/usr/bin:/bin"}
            subprocess.run(["sh", tmp_path / "playdock-client/install.sh"], env=environment, check=True)
            program = player.home / ".local/bin/playdock-client"
            offer_update(offered, "9.1.0", archive_of(tmp_path / "builds", "9.1.0"))
            _update_and_break(InstalledClient(program, player), offered, tmp_path / name, old=__version__, new="9.1.0")
        else:
            program = write_base(player.home / "program", "0.0.1")
            offer_update(offered, __version__, update)
            _update_and_break(InstalledClient(program, player), offered, tmp_path / name, old="0.0.1", new=__version__)
