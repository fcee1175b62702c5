"""Every change by administrators is recorded, and the page of the audit log has a text for it."""

import inspect
import json

import pytest

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


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_operation_has_a_text(language: str) -> None:
    """Add the new operations to the locales of the page of the audit log."""
    texts = json.loads((ROOT / f"web/src/features/audit_log/locales/{language}.json").read_text())

    assert set(texts["operations"]) == {each.contract.call.__name__ for each in _changes()} | _COMMANDS
