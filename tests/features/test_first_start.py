"""What is made at the first start is made once, however many servers start together."""

from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path

import pytest

from playdock.db.migrate import is_current
from playdock.settings import Settings
from playdock.web.services import Services
from playdock.web.wiring import wire
from world import at_once

pytestmark = pytest.mark.both_databases

_SERVERS = 8


def _servers(stack: ExitStack, database_url: str, folder: Path) -> list[Services]:
    """Servers of one database, each with a connection of its own that is open already, so that all are as quick."""
    wired = [wire(Settings(data_dir=folder / "data", database_url=database_url)) for _ in range(_SERVERS)]
    for services in wired:
        stack.enter_context(closing(services.db))
        assert is_current(services.db)
    return wired


def test_servers_started_simultaneously_show_the_same_invitation(database_url: str, tmp_path: Path) -> None:
    with ExitStack() as stack:
        servers = _servers(stack, database_url, tmp_path)
        shown = at_once([services.invitations.first for services in servers])
    assert len({invitation.id for invitation in shown if invitation}) == 1


def test_servers_started_simultaneously_create_one_library(database_url: str, tmp_path: Path) -> None:
    (tmp_path / "games").mkdir()
    with ExitStack() as stack:
        servers = _servers(stack, database_url, tmp_path)
        made = at_once([partial(each.libraries.establish_first, str(tmp_path / "games")) for each in servers])
    assert len([library for library in made if library]) == 1
