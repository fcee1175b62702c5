"""What accompanies a change is written in its transaction, once, or not at all."""

import pytest
from sqlalchemy.orm import Session

from playdock.db.accompanying import accompanied_by
from playdock.db.database import Database
from playdock.domain.libraries import queries as library_queries
from playdock.features.server_profile import queries


def _name(db: Database) -> str | None:
    with db.read() as session:
        profile = queries.find(session)
        return profile.name if profile else None


def _rename(session: Session, name: str) -> None:
    queries.lock(session)
    queries.change(session, {"name": name})


class _Failure(Exception):
    pass


def _fail(db: Database) -> None:
    with db.write() as session:
        _rename(session, "Rolled back")
        raise _Failure


def test_the_first_transaction_that_is_committed_writes_it(database: Database) -> None:
    written: list[str | None] = []

    with accompanied_by(lambda _session: written.append("once")) as entry:
        with pytest.raises(_Failure):
            _fail(database)
        assert not entry.written
        with database.read() as session:
            library_queries.list_all(session)
        assert written == []
        for name in ("First", "Second"):
            with database.write() as session:
                _rename(session, name)

    assert (entry.written, written, _name(database)) == (True, ["once"], "Second")


def test_a_change_that_cannot_be_accompanied_is_not_made(database: Database) -> None:
    def fail(_session: Session) -> None:
        raise _Failure

    with accompanied_by(fail), pytest.raises(_Failure), database.write() as session:
        _rename(session, "Never")

    assert _name(database) is None


def test_nested_contexts_are_all_written(database: Database) -> None:
    written: list[str] = []

    with accompanied_by(lambda _session: written.append("outer")):
        for name in ("First", "Second"):
            with accompanied_by(lambda _session: written.append("inner")), database.write() as session:
                _rename(session, name)

    assert written == ["outer", "inner", "inner"]
