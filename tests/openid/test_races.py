"""What happens to an account or a session just while somebody signs in or links."""

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from databases import PostgresqlDatabases
from playdock.features.accounts import queries as account_queries
from playdock.models import Mechanism, UserSession
from races import call_meanwhile
from world import World

from .refusals import assert_page_refuses
from .visits import Visitor

Change = Callable[[Session, str], None]


@pytest.fixture
def database_url(postgresql_databases: PostgresqlDatabases, tmp_path: Path) -> str:
    return postgresql_databases.fresh(tmp_path)


def _delete(session: Session, user_id: str) -> None:
    account_queries.remove(session, user_id)


def _disable(session: Session, user_id: str) -> None:
    account_queries.change(session, user_id, {"enabled": False})
    account_queries.end_sessions(session, user_id)


def _unlink(session: Session, user_id: str) -> None:
    account_queries.hold_person(session, user_id)
    session.execute(delete(Mechanism).where(Mechanism.user_id == user_id))


@pytest.mark.parametrize(("change", "status"), [(_delete, 400), (_disable, 403), (_unlink, 400)])
def test_an_account_may_change_while_its_owner_signs_in(
    trusting: World, victim: Visitor, attacker: Visitor, change: Change, status: int
) -> None:
    user = victim.sign_in()
    attacker.begin()
    came = attacker.pass_provider()
    call_meanwhile(trusting, lambda session: change(session, user["id"]), lambda: attacker.browser.open(came))
    assert attacker.browser.answer.status_code == status
    assert_page_refuses(attacker)
    assert attacker.me is None


def test_a_disabled_account_has_no_session_left(trusting: World, victim: Visitor, attacker: Visitor) -> None:
    user = victim.sign_in()
    attacker.begin()
    came = attacker.pass_provider()
    call_meanwhile(trusting, lambda session: _disable(session, user["id"]), lambda: attacker.browser.open(came))
    with trusting.services.db.read() as session:
        assert session.scalar(select(func.count()).select_from(UserSession)) == 0


def test_a_session_may_end_while_a_link_begins(trusting: World, victim: Visitor) -> None:
    trusting.person("bob")
    victim.sign_in_simple("bob")
    call_meanwhile(trusting, lambda session: session.execute(delete(UserSession)), victim.begin_link)
    assert victim.browser.answer.status_code == 403
    assert_page_refuses(victim)
