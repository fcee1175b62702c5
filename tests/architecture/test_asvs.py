"""The comparison with OWASP ASVS 5.0.0 is complete, its sums are right, and the tests and files that it names exist."""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

from msgspec import Struct

from .source import ROOT, functions

_DOCUMENT = ROOT / "docs/asvs.md"
# The number of requirements of the levels 1 and 2 in the sections of each chapter. Those of level 3 follow them.
_SECTIONS = {
    1: (2, 9, 11, 3, 2),
    2: (3, 3, 4, 1),
    3: (0, 2, 4, 6, 5, 0, 2),
    4: (3, 1, 2, 4),
    5: (1, 3, 2, 3),
    6: (3, 12, 4, 4, 5, 3, 0, 4),
    7: (3, 4, 2, 5, 2, 2),
    8: (2, 3, 1, 1),
    9: (3, 4),
    10: (2, 2, 4, 11, 5, 2, 3),
    11: (2, 3, 3, 4, 1, 1),
    12: (3, 2, 4),
    13: (1, 5, 2, 5),
    14: (2, 4, 3),
    15: (3, 3, 7),
    16: (1, 5, 4, 3, 3),
    17: (1, 4, 2),
}
_REQUIREMENTS = [
    f"{chapter}.{section}.{number}"
    for chapter, counts in _SECTIONS.items()
    for section, count in enumerate(counts, start=1)
    for number in range(1, count + 1)
]
_OUTCOMES = ("met", "not applicable", "not met")
_ROW = re.compile(r"^\| (\d+\.\d+\.\d+) \| [^|]+ \| ([^|]+) \|$", re.MULTILINE)
_SUMMARY_ROW = re.compile(r"^\| (?:V(\d+) [^|]*|Total) \| (\d+) \| (\d+) \| (\d+) \|$", re.MULTILINE)
_PATH = re.compile(r"`([^`\s]+\.(?:conf|json|md|py|toml|ts|txt|vue)(?:::\w+)?)`")


class Row(Struct, frozen=True):
    """A requirement: its number, and how it is met or why not."""

    number: str
    answer: str

    @property
    def chapter(self) -> int:
        return int(self.number.partition(".")[0])

    @property
    def outcome(self) -> str:
        begins = self.answer.replace("*", "").partition(":")[0]
        return begins if begins in _OUTCOMES else "met"


def _rows() -> list[Row]:
    return [Row(number, answer) for number, answer in _ROW.findall(_DOCUMENT.read_text())]


@cache
def _tests_in(path: Path) -> set[str]:
    return {function.name for function in functions(ast.parse(path.read_text()))}


def _exists(name: str) -> bool:
    path, _, test = name.partition("::")
    return (ROOT / path).is_file() and (not test or test in _tests_in(ROOT / path))


def test_every_requirement_has_one_row_in_the_order_of_the_standard() -> None:
    # 70 of level 1 and 183 of level 2.
    assert len(_REQUIREMENTS) == 253
    assert [row.number for row in _rows()] == _REQUIREMENTS


def test_a_requirement_that_is_met_names_a_test_or_a_file() -> None:
    assert [row.number for row in _rows() if row.outcome == "met" and not _PATH.search(row.answer)] == []


def test_the_named_tests_and_files_exist() -> None:
    names = set(_PATH.findall(_DOCUMENT.read_text()))
    assert len(names) > 150
    assert sorted(name for name in names if not _exists(name)) == []


def test_the_summary_has_the_sums_of_the_rows() -> None:
    counted = Counter((chapter, row.outcome) for row in _rows() for chapter in (row.chapter, 0))
    summary = _SUMMARY_ROW.findall(_DOCUMENT.read_text())
    assert {int(chapter or 0): tuple(map(int, counts)) for chapter, *counts in summary} == {
        chapter: tuple(counted[chapter, outcome] for outcome in _OUTCOMES) for chapter in range(18)
    }
