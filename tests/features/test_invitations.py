"""Invitations and sign-up."""

import errno
import uuid
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from audit import told_of
from playdock.cli.server import prepare
from playdock.kit.clock import timestamp
from playdock.kit.secret_key import Purpose, SecretKey
from playdock.models import Invitation
from world import PASSWORD, Caller, World, at_once, running_world

INVITATIONS = "/api/v1/admin/auth/invitation"
SIGN_UP = "/api/v1/auth/signup/simple"


def make(world: World, admin: Caller, **wanted: Any) -> dict[str, Any]:
    made = admin.post(INVITATIONS, {"expires": timestamp(world.clock() + timedelta(days=7)), **wanted})
    assert made.status_code == 201, made.text
    (invitation,) = made.json()
    assert isinstance(invitation, dict)
    return invitation


def test_an_invitation_creates_a_user(world: World) -> None:
    signed_up = world.sign_up(world.invitation(is_admin=True), username="Ada", displayName="Ada L.")

    user = signed_up.json()
    assert signed_up.status_code == 201
    assert uuid.UUID(user.pop("id"))
    assert uuid.UUID(user.pop("profilePictureObjectId"))
    assert user == {
        "username": "Ada",
        "displayName": "Ada L.",
        "email": "Ada@example.org",
        "admin": True,
        "enabled": True,
    }


def test_an_admin_creates_and_lists_invitations(world: World) -> None:
    admin = world.admin()

    made = make(world, admin, username="bob", isAdmin=True)

    assert set(made) == {"id", "isAdmin", "username", "email", "expires", "inviteUrl"}
    assert (made["isAdmin"], made["username"], made["email"]) == (True, "bob", None)
    assert made["inviteUrl"] == f"{world.address}/auth/register?id={made['id']}"
    assert admin.get(INVITATIONS).json() == [made]


def test_nobody_is_invited_with_a_name_that_is_taken(world: World) -> None:
    admin = world.admin("ada")
    expires = timestamp(world.clock() + timedelta(days=1))
    refused = admin.post(INVITATIONS, {"expires": expires, "username": "ADA"})
    [error] = refused.json()["errors"]
    assert (refused.status_code, error["field"], error["code"]) == (400, "username", "invited-name-taken")


@pytest.mark.both_databases
def test_invitations_are_listed_page_by_page(world: World) -> None:
    admin = world.admin()
    for name in ("ada1", "bob1", "cleo"):
        world.clock.advance(seconds=1)
        make(world, admin, username=name)

    pages = [admin.get(INVITATIONS, params={"limit": 2, "offset": offset}).json() for offset in (0, 2)]

    assert [[each["username"] for each in page] for page in pages] == [["cleo", "bob1"], ["ada1"]]


@pytest.mark.parametrize(
    ("headers", "begins"),
    [
        ({"Host": "nas:3000", "Origin": "http://nas:3000"}, "http://nas:3000"),
        ({"Host": "nas:3000", "Referer": "http://nas:3000/admin/invitations"}, "http://nas:3000"),
        ({"Host": "games.example.org", "Origin": "https://games.example.org"}, "https://games.example.org"),
        ({"Host": "evil.example"}, None),
        ({"Host": "evil.example", "Referer": "http://nas:3000/"}, None),
    ],
)
def test_links_begin_with_the_visited_address_if_the_external_url_is_local(
    world: World, headers: dict[str, str], begins: str | None
) -> None:
    world.admin()
    browser = world.browser("ada")
    draft = {"expires": timestamp(world.clock() + timedelta(days=7))}

    (made,) = browser.post(INVITATIONS, draft, headers=headers).json()
    (listed,) = browser.get(INVITATIONS, headers=headers).json()

    assert made["inviteUrl"] == f"{begins or world.address}/auth/register?id={made['id']}"
    assert listed["inviteUrl"] == made["inviteUrl"]
    shown = browser.get(f"{INVITATIONS}/address", headers=headers).json()
    assert (shown["address"], shown["local"]) == (begins or world.address, begins is None)


def test_programs_and_servers_with_an_external_url_never_get_links_to_a_visited_address(
    world: World, tmp_path: Path, database_url: str
) -> None:
    forged = {"Host": "nas:3000", "Origin": "http://nas:3000"}
    draft = {"expires": timestamp(world.clock() + timedelta(days=7))}
    program = world.token_of(world.admin(), "system:auth:simple:invitation:new")

    (made,) = program.post(INVITATIONS, draft, headers=forged).json()
    assert made["inviteUrl"].startswith(f"{world.address}/")

    public = "http://games.example.org"
    with running_world(tmp_path / "public", database_url=database_url, external_url=public) as other:
        (made,) = other.browser("ada").post(INVITATIONS, draft, headers=forged).json()
        assert made["inviteUrl"].startswith(f"{public}/")


def test_people_can_sign_in_at_an_address_of_the_network(world: World) -> None:
    world.admin()
    visit = {"Host": "nas:3000", "Origin": "http://nas:3000"}
    person = world.any_user()

    signed_in = person.post("/api/v1/auth/signin/simple", {"username": "ada", "password": PASSWORD}, headers=visit)
    renamed = person.patch("/api/v1/user", {"displayName": "Ada"}, headers=visit)
    foreign = person.patch("/api/v1/user", {"displayName": "Eve"}, headers={**visit, "Host": "evil.example"})

    assert (signed_in.status_code, renamed.status_code, foreign.status_code) == (200, 200, 403)


def test_the_expiry_is_returned_in_utc(world: World) -> None:
    year = world.clock().year + 1

    made = make(world, world.admin(), expires=f"{year}-01-01T02:00:00+02:00")

    assert made["expires"] == f"{year}-01-01T00:00:00.000Z"


def test_an_invitation_may_last_a_hundred_years(world: World) -> None:
    made = make(world, world.admin(), expires=timestamp(world.clock() + timedelta(days=36_525)))

    assert datetime.fromisoformat(made["expires"]).year >= world.clock().year + 99


def test_an_invitee_sees_the_invitation_without_its_url(world: World) -> None:
    made = make(world, world.admin(), email="bob@example.org")

    shown = world.any_user().get(SIGN_UP, params={"id": made["id"]})

    del made["inviteUrl"]
    assert (shown.status_code, shown.json()) == (200, made)


def test_an_expiry_must_be_in_the_future_and_within_bounds(world: World) -> None:
    admin, now = world.admin(), world.clock()
    wrong = [timestamp(now - timedelta(seconds=1)), timestamp(now + timedelta(days=37_000))]
    edges = ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", "yesterday", None]

    for expires in [*wrong, *edges]:
        refused = admin.post(INVITATIONS, {"expires": expires})
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "expires")
    assert admin.get(INVITATIONS).json() == []


def test_invalid_fields_of_an_invitation_are_rejected(world: World) -> None:
    refused = world.admin().post(INVITATIONS, {"username": "a b", "email": "x", "isAdmin": "yes", "admin": True})

    assert refused.status_code == 400
    fields = {fault["field"] for fault in refused.json()["errors"]}
    assert fields == {"expires", "username", "email", "isAdmin", "admin"}


def test_a_revoked_invitation_cannot_be_used(world: World) -> None:
    admin, invitation = world.admin(), world.invitation()

    assert admin.delete(INVITATIONS, {"id": invitation}).status_code == 204
    assert admin.delete(INVITATIONS, {"id": invitation}).status_code == 404
    assert admin.get(INVITATIONS).json() == []
    assert world.sign_up(invitation).status_code == 404


def test_unknown_used_and_expired_invitations_are_indistinguishable(world: World) -> None:
    used, expired = world.invitation(), world.invitation()
    world.sign_up(used)
    world.clock.advance(days=1, seconds=1)

    told = set()
    for invitation in (used, expired, str(uuid.uuid4()), "", "%", "x" * 300):
        shown = world.any_user().get(SIGN_UP, params={"id": invitation})
        signed_up = world.sign_up(invitation, username="bob")
        told |= {(answer.status_code, answer.json()["type"], answer.json()["detail"]) for answer in (shown, signed_up)}
    assert len(told) == 1
    assert told.pop()[:2] == (404, "invitation-unknown")


def test_an_expired_invitation_is_not_listed(world: World) -> None:
    world.admin("ada")
    world.invitation()
    before = world.browser("ada").get(INVITATIONS).json()
    world.clock.advance(days=1, seconds=1)
    after = world.browser("ada").get(INVITATIONS).json()

    assert (len(before), after) == (1, [])


def test_fields_set_by_the_invitation_override_those_of_the_sign_up(world: World) -> None:
    invitation = world.invitation(username="Bob", email="bob@example.org", is_admin=False)

    user = world.sign_up(invitation, username="mallory", email="mallory@example.org").json()

    assert (user["username"], user["email"], user["displayName"]) == ("Bob", "bob@example.org", "Bob")
    assert (world.sign_in("bob").status_code, world.sign_in("mallory").status_code) == (200, 401)


def test_user_name_and_email_are_required_even_if_the_invitation_sets_them(world: World) -> None:
    invitation = world.invitation(username="bob", email="bob@example.org")

    refused = world.any_user().post(SIGN_UP, {"invitation": invitation, "password": PASSWORD})

    assert refused.status_code == 400
    assert {fault["field"] for fault in refused.json()["errors"]} == {"username", "email"}


def test_the_display_name_defaults_to_the_user_name(world: World) -> None:
    for username, empty in {"Ada": None, "Bob": "", "Eve": " \n "}.items():
        user = world.sign_up(world.invitation(), username=username, displayName=empty).json()
        assert user["displayName"] == username


def test_a_display_name_may_contain_any_characters(world: World) -> None:
    name = "Ada 🎮 <script>\n'; DROP TABLE users; --"

    assert world.sign_up(world.invitation(), displayName=name).json()["displayName"] == name


def test_the_invitation_id_in_the_url_must_match_the_body(world: World) -> None:
    invitation, other = world.invitation(), world.invitation()
    body = {"invitation": invitation, "username": "ada", "password": PASSWORD, "email": "ada@example.org"}

    refused = world.any_user().post(f"{SIGN_UP}?id={other}", body)
    agreed = world.any_user().post(f"{SIGN_UP}?id={invitation}", body)

    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "invitation")
    assert agreed.status_code == 201


def test_all_errors_are_reported_at_once_and_the_invitation_stays_valid(world: World) -> None:
    invitation = world.invitation()
    body = {"invitation": invitation, "username": "a!", "password": "short", "email": "x@y", "admin": True}

    refused = world.any_user().post(SIGN_UP, body)

    assert refused.status_code == 400
    assert {fault["field"] for fault in refused.json()["errors"]} == {"username", "password", "email", "admin"}
    assert world.sign_up(invitation).json()["admin"] is False


def test_a_password_has_at_most_1024_bytes(world: World) -> None:
    invitation = world.invitation()

    refused = world.sign_up(invitation, password="🎮" * 257)

    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "password")
    assert world.sign_up(invitation, password="🎮" * 256).status_code == 201
    assert world.sign_in("ada", "🎮" * 256).status_code == 200


def test_a_taken_user_name_does_not_use_up_the_invitation(world: World) -> None:
    first, second = world.invitation(), world.invitation()
    world.sign_up(first, username="ada")

    taken = world.sign_up(second, username="Ada")
    other = world.sign_up(second, username="bob")

    assert (taken.status_code, taken.json()["type"]) == (409, "username-taken")
    assert other.status_code == 201


def test_a_failed_sign_up_leaves_no_profile_image(world: World) -> None:
    world.sign_up(world.invitation())
    world.sign_up(world.invitation())

    assert len(list(world.services.blobs.keys("objects", before=world.clock() + timedelta(days=1)))) == 1


@pytest.mark.both_databases
def test_sixteen_concurrent_sign_ups_with_one_invitation_create_one_user(world: World) -> None:
    invitation = world.invitation(is_admin=True)
    with running_world(world.folder, database_url=world.services.settings.database_url) as neighbor:
        places = [world, neighbor] * 8
        calls = [partial(place.sign_up, invitation, username=f"racer{queue}") for queue, place in enumerate(places)]
        answers = at_once(calls)

    made = [answer.json() for answer in answers if answer.status_code == 201]
    assert sorted(answer.status_code for answer in answers) == [201] + [404] * 15
    admin = world.with_token(world.sign_in(made[0]["username"]).json()["accessToken"])
    assert admin.get("/api/v1/admin/users").json() == made


@pytest.mark.both_databases
def test_eight_concurrent_sign_ups_with_one_name_use_one_invitation(world: World) -> None:
    invitations = [world.invitation(is_admin=True) for _ in range(8)]
    names = ["ada", "Ada", "ADA", "aDa"] * 2
    with running_world(world.folder, database_url=world.services.settings.database_url) as neighbor:
        places = [world, neighbor] * 4
        racers = zip(places, invitations, names, strict=True)
        answers = at_once([partial(place.sign_up, each, username=name) for place, each, name in racers])

    left = [each for each, answer in zip(invitations, answers, strict=True) if answer.status_code == 409]
    assert sorted(answer.status_code for answer in answers) == [201] + [409] * 7
    users = [world.sign_up(each, username=f"other{number}") for number, each in enumerate(left)]
    assert [answer.status_code for answer in users] == [201] * 7


def test_the_fifty_first_unknown_invitation_is_throttled(world: World) -> None:
    good, any_user = world.invitation(), world.any_user()
    for number in range(50):
        assert any_user.get(SIGN_UP, params={"id": f"{number}"}).status_code == 404

    answers = [any_user.get(SIGN_UP, params={"id": good}), world.sign_up(good), world.sign_up("unknown")]

    assert {(answer.status_code, answer.json()["type"]) for answer in answers} == {(429, "too-many-attempts")}
    world.clock.advance(minutes=10, seconds=5)
    assert world.sign_up(good).status_code == 201


def test_valid_invitations_and_rejected_sign_ups_do_not_count_as_failed_attempts(world: World) -> None:
    invitation, any_user = world.invitation(), world.any_user()
    for _ in range(60):
        assert any_user.get(SIGN_UP, params={"id": invitation}).status_code == 200
        assert any_user.post(SIGN_UP, {"invitation": invitation}).status_code == 400

    assert world.sign_up(invitation).status_code == 201


@pytest.mark.folder_objects
def test_a_full_disk_is_reported_and_does_not_use_up_the_invitation(world: World) -> None:
    invitation = world.invitation()

    def fill(opened: object) -> None:
        if "data/objects/objects" in str(opened):
            raise OSError(errno.ENOSPC, "No space left on device")

    with told_of("open", fill):
        refused = world.sign_up(invitation)

    assert (refused.status_code, refused.json()["type"]) == (503, "storage-unusable")
    assert "disk is full" in refused.json()["detail"]
    assert world.sign_up(invitation).status_code == 201


def test_ids_are_stored_encrypted(world: World) -> None:
    made = make(world, world.admin())
    with world.services.db.read() as session:
        (stored,) = session.scalars(select(Invitation.id))
    assert made["id"] not in stored
    assert world.any_user().get(SIGN_UP, params={"id": stored}).status_code == 404


def test_invitations_of_another_key_are_unknown_and_unlisted(world: World) -> None:
    admin = world.admin()
    made = make(world, admin)
    with world.services.db.write() as session:
        other = SecretKey("another key of 32 characters, or more", world.folder)
        session.execute(update(Invitation).values(id=other.encrypt(made["id"], Purpose.INVITATION)))
    assert admin.get(INVITATIONS).json() == []
    assert world.sign_up(made["id"]).status_code == 404


def test_ids_from_before_the_encryption_are_encrypted_at_the_start(world: World) -> None:
    admin = world.admin()
    made = make(world, admin)
    with world.services.db.write() as session:
        session.execute(update(Invitation).values(id=made["id"]))
    assert world.any_user().get(SIGN_UP, params={"id": made["id"]}).status_code == 404

    prepare(world.services)

    assert admin.get(INVITATIONS).json() == [made]
    assert world.sign_up(made["id"], username="bob").status_code == 201
