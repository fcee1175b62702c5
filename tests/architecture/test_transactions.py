"""Statements stand in ``queries.py`` and ``…_queries.py``; transactions begin and end at the edges."""

import ast

import pytest

from .source import Module, calls, functions, imported, is_queries, modules

_STATEMENTS = ("delete", "exists", "func", "insert", "literal_column", "select", "text", "union", "update", "values")
_OPEN_TRANSACTIONS = {
    "service.py", "automatic_imports.py", "changes.py", "sign_in.py", "depot.py", "tasks.py", "maintenance.py",
    "new_versions.py",
    "games.py", "person.py", "played.py", "saved.py", "tokens.py", "trash.py", "undoing.py",
}  # fmt: skip


def _may_hold_statements(module: Module) -> bool:
    return is_queries(module) or module.folder == "db"


def _may_open_transactions(module: Module) -> bool:
    if module.folder in ("domain", "features"):
        return module.name in _OPEN_TRANSACTIONS
    if module.folder in ("audit", "backups", "cli", "nodes", "tasks"):
        return True
    return module.place in ("auth/resolver.py", "metadata/provider_store.py")


def _is_statement(name: str) -> bool:
    library, _, what = name.rpartition(".")
    return library.partition(".")[0] == "sqlalchemy" and what in _STATEMENTS


def _methods(module: Module, *names: str) -> list[tuple[str, str]]:
    """Return where methods of some names are called, and on what."""
    return [
        (module.at(call), ast.unparse(call.func.value))
        for call in calls(module.tree)
        if isinstance(call.func, ast.Attribute) and call.func.attr in names
    ]


def test_statements_are_only_built_in_queries() -> None:
    strays = [
        f"{module.place} {name}"
        for module in modules()
        for _, name in imported(module.tree)
        if _is_statement(name) and not _may_hold_statements(module)
    ]
    assert strays == ["models/base.py sqlalchemy.text"], "The condition of a partial index is part of a table."


def test_outside_queries_sessions_are_only_passed_on() -> None:
    used = [
        module.at(node)
        for module in modules()
        if not _may_hold_statements(module)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "session"
    ]
    assert used == []


def test_statements_are_only_executed_in_queries() -> None:
    strays = [
        where
        for module in modules()
        if not _may_hold_statements(module)
        for where, _ in _methods(module, "execute", "exec_driver_sql", "scalar", "scalars")
    ]
    assert strays == []


def test_only_the_database_commits() -> None:
    commits = [where for module in modules() for where, _ in _methods(module, "commit", "rollback")]
    assert [where.partition(":")[0] for where in commits] == ["db/database.py"]


@pytest.mark.parametrize("method", ["read", "write", "note"])
def test_transactions_begin_at_the_edges(method: str) -> None:
    opened = [
        (module, where)
        for module in modules()
        for where, receiver in _methods(module, method)
        if receiver.rpartition(".")[2] in ("db", "_db", "database")
    ]
    assert opened
    assert [where for module, where in opened if not _may_open_transactions(module)] == []


def test_every_function_that_locks_rows_records_it() -> None:
    """Otherwise the order of locks would not be checked (`db/locks.py`)."""
    locking = [
        (module, function)
        for module in modules()
        for function in functions(module.tree)
        if any(ast.unparse(call.func).endswith(".with_for_update") for call in calls(function))
    ]
    unrecorded = [
        module.at(function)
        for module, function in locking
        if not any(ast.unparse(call.func) in ("record_lock", "record_locked") for call in calls(function))
    ]
    assert len(locking) > 10
    assert unrecorded == []
