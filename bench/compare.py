"""Compare a part of the benchmarks between the working tree and another commit.

    python -m bench.compare BASE PART [--rounds N]

A part is a module of `bench`, whose `measure` is run, or `module:function` for less of it (`interface:_start`). Base
and working tree run it alternately (base, tree, base, tree …), each with its own code, benchmarks and virtual
environment, so that other load on the machine affects both. The medians are compared, and the
exit status is 1 if a figure is worse by more than 15 %.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

MAX_REGRESSION = 0.15
_ROOT = Path(__file__).parents[1]
_ROUNDS = 3
# The other commit may not have this module, so the script contains everything it needs.
_RUN_PART = """
import importlib, json, sys
module, function = [*sys.argv[1:], "measure"][:2]
for row in getattr(importlib.import_module(f"bench.{module}"), function)():
    print(json.dumps([row.what, row.ours]), flush=True)
"""
_FIGURE = re.compile(r"(?P<number>-?\d[\d,]*(?:\.(?P<decimals>\d+))?)\s*(?P<unit>[A-Za-z]*(?:/s)?)")


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured number with its unit. `step` is the value of its last printed digit."""

    number: float
    unit: str
    step: float

    @classmethod
    def parse(cls, text: str) -> "Figure | None":
        """Return the first figure in a cell of the table, or None."""
        found = _FIGURE.search(text)
        if found is None:
            return None
        step = 10.0 ** -len(found["decimals"] or "")
        return cls(float(found["number"].replace(",", "")), found["unit"], step)

    @property
    def more_is_better(self) -> bool:
        """Return whether this is a rate. All other figures are times, sizes and shares, where less is better."""
        return self.unit.endswith("/s")


@dataclass(frozen=True, slots=True)
class Comparison:
    """The medians of one row for both sides."""

    what: str
    base: Figure
    tree: Figure

    @property
    def ratio(self) -> float | None:
        """Return the tree's median divided by the base's, or None if the base's is not positive."""
        return self.tree.number / self.base.number if self.base.number > 0 else None

    @property
    def is_regression(self) -> bool:
        """Return whether the tree is worse by more than 15 % and by more than rounding can explain."""
        worse = self.base.number - self.tree.number if self.base.more_is_better else self.tree.number - self.base.number
        return worse > MAX_REGRESSION * abs(self.base.number) and worse > 1.5 * self.base.step

    def as_row(self) -> str:
        ratio = "" if self.ratio is None else f"{self.ratio:.2f}"
        verdict = "REGRESSION" if self.is_regression else ""
        return f"| {self.what} | {_shown(self.base)} | {_shown(self.tree)} | {ratio} | {verdict} |"


def compare(root: Path, *, base: str, part: str, rounds: int = _ROUNDS) -> list[Comparison]:
    """Run a part alternately on a commit and on the tree at `root`, and return the rows that both have.

    Raise SystemExit with a message if a run fails.
    """
    with worktree(root, base) as other:
        runs = [(run_part(other, part), run_part(root, part)) for _ in range(rounds)]
    at_base, at_tree = (_medians(side) for side in zip(*runs, strict=True))
    return [Comparison(what, at_base[what], at_tree[what]) for what in at_base if what in at_tree]


def run_part(root: Path, part: str) -> dict[str, Figure]:
    """Run a part with the code and virtual environment of a tree, and return its figures by row."""
    paths = {"PYTHONPATH": f"{root}:{root / 'tests'}", "PATH": f"{root / '.venv/bin'}:{os.environ['PATH']}"}
    command = [str(root / ".venv/bin/python"), "-c", _RUN_PART, *part.split(":")]
    ran = subprocess.run(command, cwd=root, env={**os.environ, **paths}, stdout=subprocess.PIPE, text=True, check=False)
    if ran.returncode:
        raise SystemExit(f"The part {part} of {root} ended with status {ran.returncode}.")
    rows = [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("[")]
    return {what: figure for what, ours in rows if (figure := Figure.parse(ours))}


def as_table(rows: Sequence[Comparison], *, base: str) -> str:
    head = f"| What | {base} | working tree | Ratio | |\n|---|---|---|---|---|"
    return "\n".join([head, *(row.as_row() for row in rows)])


@contextmanager
def worktree(root: Path, base: str) -> Iterator[Path]:
    """Check out a commit next to the tree, with its own virtual environment, and remove both at the end."""
    folder = root / ".cache" / "bench-compare"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as name:
        other = Path(name) / "base"
        _run("git", "worktree", "add", "--quiet", "--detach", str(other), base, cwd=root)
        try:
            _run("make", "--no-print-directory", "--silent", ".venv/.developing", cwd=other)
            yield other
        finally:
            _run("git", "worktree", "remove", "--force", str(other), cwd=root)


def _run(*command: str, cwd: Path) -> None:
    if subprocess.run(command, cwd=cwd, check=False).returncode:
        raise SystemExit(f"`{' '.join(command)}` failed.")


def _medians(runs: Sequence[dict[str, Figure]]) -> dict[str, Figure]:
    """Return the median of each row that all runs have, in the order of the first run."""
    rows = {what: [run[what] for run in runs] for what in runs[0] if all(what in run for run in runs)}
    return {
        what: Figure(statistics.median(figure.number for figure in figures), figures[0].unit, figures[0].step)
        for what, figures in rows.items()
    }


def _shown(figure: Figure) -> str:
    return f"{figure.number:,g} {figure.unit}".strip().replace(" /s", "/s")


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare a part of the benchmarks with another commit.")
    parser.add_argument("base", help="the commit to compare the working tree with")
    parser.add_argument("part", help="a module of bench/ (imports, serving, store …) or module:function")
    parser.add_argument("--rounds", type=int, default=_ROUNDS)
    wanted = parser.parse_args()
    rows = compare(_ROOT, base=wanted.base, part=wanted.part, rounds=wanted.rounds)
    print(as_table(rows, base=wanted.base))
    if not rows:
        print(f"The part {wanted.part} has no row in common.")
    return 1 if not rows or any(row.is_regression for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
