"""What happens to a device, or to who lets it in, just while something else happens to it."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy.orm import Session

from databases import PostgresqlDatabases
from devices import ask, count, decide, error_of, poll
from playdock.features.accounts import queries
from playdock.features.devices import queries as device_queries
from playdock.features.sessions import queries as session_queries
from playdock.models import Device
from races import call_meanwhile
from world import World, at_once, running_world

pytestmark = pytest.mark.both_databases


def test_of_two_simultaneous_decisions_only_one_succeeds(world: World) -> None:
    people, codes = [world.person("ada"), world.person("eve")], ask(world)

    answers = at_once([partial(decide, person, codes) for person in people])

    assert sorted(answer.status_code for answer in answers) == [204, 404]


def test_of_several_simultaneous_polls_only_one_gets_a_token(world: World) -> None:
    codes = ask(world)
    decide(world.person("ada"), codes)

    answers = at_once([partial(poll, world, codes)] * 4)

    assert sorted(answer.status_code for answer in answers) == [200, 400, 400, 400]
    assert {answer.json().get("error") for answer in answers} == {None, "invalid_grant"}
    assert count(world, Device) == 1


def test_of_several_simultaneous_polls_all_but_one_must_slow_down(world: World) -> None:
    answers = at_once([partial(poll, world, ask(world))] * 4)

    errors = sorted(answer.json()["error"] for answer in answers)

    assert errors == ["authorization_pending", "slow_down", "slow_down", "slow_down"]


@pytest.fixture
def shared(postgresql_databases: PostgresqlDatabases, tmp_path: Path) -> Iterator[World]:
    """A world on PostgreSQL, where others look on while somebody changes something."""
    with running_world(tmp_path, database_url=postgresql_databases.fresh(tmp_path)) as running:
        yield running


def disable(session: Session, user_id: str) -> None:
    queries.change(session, user_id, {"enabled": False})
    session_queries.end_of_user(session, user_id)
    device_queries.end_of_user(session, user_id)


def delete(session: Session, user_id: str) -> None:
    queries.remove(session, user_id)


CHANGES = pytest.mark.parametrize("change", [disable, delete])


@CHANGES
def test_a_user_being_disabled_or_deleted_cannot_authorize_a_device(
    shared: World, change: Callable[[Session, str], None]
) -> None:
    bob, codes = shared.person("bob"), ask(shared)

    answer = call_meanwhile(shared, lambda session: change(session, bob.user["id"]), lambda: decide(bob, codes))

    assert (answer.status_code, answer.json()["type"]) == (401, "sign-in-required")
    assert error_of(poll(shared, codes)) == (400, "authorization_pending")


@CHANGES
def test_no_token_is_issued_for_a_user_being_disabled_or_deleted(
    shared: World, change: Callable[[Session, str], None]
) -> None:
    bob, codes = shared.person("bob"), ask(shared)
    decide(bob, codes)

    answer = call_meanwhile(shared, lambda session: change(session, bob.user["id"]), lambda: poll(shared, codes))

    assert error_of(answer) == (400, "access_denied")
    assert count(shared, Device) == 0
