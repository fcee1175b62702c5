"""Who is behind a bearer's secret: remembered for exactly as long as nobody commits anything."""

from datetime import timedelta

from devices import device
from playdock.auth.actor import Actor, CredentialKind
from playdock.auth.bearers import Bearers
from playdock.kit.secrets import digest
from world import Caller, World


def look_up(bearers: Bearers, secret: str) -> Actor | None:
    """Find somebody as a request does, and remember who it was."""
    known = bearers.recall(secret)
    if known is not None:
        return known
    revision = bearers.revision
    found = bearers.look_up(secret)
    if found is not None:
        bearers.remember(secret, found, revision=revision)
    return found


def commit_something(world: World) -> None:
    world.invitation()


def bearers_of(world: World) -> Bearers:
    return Bearers(world.services.db, world.clock)


def token(world: World, owner: Caller, *, minutes: int) -> str:
    draft = {"name": "n", "acls": ["user:read"], "expiry": (world.clock() + timedelta(minutes=minutes)).isoformat()}
    made: str = owner.post("/api/v1/user/token", draft).json()["token"]
    return made


def test_a_session_and_a_token_are_told_apart(world: World) -> None:
    ada = world.person("ada")
    session, program = (bearers_of(world).look_up(caller.token) for caller in (ada, world.token_of(ada, "user:read")))

    assert session is not None
    assert program is not None
    assert (session.credential.kind, program.credential.kind) == (CredentialKind.SESSION, CredentialKind.TOKEN)
    assert session.person == program.person
    assert program.acls < session.acls


def test_a_device_is_told_apart_and_has_no_end(world: World) -> None:
    found = bearers_of(world).look_up(device(world, world.person("ada")).token)

    assert found is not None
    assert (found.credential.kind, found.credential.expires) == (CredentialKind.DEVICE, None)


def test_a_digest_opens_nothing(world: World) -> None:
    ada = world.person("ada")
    program = world.token_of(ada, "user:read")

    for secret in (digest(ada.token), digest(program.token), "", "pds_", "pdt_", "\ud800", ada.token[:-1]):
        assert bearers_of(world).look_up(secret) is None


def test_somebody_is_remembered_until_anybody_commits(world: World) -> None:
    ada, bearers = world.person("ada"), bearers_of(world)
    bearers.recall(ada.token)
    assert look_up(bearers, ada.token) is not None

    remembered = bearers.recall(ada.token) is not None
    commit_something(world)

    assert remembered is world.services.db.embedded
    assert bearers.recall(ada.token) is None
    assert look_up(bearers, ada.token) is not None


def test_what_was_found_before_a_commit_is_not_remembered_after_it(world: World) -> None:
    ada, bearers = world.person("ada"), bearers_of(world)
    bearers.recall(ada.token)
    revision = bearers.revision
    found = bearers.look_up(ada.token)
    assert found is not None
    commit_something(world)
    bearers.recall("somebody else")

    bearers.remember(ada.token, found, revision=revision)

    assert bearers.recall(ada.token) is None


def test_who_is_remembered_expires_all_the_same(world: World) -> None:
    bearers, secret = bearers_of(world), token(world, world.person("ada"), minutes=5)
    bearers.recall(secret)
    assert look_up(bearers, secret) is not None
    world.clock.advance(minutes=6)

    assert bearers.recall(secret) is None
    assert look_up(bearers, secret) is None


def test_nobody_is_not_remembered(world: World) -> None:
    bearers = bearers_of(world)

    assert [look_up(bearers, "pds_unknown") for _ in range(3)] == [None] * 3
