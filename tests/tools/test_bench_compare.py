"""Benchmarks of two commits are compared by ratio, and regressions above 15 % are reported."""

import subprocess
import sys
from pathlib import Path

import pytest
from bench.compare import Comparison, Figure, as_table, compare

_PART = """
from collections import namedtuple
from pathlib import Path

def measure():
    runs = Path(__file__).parents[1] / "runs"
    runs.write_text(runs.read_text() + "x" if runs.exists() else "x")
    Row = namedtuple("Row", "what ours")
    yield Row("a call", "TIME ms, slowest 9 ms")
    yield Row("a rate", "2,000 MB/s, 0.35 s/GB")
    yield Row("a remark", "nothing measured")

def less():
    return list(measure())[:1]
"""
_MAKEFILE = ".venv/.developing:\n\t@mkdir -p .venv/bin && ln -s {python} .venv/bin/python && touch $@\n"


@pytest.mark.parametrize(
    ("text", "number", "unit", "step"),
    [
        ("7,211/s", 7211, "/s", 1),
        ("2,709 MB/s, 0.35 s/GB", 2709, "MB/s", 1),
        ("0.74 s", 0.74, "s", 0.01),
        ("median 0.4 ms, slowest 8 ms", 0.4, "ms", 0.1),
        ("-6 MiB more", -6, "MiB", 1),
        ("17.8 MB on the wire", 17.8, "MB", 0.1),
    ],
)
def test_the_first_figure_of_a_cell_is_read(text: str, number: float, unit: str, step: float) -> None:
    found = Figure.parse(text)

    assert found
    assert (found.number, found.unit) == (number, unit)
    assert found.step == pytest.approx(step)


def test_a_cell_without_a_figure_has_none() -> None:
    assert Figure.parse("nothing measured") is None


@pytest.mark.parametrize(
    ("base", "tree", "verdict"),
    [
        ("100 ms", "114 ms", ""),
        ("100 ms", "116 ms", "REGRESSION"),
        ("100 ms", "50 ms", ""),
        ("1,000/s", "860/s", ""),
        ("1,000/s", "840/s", "REGRESSION"),
        ("1,000/s", "2,000/s", ""),
        ("0.4 ms", "0.5 ms", ""),
        ("0.4 ms", "0.6 ms", "REGRESSION"),
        ("0 MiB", "1 MiB", ""),
        ("0 MiB", "9 MiB", "REGRESSION"),
    ],
)
def test_a_regression_is_above_15_percent_and_above_rounding(base: str, tree: str, verdict: str) -> None:
    before, after = Figure.parse(base), Figure.parse(tree)

    assert before
    assert after
    assert Comparison("a row", before, after).as_row().endswith(f"| {verdict} |")


def _git(root: Path, *words: str) -> str:
    author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    return subprocess.run(["git", *author, *words], cwd=root, capture_output=True, text=True, check=True).stdout


def _write(root: Path, *, milliseconds: str) -> None:
    (root / "bench/tiny.py").write_text(_PART.replace("TIME", milliseconds))


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a part that takes 100 ms, and a virtual environment."""
    root = tmp_path / "repository"
    (root / "bench").mkdir(parents=True)
    (root / "bench/__init__.py").write_text("")
    (root / "Makefile").write_text(_MAKEFILE.format(python=sys.executable))
    (root / ".gitignore").write_text("/.venv/\n/.cache/\n/runs\n__pycache__/\n")
    _write(root, milliseconds="100")
    _git(root, "init", "--quiet")
    _git(root, "add", ".")
    _git(root, "commit", "--quiet", "--message", "Add a part")
    subprocess.run(["make", "--silent", ".venv/.developing"], cwd=root, check=True)
    return root


def test_a_commit_compared_with_itself_has_no_regression(repository: Path) -> None:
    rows = compare(repository, base="HEAD", part="tiny", rounds=2)

    assert [(row.what, row.ratio, row.is_regression) for row in rows] == [("a call", 1, False), ("a rate", 1, False)]
    assert (repository / "runs").read_text() == "xx"


def test_a_slower_tree_is_a_regression(repository: Path) -> None:
    _write(repository, milliseconds="130")
    [slow, same] = compare(repository, base="HEAD", part="tiny", rounds=1)

    assert (slow.what, slow.ratio, slow.is_regression) == ("a call", 1.3, True)
    assert not same.is_regression
    assert "| a call | 100 ms | 130 ms | 1.30 | REGRESSION |" in as_table([slow, same], base="HEAD").splitlines()


def test_a_function_of_a_part_can_be_compared_alone(repository: Path) -> None:
    assert [row.what for row in compare(repository, base="HEAD", part="tiny:less", rounds=1)] == ["a call"]


def test_the_worktree_of_the_base_is_removed_even_when_a_run_fails(repository: Path) -> None:
    with pytest.raises(SystemExit, match="The part absent"):
        compare(repository, base="HEAD", part="absent", rounds=1)

    assert len(_git(repository, "worktree", "list").splitlines()) == 1
    assert list((repository / ".cache/bench-compare").iterdir()) == []


def test_a_base_that_is_not_a_commit_is_reported(repository: Path) -> None:
    with pytest.raises(SystemExit, match="worktree add"):
        compare(repository, base="nonexistent", part="tiny", rounds=1)
