"""What the security log records of requests."""

import json
from datetime import timedelta
from typing import Any

from playdock.kit.clock import timestamp
from world import PASSWORD, World


def recorded(world: World) -> list[dict[str, Any]]:
    folder = world.services.settings.security_log_folder
    assert folder is not None
    return [json.loads(line) for path in sorted(folder.glob("*.jsonl")) for line in path.read_text().splitlines()]


def events(world: World) -> list[str]:
    return [record["event"] for record in recorded(world)]


def test_sign_ins_and_their_failures_are_recorded_with_user_and_network(world: World) -> None:
    bob = world.person("bob")
    before = len(recorded(world))

    world.sign_in("bob")
    world.sign_in("bob", "a wrong password")
    world.sign_in("somebody else", "a wrong password")

    found = recorded(world)[before:]
    assert [(record["event"], record["user"]) for record in found] == [
        ("signed-in", bob.user["id"]),
        ("sign-in-failed", bob.user["id"]),
        ("sign-in-failed", ""),
    ]
    assert {record["network"] for record in found} == {"127.0.0.1"}
    assert len({record["request"] for record in found}) == 3


def test_a_refused_request_is_recorded_with_the_id_of_its_response(world: World) -> None:
    bob = world.person("bob")

    response = bob.get("/api/v1/admin/users")

    last = recorded(world)[-1]
    assert (last["event"], last["reason"], last["caller"]) == ("refused", "permission-missing", bob.user["id"])
    assert last["request"] == response.json()["requestId"]
    assert (last["method"], last["path"]) == ("GET", "/api/v1/admin/users")


def test_too_many_attempts_are_recorded(world: World) -> None:
    world.person("bob")

    statuses = [world.sign_in("bob", "a wrong password").status_code for _ in range(11)]

    assert statuses[-1] == 429
    assert events(world)[-1] == "locked-out"


def test_changes_of_credentials_and_permissions_are_recorded(world: World) -> None:
    admin, bob = world.admin(), world.person("bob")
    before = len(recorded(world))
    user = f"/api/v1/admin/users/{bob.user['id']}"

    token = bob.post("/api/v1/user/token", {"name": "script", "acls": ["user:read"]}).json()
    bob.delete(f"/api/v1/user/token/{token['id']}")
    admin.patch(user, {"admin": True})
    admin.patch(user, {"enabled": False})
    admin.patch(user, {"enabled": True})
    admin.post(f"{user}/reset")
    expires = timestamp(world.clock() + timedelta(days=1))
    admin.post("/api/v1/admin/auth/invitation", {"isAdmin": True, "expires": expires})
    admin.delete(user)

    found = recorded(world)[before:]
    assert [record["event"] for record in found] == [
        "token-created",
        "token-revoked",
        "role-changed",
        "account-disabled",
        "account-enabled",
        "reset-created",
        "invitation-created",
        "account-deleted",
    ]
    assert found[2] | {"user": bob.user["id"], "caller": admin.user["id"], "admin": True} == found[2]


def test_no_secret_is_recorded(world: World) -> None:
    bob = world.person("bob")
    secret = world.sign_in("bob").json()["accessToken"]
    world.sign_in(PASSWORD, PASSWORD)
    token = bob.post("/api/v1/user/token", {"name": "script", "acls": ["user:read"]}).json()["token"]
    world.with_token(token).get("/api/v1/admin/users")

    text = json.dumps(recorded(world))

    assert not [each for each in (secret, token, PASSWORD) if each in text]
