"""System packages: finding missing ones, messages without apt, and the cleanup of precautions."""

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from system_packages import KNOWN, Precaution, SystemPackage, in_place, missing_programs

TOOL = Path(__file__).parents[2] / "tools" / "system_packages.py"
DATABASE = SystemPackage("postgresql", programs=("initdb", "postgres"), left_out="the tests against PostgreSQL")


def check(*names: str, path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        (sys.executable, TOOL, *names),
        env=os.environ | {"PATH": str(path), "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def add_program(folder: Path, name: str) -> None:
    (folder / name).touch(mode=0o755)


@pytest.mark.parametrize(
    ("present", "missing"),
    [((), ["initdb", "postgres"]), (("initdb",), ["postgres"]), (("initdb", "postgres"), [])],
)
def test_missing_programs_are_listed(tmp_path: Path, present: tuple[str, ...], missing: list[str]) -> None:
    for name in present:
        add_program(tmp_path, name)

    assert missing_programs(DATABASE, path=str(tmp_path)) == missing


def test_installed_packages_are_not_mentioned(tmp_path: Path) -> None:
    for package in KNOWN:
        for program in package.programs:
            add_program(tmp_path, program)

    run = check(*(package.name for package in KNOWN), path=tmp_path)

    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def test_missing_apt_is_reported_with_the_skipped_packages(tmp_path: Path) -> None:
    run = check("wrk", path=tmp_path)

    assert run.returncode == 0
    assert run.stdout == (
        "wrk is missing: there is no wrk. Left out without it: the measurements under many requests at once. "
        "Install it with: sudo apt-get install --no-install-recommends wrk\n"
    )


def test_an_unknown_package_is_an_error(tmp_path: Path) -> None:
    run = check("emacs", path=tmp_path)

    assert run.returncode == 2
    known = ", ".join(package.name for package in KNOWN)
    assert f"emacs is not a package known here. Choose from {known}." in run.stderr


@pytest.fixture
def precaution(tmp_path: Path) -> Precaution:
    return Precaution(tmp_path / "new" / "folder" / "policy", text="no services\n", mode=0o755)


def test_a_precaution_leaves_no_trace_even_after_a_failure(precaution: Precaution, tmp_path: Path) -> None:
    def interrupted() -> None:
        with in_place(precaution):
            assert precaution.path.read_text() == "no services\n"
            assert stat.S_IMODE(precaution.path.stat().st_mode) == 0o755
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()

    assert list(tmp_path.iterdir()) == []


def test_a_foreign_precaution_is_kept(precaution: Precaution) -> None:
    precaution.path.parent.mkdir(parents=True)
    precaution.path.write_text("theirs\n")

    with in_place(precaution):
        assert precaution.path.read_text() == "theirs\n"

    assert precaution.path.read_text() == "theirs\n"


def test_leftovers_of_a_killed_run_are_removed(precaution: Precaution) -> None:
    precaution.path.parent.mkdir(parents=True)
    precaution.path.write_text(precaution.text)

    with in_place(precaution):
        pass

    assert not precaution.path.exists()


def test_a_folder_with_files_of_a_package_is_kept(precaution: Precaution) -> None:
    with in_place(precaution):
        (precaution.path.parent / "theirs").touch()

    assert [path.name for path in precaution.path.parent.iterdir()] == ["theirs"]


def test_all_packages_that_the_makefile_asks_for_are_known() -> None:
    text = (TOOL.parents[1] / "Makefile").read_text().replace("\\\n", " ")
    asked = re.findall(r"tools/system_packages\.py ([a-z0-9 \t-]+)", text)
    names = {name for each in asked for name in each.split()}
    assert {"postgresql", "bsdiff"} <= names
    assert names <= {package.name for package in KNOWN}
