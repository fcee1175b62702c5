"""Paths named in the documents exist, and the repository contains only what belongs there."""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from reference_docs import pages

from .source import PACKAGE, ROOT

_DECISIONS = sorted((ROOT / "docs/decisions").glob("*.md"))
_WRITTEN_BY_HAND = [
    *ROOT.glob("*.md"),
    *_DECISIONS,
    ROOT / "docs/operating.md",
    ROOT / "docs/security.md",
    ROOT / "docs/by-http.md",
    ROOT / "client/README.md",
]


def _quoted_paths(text: str) -> list[str]:
    """Return the texts in backticks that look like files or folders."""
    quoted: list[str] = re.findall(r"`([^`\s]+)`", text)
    return [text for text in quoted if "/" in text or text.endswith(".py")]


def _rows(document: Path) -> Iterator[list[str]]:
    for line in document.read_text().splitlines():
        if line.startswith("| "):
            yield line.strip("| ").split(" | ")


def _exists(path: str, *, folder: str) -> bool:
    """Return whether a path exists below the repository, the package, the folder of its row, or a feature."""
    places = (ROOT, PACKAGE, ROOT / folder, *(PACKAGE / "features").iterdir())
    return any(any(place.glob(path.rstrip("/"))) for place in places)


@pytest.mark.parametrize("decision", _DECISIONS, ids=lambda path: path.stem)
def test_a_decision_names_the_tests_that_enforce_it(decision: Path) -> None:
    paths = _quoted_paths(decision.read_text().partition("**Enforced by**")[2])
    assert paths
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_paths_in_the_architecture_tables_exist() -> None:
    rows = [(row[0].strip("`*"), _quoted_paths(" ".join(row))) for row in _rows(ROOT / "ARCHITECTURE.md")]
    named = [(path, about) for about, paths in rows for path in paths]
    assert len(named) > 30
    assert [path for path, about in named if not _exists(path, folder=about)] == []


@pytest.mark.parametrize("document", _WRITTEN_BY_HAND, ids=lambda path: path.name)
def test_document_lines_are_at_most_120_characters_long(document: Path) -> None:
    lines = [line for line in document.read_text().splitlines() if not line.startswith("|")]
    assert document.name not in pages()
    assert [line for line in lines if len(line) > 120] == []


@pytest.fixture(scope="module")
def tracked() -> list[Path]:
    """Return the tracked files that exist."""
    return [path for path in map(ROOT.joinpath, _git("ls-files", "-z")) if path.is_file()]


def test_no_tracked_file_is_large(tracked: list[Path]) -> None:
    assert len(tracked) > 200
    assert {path: path.stat().st_size for path in tracked if path.stat().st_size > 1_000_000} == {}


def test_no_tracked_file_is_ignored() -> None:
    assert _git("ls-files", "-z", "--cached", "--ignored", "--exclude-standard") == []


def _git(*command: str) -> list[str]:
    if not (ROOT / ".git").exists():
        assert "CI" not in os.environ, "This is not a git repository."
        pytest.skip("TRACKED FILES ARE NOT TESTED: this is not a git repository.")
    # The repository may belong to another user.
    listed = subprocess.run(
        ["git", "-c", "safe.directory=*", *command], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [name for name in listed.stdout.split("\0") if name]
