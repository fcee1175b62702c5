"""Changes to an account or a session during a sign-in or while linking."""

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from databases import PostgresqlDatabases
from playdock.features.accounts import queries as account_queries
from playdock.features.sessions import queries as session_queries
from playdock.models import SignInMethod, UserSession
from races import call_meanwhile
from world import World

from .refusals import assert_refused
from .visitor import Visitor

Change = Callable[[Session, str], None]


@pytest.fixture
def database_url(postgresql_databases: PostgresqlDatabases, tmp_path: Path) -> str:
    return postgresql_databases.fresh(tmp_path)


def _delete(session: Session, user_id: str) -> None:
    account_queries.remove(session, user_id)


def _disable(session: Session, user_id: str) -> None:
    account_queries.change(session, user_id, {"enabled": False})
    session_queries.end_of_user(session, user_id)


def _unlink(session: Session, user_id: str) -> None:
    account_queries.lock_user(session, user_id)
    session.execute(delete(SignInMethod).where(SignInMethod.user_id == user_id))


@pytest.mark.parametrize(("change", "status"), [(_delete, 400), (_disable, 403), (_unlink, 400)])
def test_a_sign_in_fails_if_the_account_changes_concurrently(
    trusting: World, victim: Visitor, attacker: Visitor, change: Change, status: int
) -> None:
    user = victim.sign_in()
    attacker.start()
    callback = attacker.authenticate()
    call_meanwhile(trusting, lambda session: change(session, user["id"]), lambda: attacker.browser.open(callback))
    assert attacker.browser.response.status_code == status
    assert_refused(attacker)
    assert attacker.me is None


def test_disabling_an_account_leaves_no_session(trusting: World, victim: Visitor, attacker: Visitor) -> None:
    user = victim.sign_in()
    attacker.start()
    callback = attacker.authenticate()
    call_meanwhile(trusting, lambda session: _disable(session, user["id"]), lambda: attacker.browser.open(callback))
    with trusting.services.db.read() as session:
        assert session.scalar(select(func.count()).select_from(UserSession)) == 0


def test_linking_fails_if_the_session_ends_while_it_starts(trusting: World, victim: Visitor) -> None:
    trusting.person("bob")
    victim.sign_in_simple("bob")
    call_meanwhile(trusting, lambda session: session.execute(delete(UserSession)), victim.start_linking)
    assert victim.browser.response.status_code == 403
    assert_refused(victim)
