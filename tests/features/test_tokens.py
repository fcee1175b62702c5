"""API tokens: some of a person's rights for a program."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import text

from playdock.auth.permissions import RESERVED_PERMISSIONS, SYSTEM_PERMISSIONS, USER_PERMISSIONS
from playdock.kit.clock import timestamp
from world import Caller, World, running_world

TOKENS = "/api/v1/user/token"


def make(owner: Caller, *acls: str, **wanted: Any) -> dict[str, Any]:
    made = owner.post(TOKENS, {"name": "script", "acls": list(acls), **wanted})
    assert made.status_code == 201, made.text
    token: dict[str, Any] = made.json()
    return token


def test_a_token_is_shown_once(world: World) -> None:
    ada = world.person("ada")

    made = make(ada, "user:store:read", "user:read", "user:read")
    secret = made.pop("token")

    assert set(made) == {"id", "name", "acls", "expires", "created"}
    assert (made["name"], made["acls"]) == ("script", ["user:read", "user:store:read"])
    assert ada.get(TOKENS).json() == [made]
    assert world.with_token(secret).get("/api/v1/user").json() == ada.user


def test_secrets_are_not_stored_in_the_database(world: World) -> None:
    ada = world.person("ada")
    secret = make(ada, "user:read")["token"]

    with world.services.db.read() as session:
        rows = [*session.execute(text("SELECT * FROM tokens")), *session.execute(text("SELECT * FROM sessions"))]

    assert len(rows) == 2
    assert not any(shown in str(rows) for shown in (secret, secret[4:], ada.token, ada.token[4:]))


def test_a_token_lists_its_permissions_sorted(world: World) -> None:
    admin = world.admin()
    acls = ["user:store:read", "system:user:read", "user:read"]

    assert world.token_of(admin, *acls).get("/api/v1/token").json() == sorted(acls)


def test_a_session_has_all_permissions_of_its_user(world: World) -> None:
    admin, bob = world.admin(), world.person("bob")

    assert admin.get("/api/v1/token").json() == sorted(USER_PERMISSIONS | SYSTEM_PERMISSIONS)
    assert bob.get("/api/v1/token").json() == sorted(USER_PERMISSIONS)
    assert world.any_user().get("/api/v1/token").status_code == 401


def test_users_can_choose_only_from_their_own_permissions(world: World) -> None:
    of_admin = world.admin().get(f"{TOKENS}/acls").json()
    of_bob = world.person("bob").get(f"{TOKENS}/acls").json()

    assert set(of_admin) == (USER_PERMISSIONS | SYSTEM_PERMISSIONS) - RESERVED_PERMISSIONS
    assert set(of_bob) == USER_PERMISSIONS - RESERVED_PERMISSIONS
    assert of_bob["user:read"] == "See own account."


def test_only_admins_can_request_system_permissions(world: World) -> None:
    bob = world.person("bob")

    refused = bob.post(TOKENS, {"name": "n", "acls": ["user:read", "system:user:read"]})

    assert (refused.status_code, refused.json()["type"]) == (403, "permission-not-held")
    assert "system:user:read" in refused.json()["detail"]
    assert bob.get(TOKENS).json() == []


WRONG: tuple[tuple[dict[str, Any], str], ...] = (
    ({"acls": []}, "acls"),
    ({"acls": ["import:game:read"]}, "acls[0]"),
    ({"acls": ["user:read", "user:*"]}, "acls[1]"),
    ({"acls": "user:read"}, "acls"),
    ({"acls": ["user:read", "user:settings:read"]}, "acls[1]"),
    ({"acls": ["user:settings:read"]}, "acls[0]"),
    ({"name": ""}, "name"),
    ({"name": "x" * 129}, "name"),
    ({"expiry": "2001-01-01T00:00:00Z"}, "expiry"),
    ({"expiry": "0001-01-01T00:00:00+14:00"}, "expiry"),
    ({"expiry": "9999-12-31T23:59:59-12:00"}, "expiry"),
    ({"expiry": "2099-01-01T00:00:00Z"}, "expiry"),
    ({"expires": "2999-01-01T00:00:00Z"}, "expires"),
    ({"userId": "somebody"}, "userId"),
)


def test_an_invalid_token_request_is_rejected_with_the_field(world: World) -> None:
    ada = world.person("ada")

    for wrong, field in WRONG:
        refused = ada.post(TOKENS, {"name": "n", "acls": ["user:read"], **wrong})
        assert (refused.status_code, [fault["field"] for fault in refused.json()["errors"]]) == (400, [field])
    assert ada.get(TOKENS).json() == []


def test_reserved_permissions_are_rejected_by_name(world: World) -> None:
    refused = world.admin().post(TOKENS, {"name": "n", "acls": ["user:read", *sorted(RESERVED_PERMISSIONS)]}).json()

    assert refused["type"] == "invalid-input"
    assert [fault["field"] for fault in refused["errors"]] == [
        f"acls[{at}]" for at in range(1, len(RESERVED_PERMISSIONS) + 1)
    ]
    assert all(
        acl in fault["detail"] for acl, fault in zip(sorted(RESERVED_PERMISSIONS), refused["errors"], strict=True)
    )


def test_a_token_allows_only_what_its_permissions_say(world: World) -> None:
    admin = world.admin()
    program = world.token_of(admin, "system:user:read")

    assert program.get("/api/v1/admin/users").status_code == 200
    assert program.get("/api/v1/user").status_code == 403
    assert program.get("/api/v1/admin/auth/invitation").status_code == 403
    assert program.delete(f"/api/v1/admin/users/{admin.user['id']}").status_code == 403


def test_a_token_without_the_read_permission_is_rejected_with_the_missing_one(world: World) -> None:
    refused = world.token_of(world.person("ada"), "user:store:read").get("/api/v1/user")

    assert (refused.status_code, refused.json()["type"]) == (403, "permission-missing")
    assert "user:read" in refused.json()["detail"]


def test_tokens_can_be_managed_only_with_a_session(world: World) -> None:
    ada = world.person("ada")
    program = world.token_of(ada, *(USER_PERMISSIONS - RESERVED_PERMISSIONS))
    token_id = ada.get(TOKENS).json()[0]["id"]

    answers = [
        program.get(TOKENS),
        program.get(f"{TOKENS}/acls"),
        program.post(TOKENS, {"name": "n", "acls": ["user:read"]}),
        program.delete(f"{TOKENS}/{token_id}"),
        program.get("/api/v1/user/session"),
        program.delete("/api/v1/user/session"),
        program.post("/api/v1/user/password", {"current": "x", "new": "x" * 14}),
        program.post("/api/v1/auth/signout"),
    ]

    assert {(answer.status_code, answer.json()["type"]) for answer in answers} == {(403, "session-required")}


def test_an_expired_token_is_rejected(world: World) -> None:
    ada = world.person("ada")
    made = make(ada, "user:read", expiry=timestamp(world.clock() + timedelta(hours=1)))
    program = world.with_token(made["token"])
    assert program.get("/api/v1/user").json() == ada.user

    world.clock.advance(hours=1, seconds=1)

    assert program.get("/api/v1/user").json() is None
    assert program.get("/api/v1/token").status_code == 401


def test_a_token_without_expiry_is_valid_for_the_maximum(world: World) -> None:
    ada = world.person("ada")
    program = world.token_of(ada, "user:read")
    assert ada.get(f"{TOKENS}/limits").json() == {"maxDays": 365}

    valid = []
    for days in (364, 2):
        world.clock.advance(days=days)
        valid.append(program.get("/api/v1/user").json() == ada.user)

    assert valid == [True, False]


def test_no_token_is_valid_for_longer_than_the_setting_allows(database_url: str, tmp_path: Path) -> None:
    with running_world(tmp_path, database_url=database_url, token_max_days=30) as world:
        ada, now = world.person("ada"), world.clock()
        assert ada.get(f"{TOKENS}/limits").json() == {"maxDays": 30}

        late = ada.post(TOKENS, {"name": "n", "acls": ["user:read"], "expiry": timestamp(now + timedelta(days=31))})

        assert (late.status_code, late.json()["errors"][0]["field"]) == (400, "expiry")
        assert "30 days" in late.json()["errors"][0]["detail"]
        soon = timestamp(now + timedelta(days=29))
        assert make(ada, "user:read", expiry=soon)["expires"] == soon
        latest = datetime.fromisoformat(make(ada, "user:read")["expires"])
        assert now + timedelta(days=30) <= latest <= world.clock() + timedelta(days=30)


def test_a_revoked_token_stops_working_immediately(world: World) -> None:
    ada = world.person("ada")
    made, kept = make(ada, "user:read"), world.token_of(ada, "user:read")
    program = world.with_token(made["token"])
    assert program.get("/api/v1/user").json() == ada.user

    assert ada.delete(f"{TOKENS}/{made['id']}").status_code == 204

    assert program.get("/api/v1/user").json() is None
    assert kept.get("/api/v1/user").json() == ada.user
    assert ada.delete(f"{TOKENS}/{made['id']}").status_code == 404


def test_users_cannot_revoke_tokens_of_others(world: World) -> None:
    admin, bob = world.admin(), world.person("bob")
    made = make(bob, "user:read")

    for token_id in (made["id"], "unknown", "%00"):
        assert admin.delete(f"{TOKENS}/{token_id}").status_code == 404
    assert world.with_token(made["token"]).get("/api/v1/user").json() == bob.user


def test_tokens_survive_a_change_of_password_and_are_deleted_with_their_owner(world: World) -> None:
    admin, bob = world.admin(), world.person("bob")
    program = world.token_of(bob, "user:read")

    bob.post("/api/v1/user/password", {"current": "correct horse battery", "new": "another good password"})
    assert program.get("/api/v1/user").json() == bob.user
    admin.delete(f"/api/v1/admin/users/{bob.user['id']}")
    assert program.get("/api/v1/user").json() is None
