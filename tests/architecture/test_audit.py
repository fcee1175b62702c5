"""Every change by administrators is recorded, and the page of the audit log has a text for it."""

import inspect
import json
from collections.abc import Iterator
from inspect import isclass
from types import NoneType
from typing import get_args, get_type_hints

import msgspec
import pytest
from msgspec import Struct

from playdock.kit.bodies import RequestBody
from playdock.server.routing import Route, permissions_in
from playdock.web.routes import ROUTES

from .source import ROOT

# What commands record.
_COMMANDS = {"create_token", "migrate", "undo_migration"}
# There are thousands of these calls. The start of an upload is recorded, and the task that ends it.
_NOT_RECORDED = {"append_to_upload"}


def _changes() -> list[Route]:
    return [
        route
        for route in ROUTES
        if route.contract.call.__name__ not in _NOT_RECORDED
        and "GET" not in route.methods
        and any(each.is_system for each in permissions_in(route.contract.requires))
    ]


def test_changes_by_administrators_are_recorded_in_the_thread_of_their_transaction() -> None:
    assert len(_changes()) > 40
    assert [each.path for each in _changes() if inspect.iscoroutinefunction(each.contract.call)] == []


def _recorded_fields() -> set[str]:
    """Return the fields of requests of which something is recorded and shown, and those that services add."""
    bodies = (kind for route in _changes() for kind in get_type_hints(route.contract.call).values())
    found = {name for body in bodies if isclass(body) and issubclass(body, RequestBody) for name in _fields(body)}
    return (found - {"id", "gameId", "libraryId", "versionId", "values"}) | {"games"}


def _fields(body: type[Struct], prefix: str = "") -> Iterator[str]:
    for field in msgspec.structs.fields(body):
        objects = [kind for kind in (field.type, *get_args(field.type)) if isclass(kind) and issubclass(kind, Struct)]
        name = f"{prefix}{field.encode_name}"
        if not objects or NoneType in get_args(field.type):
            yield name.replace(".", "_")
        for each in objects:
            yield from _fields(each, f"{name}.")


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_field_has_a_text(language: str) -> None:
    """Add the new fields to the locales of the page of the audit log."""
    texts = json.loads((ROOT / f"web/src/features/audit_log/locales/{language}.json").read_text())

    assert set(texts["fields"]) == _recorded_fields()


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_operation_has_a_text(language: str) -> None:
    """Add the new operations to the locales of the page of the audit log."""
    texts = json.loads((ROOT / f"web/src/features/audit_log/locales/{language}.json").read_text())

    assert set(texts["operations"]) == {each.contract.call.__name__ for each in _changes()} | _COMMANDS
