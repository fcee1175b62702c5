"""The source as the rules see it: every module with its syntax tree, and places to name when a rule is broken."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "playdock"

AnyFunction = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Module:
    """One file: ``place`` is its path below the package, such as ``domain/games/queries.py``."""

    place: str
    text: str
    tree: ast.Module

    @property
    def name(self) -> str:
        return self.place.rpartition("/")[2]

    @property
    def folder(self) -> str:
        return self.place.partition("/")[0]

    def at(self, node: ast.stmt | ast.expr) -> str:
        return f"{self.place}:{node.lineno}"


@cache
def modules() -> tuple[Module, ...]:
    """Return all files of the package but the migrations, which are written once and never changed."""
    paths = (path for path in sorted(PACKAGE.rglob("*.py")) if "migrations" not in path.parts)
    return tuple(_module(path) for path in paths)


def named(name: str) -> list[Module]:
    """Return the files of one name in all features."""
    found = [module for module in modules() if module.name == name and module.folder in ("domain", "features")]
    assert found
    return found


def is_queries(module: Module) -> bool:
    """Return whether a file is one of those that hold statements."""
    return module.name.endswith("queries.py")


def functions(tree: ast.AST) -> Iterator[AnyFunction]:
    return (node for node in ast.walk(tree) if isinstance(node, AnyFunction))


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def imported(tree: ast.AST) -> Iterator[tuple[ast.stmt, str]]:
    """Return each imported name with its module, such as ``sqlalchemy.select``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node, alias.name) for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            yield from ((node, f"{node.module}.{alias.name}") for alias in node.names)


def body_of(function: AnyFunction) -> list[ast.stmt]:
    """Return the statements of a function behind its docstring."""
    return function.body[1:] if ast.get_docstring(function) is not None else function.body


def _module(path: Path) -> Module:
    text = path.read_text()
    return Module(path.relative_to(PACKAGE).as_posix(), text, ast.parse(text))
