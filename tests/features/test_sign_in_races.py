"""What happens to an account just while somebody signs in to it with the password it had."""

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from databases import PostgresqlDatabases
from playdock.features.accounts import queries
from playdock.features.sessions import queries as session_queries
from playdock.models import UserSession
from races import call_meanwhile
from world import World


@pytest.fixture
def database_url(postgresql_databases: PostgresqlDatabases, tmp_path: Path) -> str:
    return postgresql_databases.fresh(tmp_path)


def _delete(session: Session, user_id: str) -> None:
    queries.remove(session, user_id)


def _change_password(session: Session, user_id: str) -> None:
    queries.set_password(session, user_id, "another")
    session_queries.end_of_user(session, user_id)


def _disable(session: Session, user_id: str) -> None:
    queries.change(session, user_id, {"enabled": False})
    session_queries.end_of_user(session, user_id)


@pytest.mark.parametrize(("change", "status"), [(_delete, 401), (_change_password, 401), (_disable, 401)])
def test_sign_in_fails_if_the_account_is_changed_concurrently(
    world: World, change: Callable[[Session, str], None], status: int
) -> None:
    ada = world.person("ada").user["id"]
    answer = call_meanwhile(world, lambda session: change(session, ada), lambda: world.sign_in("ada"))
    assert answer.status_code == status
    with world.services.db.read() as session:
        assert session.scalar(select(func.count()).select_from(UserSession)) == 0
