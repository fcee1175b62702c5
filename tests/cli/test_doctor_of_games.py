"""``playdock doctor``: what it says about games, and the programs that archives need."""

from contextlib import closing

import pytest
from sqlalchemy import select

from playdock.domain.games.queries import NewGame, add_game
from playdock.kit.clock import utc_now
from playdock.kit.identifiers import new_id
from playdock.models import Library
from playdock.storage import installer_content, unpacking

from .conftest import Prompt, add_library

pytestmark = pytest.mark.both_databases


def test_missing_programs_for_archives_are_reported(settled: Prompt, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "_INTERPRETER", ("/bin/sh", "-c", "exit 3"))
    monkeypatch.setattr(installer_content, "_PROGRAM", "no-such-program")
    examined = settled.run("doctor")
    assert examined.status == 1
    assert "The system library libarchive is missing" in examined.out
    assert "The program innoextract is missing" in examined.out


def test_an_empty_folder_of_a_library_with_games_is_reported(settled: Prompt) -> None:
    games = add_library(settled)
    (games / "Doom").mkdir()
    services = settled.services()
    with closing(services.db), services.db.write() as session:
        library = session.scalars(select(Library)).one()
        add_game(session, NewGame(new_id(), library.id, "Doom", "Doom", layout=None), at=utc_now())
    assert settled.run("doctor").status == 0
    (games / "Doom").rmdir()
    examined = settled.run("doctor")
    assert (examined.status, "The game folder is empty." in examined.out) == (1, True)
