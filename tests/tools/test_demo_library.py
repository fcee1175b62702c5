"""The demo library: version numbers of apt, and complete runs with an apt that only offers test packages."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from demo_library import Game, Package, Release, plan_releases, read_offers, upstream_version

from .packages import make_package, needs_dpkg

TOOL = Path(__file__).parents[2] / "tools" / "demo_library.py"


@pytest.mark.parametrize(
    ("debian", "upstream"),
    [
        ("1:1.16.9-1", "1.16.9"),
        ("1.4+dfsg-2", "1.4"),
        ("1.4+dfsg1.2-2", "1.4"),
        ("1.2.3~ds-1+b2", "1.2.3"),
        ("1.6.0+git20180603-3", "1.6.0+git20180603"),
        ("1.0.2-6+b2", "1.0.2"),
        ("1.18.3-1~bpo12+1", "1.18.3"),
        ("1.22.1-9+deb12u10", "1.22.1"),
        ("2.0-beta-1", "2.0-beta"),
        ("2.0~rc1-1", "2.0~rc1"),
        ("0.1.2+nmu2", "0.1.2"),
        ("13.0", "13.0"),
    ],
)
def test_a_version_has_the_upstream_name(debian: str, upstream: str) -> None:
    assert upstream_version(debian) == upstream


def test_each_offer_is_read_once_in_the_order_of_apt() -> None:
    madison = """
     chess | 2.0-1~bpo12+1 | http://example.org backports/main amd64 Packages
     chess |      1.0-1 | http://example.org stable/main amd64 Packages
     chess |      1.0-1 | http://example.org updates/main amd64 Packages
chess-data |      1.0-1 | http://example.org stable/main amd64 Packages
    """.strip()

    assert read_offers(madison) == {"chess": ["2.0-1~bpo12+1", "1.0-1"], "chess-data": ["1.0-1"]}
    assert read_offers("") == {}


CHESS = Game("Chess", sets=(("chess", "chess-data"),))


def chess(version: str, *, program: str, data: str) -> Release:
    return Release(version, (Package("chess", program), Package("chess-data", data)))


@pytest.mark.parametrize(
    ("program", "data", "releases"),
    [
        (["1.0-1"], ["1.0-1"], [chess("1.0", program="1.0-1", data="1.0-1")]),
        (["1.0-1+b2"], ["2.0-1", "1.0-1"], [chess("1.0", program="1.0-1+b2", data="1.0-1")]),
        (["1.0-1"], ["7.1-1", "7.0-1"], [chess("1.0", program="1.0-1", data="7.1-1")]),
        (
            ["2.0-1", "1.0-1"],
            ["2.0-1", "1.0-1"],
            [chess("2.0", program="2.0-1", data="2.0-1"), chess("1.0", program="1.0-1", data="1.0-1")],
        ),
        (
            ["1:1.0-2", "1:1.0-1"],
            ["1:1.0-2", "1:1.0-1"],
            [chess("1.0", program="1:1.0-2", data="1:1.0-2"), chess("1.0-1", program="1:1.0-1", data="1:1.0-1")],
        ),
    ],
)
def test_packages_with_matching_versions_make_a_release(
    program: list[str], data: list[str], releases: list[Release]
) -> None:
    assert plan_releases(CHESS, offers={"chess": program, "chess-data": data}) == releases


def test_a_game_with_a_missing_package_has_no_release() -> None:
    assert plan_releases(CHESS, offers={"chess": ["1.0-1"]}) == []


def test_every_set_of_packages_is_tried() -> None:
    lines = Game("Chess", sets=(("chess-2",), ("chess-1",)))

    assert [release.version for release in plan_releases(lines, offers={"chess-1": ["1.9-1"]})] == ["1.9"]


@dataclass(frozen=True, slots=True)
class Debian:
    """A PATH with an apt that offers the packages of one folder, without a network."""

    folder: Path

    def offer(self, name: str, *, version: str, path: str) -> None:
        make_package(self.folder, name=name, files={path: version}, version=version)
        with (self.folder / "madison").open("a") as offers:
            offers.write(f"{name} | {version} | http://example.org stable/main amd64 Packages\n")

    def program(self, name: str, *, script: str) -> None:
        path = self.folder / "bin" / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def build(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            (sys.executable, TOOL, self.folder / "library", *arguments),
            cwd=self.folder,
            env=os.environ | {"PATH": str(self.folder / "bin"), "PYTHONWARNINGS": "error", "PYTHONUTF8": "1"},
            capture_output=True,
            text=True,
            check=False,
        )

    def versions(self) -> set[str]:
        library = self.folder / "library"
        return {str(path.relative_to(library)) for path in library.glob("*/*")}


@pytest.fixture
def debian(tmp_path: Path) -> Debian:
    """An apt that offers Teeworlds and Freedoom; all other programs are those of the machine."""
    debian = Debian(tmp_path)
    (tmp_path / "bin").mkdir()
    for name in ("dpkg-deb", "tar", "cat", "cp", "sh", "rm"):
        (tmp_path / "bin" / name).symlink_to(shutil.which(name) or name)
    debian.program("apt-cache", script=f"cat {tmp_path}/madison")
    debian.program("apt-get", script=f'cp "{tmp_path}/${{2%%=*}}"_*.deb .')
    debian.offer("teeworlds", version="1:0.7.5-2", path="usr/games/teeworlds")
    debian.offer("teeworlds-data", version="1:0.7.5-2", path="usr/share/games/map")
    debian.offer("freedoom", version="0.12.1-2", path="usr/share/games/doom.wad")
    return debian


@needs_dpkg
def test_games_are_built_and_a_second_run_keeps_them(debian: Debian) -> None:
    first = debian.build("--only", "teeworlds", "Freedoom")
    debian.program("apt-get", script="exit 100")
    second = debian.build("--only", "teeworlds", "Freedoom")

    assert (first.returncode, first.stderr) == (0, "")
    assert "Teeworlds 0.7.5: fetching and building … 0.0 MB, 2 files" in first.stdout
    assert debian.versions() == {"Teeworlds/0.7.5", "Freedoom/0.12.1"}
    assert (second.returncode, second.stderr) == (0, "")
    assert "Teeworlds 0.7.5: present, 0.0 MB, 2 files" in second.stdout


@needs_dpkg
def test_a_failed_game_is_reported_and_the_others_are_built(debian: Debian) -> None:
    (debian.folder / "teeworlds-data_1%3a0.7.5-2_all.deb").unlink()

    run = debian.build("--only", "Teeworlds", "Neverball", "Freedoom")

    assert run.returncode == 1
    assert "Teeworlds is not built: apt-get download teeworlds-data=1:0.7.5-2 failed" in run.stderr
    assert "Neverball is not built: apt offers no neverball + neverball-data + neverball-common." in run.stderr
    assert debian.versions() == {"Freedoom/0.12.1"}


@needs_dpkg
def test_an_interrupted_build_is_resumed(debian: Debian) -> None:
    (debian.folder / "library" / ".building" / "version" / "usr").mkdir(parents=True)

    assert debian.build("--only", "Freedoom").returncode == 0
    assert [path.name for path in (debian.folder / "library").iterdir()] == ["Freedoom"]


@needs_dpkg
def test_an_existing_build_is_kept_when_apt_no_longer_offers_it(debian: Debian) -> None:
    debian.build("--only", "Freedoom")
    debian.program("apt-cache", script="exit 0")
    debian.program("apt-get", script="exit 100")

    run = debian.build("--only", "Freedoom")

    assert (run.returncode, run.stdout) == (0, "Freedoom 0.12.1: present, 0.0 MB, 1 files\n")


@needs_dpkg
@pytest.mark.skipif(os.geteuid() != 0, reason="only root fetches package lists: run as root")
def test_missing_package_lists_are_fetched_once(debian: Debian) -> None:
    lists = debian.folder / "madison"
    lists.rename(debian.folder / "remote")
    lists.touch()
    debian.program(
        "apt-get",
        script=f"if [ $1 = update ]; then cp {debian.folder}/remote {lists}; else cp {debian.folder}/*.deb .; fi",
    )

    run = debian.build("--only", "Freedoom")

    assert run.returncode == 0
    assert run.stdout.count("running apt-get update") == 1


@pytest.mark.parametrize("program", ["apt-get", "apt-cache", "dpkg-deb"])
def test_missing_apt_is_reported(debian: Debian, program: str) -> None:
    (debian.folder / "bin" / program).unlink()

    run = debian.build()

    assert run.returncode == 1
    assert run.stderr == f"There is no {program} here. The games come from Debian's packages: run this on Debian.\n"


def test_an_unknown_game_is_rejected_with_the_available_names(debian: Debian) -> None:
    run = debian.build("--only", "Tetris")

    assert run.returncode == 2
    assert "no game is called Tetris. Choose from SuperTuxKart, OpenTTD" in run.stderr


def test_a_folder_that_is_not_writable_is_reported(debian: Debian) -> None:
    (debian.folder / "library").touch()

    run = debian.build()

    assert run.returncode == 1
    assert run.stderr.startswith(f"The library cannot be built in {debian.folder}/library: File exists")
