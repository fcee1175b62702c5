"""A database that becomes unavailable during a commit: if the commit was made, all that it refers to is there."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import event, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from drawing import png
from games import add_game
from patching import NEW, OLD, Doom
from playdock.metadata.game_metadata import GameMetadata
from world import Caller, World


def _sign_up(world: World, _admin: Caller) -> int:
    return world.sign_up(world.invitation(), username="bob").status_code


def _upload(world: World, admin: Caller) -> int:
    data, files = {"id": add_game(world, GameMetadata("Hades"))}, [("image", ("image.png", png(), "image/png"))]
    return admin.request("POST", "/api/v1/admin/game/image", data=data, files=files).status_code


@pytest.mark.parametrize(("table", "act", "pictures"), [("users", _sign_up, 2), ("pictures", _upload, 1)])
def test_pictures_of_an_uncertain_commit_are_kept(
    world: World, table: str, act: Callable[[World, Caller], int], pictures: int
) -> None:
    admin = world.admin()
    with _failing_commit(world, table):
        status = act(world, admin)

    assert (status, _count(world, table)) == (503, pictures)
    assert _missing_objects(world) == []


def test_pictures_of_a_transaction_that_was_rolled_back_are_deleted(world: World) -> None:
    world.admin()
    stored = [*world.services.blobs.keys("objects", before=world.clock())]

    refused = world.sign_up(world.invitation(), username="ada")

    assert refused.status_code == 409
    assert [*world.services.blobs.keys("objects", before=world.clock())] == stored


def test_patches_of_an_uncertain_commit_are_kept(world: World) -> None:
    doom = Doom.at(world)
    doom.lay("1.0", OLD)
    with _failing_commit(world, "patch_sets"):
        old, new = doom.add("1.0", OLD), doom.add("1.1", NEW)
        doom.rest()

    listed = doom.ask(old, new)
    assert listed.status_code == 200
    assert doom.fetch(listed.json()["id"]).status_code == 200


@contextmanager
def _failing_commit(world: World, table: str) -> Iterator[None]:
    """Let the first commit that adds a row to a table report an I/O error, although it is made."""
    adding: list[Session] = []

    before = _count(world, table)

    def watch(session: Session) -> None:
        session.flush()
        if not adding and _rows(session, table) > before:
            adding.append(session)

    def fail(session: Session) -> None:
        if adding == [session]:
            cause = sqlite3.OperationalError("disk I/O error")
            cause.sqlite_errorcode = sqlite3.SQLITE_IOERR_FSYNC
            raise OperationalError("COMMIT", {}, cause)

    event.listen(Session, "before_commit", watch)
    event.listen(Session, "after_commit", fail)
    try:
        yield
    finally:
        event.remove(Session, "before_commit", watch)
        event.remove(Session, "after_commit", fail)
    assert adding


def _rows(session: Session, table: str) -> int:
    found: int = session.execute(text(f"SELECT count(*) FROM {table}")).scalar_one()
    return found


def _count(world: World, table: str) -> int:
    with world.services.db.read() as session:
        return _rows(session, table)


def _missing_objects(world: World) -> list[str]:
    """Return the ids of objects that have a row and no bytes."""
    with world.services.db.read() as session:
        ids = {object_id for (object_id,) in session.execute(text("SELECT id FROM objects"))}
    stored = {key.partition("/")[2] for key in world.services.blobs.keys("objects", before=world.clock())}
    return sorted(ids - stored)
