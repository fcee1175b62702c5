"""Migrations expand the schema: processes of the previous release work on it until they are restarted.

See CONTRIBUTING.md. What is listed here is a contraction: an older release needs nothing of what it takes away.
"""

import ast
from collections.abc import Iterator

import pytest

from .source import PACKAGE

# Those before it are of releases whose nodes cannot be upgraded one after the other.
FIRST = "0018"
# The migration and its operation, and the release after which no process needs what it takes away.
CONTRACTIONS: dict[tuple[str, str], str] = {}
_CONTRACTING = {"alter_column", "create_check_constraint", "create_unique_constraint", "drop_column", "drop_table"}
_CONTRACTING |= {"rename_table"}


def contractions(source: str) -> Iterator[str]:
    """Yield the operations of an upgrade that an older release may notice."""
    for function in ast.parse(source).body:
        if isinstance(function, ast.FunctionDef) and function.name == "upgrade":
            for call in (node for node in ast.walk(function) if isinstance(node, ast.Call)):
                name = ast.unparse(call.func).rpartition(".")[2]
                if name in _CONTRACTING or (name == "add_column" and _must_be_given(call)):
                    yield name


def _must_be_given(added: ast.Call) -> bool:
    """Return whether a release that does not know a column cannot insert rows."""
    options = {option.arg: ast.unparse(option.value) for node in ast.walk(added) for option in _keywords(node)}
    return options.get("nullable") == "False" and "server_default" not in options


def _keywords(node: ast.AST) -> list[ast.keyword]:
    return node.keywords if isinstance(node, ast.Call) else []


def test_migrations_expand_first() -> None:
    files = sorted((PACKAGE / "db/migrations/versions").glob("*.py"))
    found = {(path.stem, name) for path in files if path.name >= FIRST for name in contractions(path.read_text())}
    assert files
    assert found == set(CONTRACTIONS)


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("op.add_column('games', sa.Column('a', sa.String()))", []),
        ("op.add_column('games', sa.Column('a', sa.String(), nullable=False, server_default=''))", []),
        ("op.add_column('games', sa.Column('a', sa.String(), nullable=False))", ["add_column"]),
        ("op.create_table('new', sa.Column('a', sa.String(), nullable=False))", []),
        ("with op.batch_alter_table('games') as games:\n        games.drop_column('a')", ["drop_column"]),
        ("op.alter_column('games', 'a', new_column_name='b')", ["alter_column"]),
    ],
)
def test_contractions_are_recognized(statement: str, expected: list[str]) -> None:
    assert (
        list(contractions(f"def upgrade():\n    {statement}\n\ndef downgrade():\n    op.drop_table('x')")) == expected
    )
