"""Standard vocabulary: one class name has one meaning, and no name or sentence needs a document from elsewhere."""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from .source import ROOT

_PACKAGES = ("src/playdock", "client/src/playdock_client")
_PROSE = ("src", "client", "tests", "bench", "tools", "docs", "web/src")
_RETIRED = (
    "anew",
    "ledger",
    "lookout",
    "meanwhile",
    "nobody's",
    "of ours",
    "shelf",
    "stint",
    "take back",
    "taken back",
    "whoever",
)
_OUTSIDE = re.compile(r"\b(?:decisions|interface|content) \d+(?:\.\d+)?\b|\(content, \*")
# Files that list retired words.
_LISTS = (Path(__file__), ROOT / "web/src/locales/locales.test.ts")


def _modules(package: str) -> Iterator[Path]:
    return (path for path in (ROOT / package).rglob("*.py") if "versions" not in path.parts)


def _prose() -> Iterator[Path]:
    """Yield the files whose sentences people read: code, documents and the texts of the pages."""
    for folder in _PROSE:
        for path in sorted((ROOT / folder).rglob("*")):
            generated = {"node_modules", "generated", "versions", "dumps", "__pycache__"} & set(path.parts)
            if path.suffix in (".py", ".md", ".ts", ".vue") and not generated and path not in _LISTS:
                yield path
    yield from sorted(ROOT.glob("*.md"))


@pytest.mark.parametrize("package", _PACKAGES)
def test_a_public_class_name_has_one_meaning(package: str) -> None:
    names = Counter(
        node.name
        for path in _modules(package)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize("package", _PACKAGES)
def test_no_module_shares_its_name_with_the_standard_library(package: str) -> None:
    names = {part for path in _modules(package) for part in path.relative_to(ROOT / package).with_suffix("").parts}
    assert names & sys.stdlib_module_names == set()


def test_references_do_not_point_outside_the_repository() -> None:
    references = [
        f"{path.relative_to(ROOT)}: {found.group()}"
        for path in _prose()
        for found in _OUTSIDE.finditer(path.read_text())
    ]
    assert references == []


def test_retired_words_are_not_used() -> None:
    words = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, _RETIRED))})(?![\w-])", re.IGNORECASE)
    found = [
        f"{path.relative_to(ROOT)}:{number}: {word.group()}"
        for path in _prose()
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        for word in words.finditer(line)
    ]
    assert found == []
