"""What the security log records of requests."""

import fcntl
import json
import os
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

from playdock.kit.clock import timestamp
from playdock.kit.security_log import MAX_FILE_BYTES
from waiting import MAX_WAIT_SECONDS, wait_until
from world import PASSWORD, World, running_world


def recorded(world: World) -> list[dict[str, Any]]:
    assert world.services.security_log.flush(seconds=MAX_WAIT_SECONDS)
    folder = world.services.settings.data_dir / "security-log"
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
    bob.patch("/api/v1/user", {"email": "new@example.org"})
    admin.patch(user, {"email": "newer@example.org", "displayName": "Bob"})
    admin.patch(user, {"admin": True})
    (session,) = admin.get(f"{user}/session").json()
    admin.delete(f"{user}/session/{session['id']}")
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
        "email-changed",
        "email-changed",
        "role-changed",
        "session-ended",
        "account-disabled",
        "account-enabled",
        "reset-created",
        "invitation-created",
        "account-deleted",
    ]
    assert found[4] | {"user": bob.user["id"], "caller": admin.user["id"], "admin": True} == found[4]


def test_confirmed_and_wrong_passwords_of_a_session_are_recorded(world: World) -> None:
    bob = world.person("bob")
    before = len(recorded(world))

    bob.post("/api/v1/user/password", {"current": "a wrong password", "new": "another correct horse"})
    bob.post("/api/v1/user/session/confirm", {"password": "a wrong password"})
    bob.post("/api/v1/user/session/confirm", {"password": PASSWORD})

    found = [(record["event"], record.get("method")) for record in recorded(world)[before:] if record["caller"]]
    assert [each for each in found if each[0] != "refused"] == [
        ("sign-in-failed", None),
        ("sign-in-failed", None),
        ("signed-in", "confirmation"),
    ]


def _file(world: World) -> Path:
    return world.services.settings.data_dir / "security-log" / f"{world.clock().date().isoformat()}.jsonl"


def _send_from_another_site(world: World, token_id: str = "any") -> None:
    headers = {"Sec-Fetch-Site": "cross-site"}
    response = world.any_user().delete(f"/api/v1/user/token/{token_id}", headers=headers)
    assert (response.status_code, response.json()["type"]) == (403, "foreign-origin")


def test_refused_requests_without_a_credential_do_not_fill_the_file(world: World) -> None:
    admin, bob = world.admin(), world.person("bob")
    length = len(recorded(world))
    # A path of many control characters, each of which takes six bytes in JSON.
    _send_from_another_site(world, "%01" * 5000)
    assert len(json.dumps(recorded(world)[length])) < 2000
    with _file(world).open("r+b") as file:
        file.truncate(MAX_FILE_BYTES // 8 - 1)
        file.seek(-1, os.SEEK_END)
        file.write(b"\n")

    for _ in range(3):
        _send_from_another_site(world)
    bob.get("/api/v1/admin/users")
    admin.patch(f"/api/v1/admin/users/{bob.user['id']}", {"admin": True})

    assert world.services.security_log.flush(seconds=MAX_WAIT_SECONDS)
    with _file(world).open("rb") as file:
        file.seek(MAX_FILE_BYTES // 8 - 1)
        found = [json.loads(line) for line in file.read().splitlines() if line]
    assert [each["event"] for each in found] == ["refused", "refused", "role-changed"]
    assert [each["reason"] for each in found[:2]] == ["foreign-origin", "permission-missing"]


def test_a_disk_that_hangs_does_not_stop_the_service(world: World) -> None:
    _file(world).parent.mkdir(parents=True, exist_ok=True)
    _file(world).unlink(missing_ok=True)
    # A full pipe is written to when somebody reads it.
    os.mkfifo(_file(world))
    pipe = os.open(_file(world), os.O_RDWR | os.O_NONBLOCK)
    fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, 4096)
    with suppress(BlockingIOError):
        while True:
            os.write(pipe, b"\n")

    for _ in range(3):
        _send_from_another_site(world)
    assert not world.services.security_log.flush(seconds=0.01)
    assert world.any_user().get("/api/v1/user").json() is None

    _file(world).unlink()
    os.read(pipe, 4096)
    assert events(world) == ["refused", "refused"]
    os.close(pipe)


def test_expired_files_are_deleted_when_the_server_starts(database_url: str, tmp_path: Path) -> None:
    old = tmp_path / "data" / "security-log" / "2020-01-01.jsonl"
    old.parent.mkdir(parents=True)
    old.write_text("")
    with running_world(tmp_path, database_url=database_url):
        wait_until(lambda: not old.exists())


def test_no_secret_is_recorded(world: World) -> None:
    bob = world.person("bob")
    secret = world.sign_in("bob").json()["accessToken"]
    world.sign_in(PASSWORD, PASSWORD)
    token = bob.post("/api/v1/user/token", {"name": "script", "acls": ["user:read"]}).json()["token"]
    world.with_token(token).get("/api/v1/admin/users")

    text = json.dumps(recorded(world))

    assert not [each for each in (secret, token, PASSWORD) if each in text]
