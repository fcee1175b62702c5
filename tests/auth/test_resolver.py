"""The resolution of credentials, cached until a credential or a user changes."""

import asyncio
from collections.abc import Iterator
from datetime import timedelta

import pytest
from sqlalchemy import update
from sqlalchemy.exc import DBAPIError

from devices import device
from playdock.auth.actor import Actor, CredentialKind
from playdock.auth.resolver import CredentialResolver
from playdock.db.database import Database
from playdock.kit.identifiers import digest
from playdock.models import User
from world import Caller, World

pytestmark = pytest.mark.both_databases


@pytest.fixture
def credentials(world: World) -> Iterator[CredentialResolver]:
    """A resolver with its own cache and connections, as in another process."""
    database = Database(world.services.settings.database)
    yield CredentialResolver(database, world.clock, world.services.secret_key)
    database.close()


def cached(credentials: CredentialResolver, secret: str) -> Actor | None:
    return asyncio.run(credentials.cached(secret))


def resolve(credentials: CredentialResolver, secret: str) -> Actor | None:
    """Resolve a credential as a request does, and cache the result."""
    known = cached(credentials, secret)
    if known is not None:
        return known
    revision = credentials.revision
    found = credentials.resolve(secret)
    if found is not None:
        credentials.store(secret, found, revision=revision)
    return found


def change_a_user(world: World) -> None:
    with world.services.db.write() as session:
        session.execute(update(User).values(display_name=User.display_name + "!"))


def token(world: World, owner: Caller, *, minutes: int) -> str:
    draft = {"name": "n", "acls": ["user:read"], "expiry": (world.clock() + timedelta(minutes=minutes)).isoformat()}
    created: str = owner.post("/api/v1/user/token", draft).json()["token"]
    return created


def test_a_session_and_a_token_are_distinguished(world: World, credentials: CredentialResolver) -> None:
    ada = world.person("ada")
    session, program = (credentials.resolve(caller.token) for caller in (ada, world.token_of(ada, "user:read")))

    assert session is not None
    assert program is not None
    assert (session.credential.kind, program.credential.kind) == (CredentialKind.SESSION, CredentialKind.TOKEN)
    assert session.user == program.user
    assert program.acls < session.acls


def test_a_device_credential_is_recognized_and_does_not_expire(world: World, credentials: CredentialResolver) -> None:
    found = credentials.resolve(device(world, world.person("ada")).token)

    assert found is not None
    assert (found.credential.kind, found.credential.expires) == (CredentialKind.DEVICE, None)


def test_a_database_that_cannot_be_written_locks_nobody_out(world: World, credentials: CredentialResolver) -> None:
    ada = world.person("ada")
    world.clock.advance(hours=1)
    read_only = "PRAGMA query_only = 1" if credentials.db.embedded else "SET default_transaction_read_only = on"
    with credentials.db.engine.connect() as connection:
        connection.execution_options(isolation_level="AUTOCOMMIT").exec_driver_sql(read_only)
    with pytest.raises(DBAPIError), credentials.db.write() as session:
        session.execute(update(User).values(display_name="changed"))

    assert credentials.resolve(ada.token) is not None


def test_a_digest_is_not_a_credential(world: World, credentials: CredentialResolver) -> None:
    ada = world.person("ada")
    program = world.token_of(ada, "user:read")

    for secret in (digest(ada.token), digest(program.token), "", "pds_", "pdt_", "\ud800", ada.token[:-1]):
        assert credentials.resolve(secret) is None


def test_an_actor_is_cached_until_a_user_changes(world: World, credentials: CredentialResolver) -> None:
    ada = world.person("ada")
    assert resolve(credentials, ada.token) is not None

    world.invitation()
    before_change = cached(credentials, ada.token)
    change_a_user(world)
    after_change = cached(credentials, ada.token)

    assert before_change is not None
    assert after_change is None
    assert resolve(credentials, ada.token) is not None


def test_an_actor_resolved_before_a_change_is_not_cached_after_it(
    world: World, credentials: CredentialResolver
) -> None:
    ada = world.person("ada")
    cached(credentials, ada.token)
    revision = credentials.revision
    found = credentials.resolve(ada.token)
    assert found is not None
    change_a_user(world)
    cached(credentials, "somebody else")

    credentials.store(ada.token, found, revision=revision)

    assert cached(credentials, ada.token) is None


def test_a_cached_credential_expires_on_time(world: World, credentials: CredentialResolver) -> None:
    secret = token(world, world.person("ada"), minutes=5)
    assert resolve(credentials, secret) is not None
    world.clock.advance(minutes=6)

    assert cached(credentials, secret) is None
    assert resolve(credentials, secret) is None


def test_an_unknown_credential_is_not_cached(credentials: CredentialResolver) -> None:
    assert [resolve(credentials, "pds_unknown") for _ in range(3)] == [None] * 3
