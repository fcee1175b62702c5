"""A request whose body arrives after its session has ended creates no credential and changes no account."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import text

from devices import REQUEST, ask
from world import Caller, World


class _Unfinished:
    """A request whose header the service has accepted, and which waits for its body."""

    def __init__(self, connection: socket.socket, body: bytes) -> None:
        self._connection = connection
        self._body = body

    def finish(self) -> int:
        """Send the body, and return the status of the response."""
        self._connection.sendall(self._body)
        return int(self._connection.recv(4096).split(b" ", 2)[1])


@contextmanager
def _begun(world: World, caller: Caller, method: str, path: str, body: Any) -> Iterator[_Unfinished]:
    data = json.dumps(body).encode()
    host, _, port = world.address.removeprefix("http://").partition(":")
    header = (
        f"{method} {path} HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: Bearer {caller.token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\nExpect: 100-continue\r\n\r\n"
    )
    with socket.create_connection((host, int(port)), timeout=120) as connection:
        connection.sendall(header.encode())
        # The service asks for the body when it has identified the caller.
        assert connection.recv(4096).startswith(b"HTTP/1.1 100 ")
        yield _Unfinished(connection, data)


def _calls(world: World) -> dict[str, tuple[str, str, Any]]:
    return {
        "token": ("POST", "/api/v1/user/token", {"name": "script", "acls": ["user:read"]}),
        "email": ("PATCH", "/api/v1/user", {"email": "mallory@example.org"}),
        "device": ("POST", REQUEST, {"userCode": ask(world)["user_code"], "approve": True}),
    }


@pytest.mark.parametrize("name", ["token", "email", "device"])
@pytest.mark.parametrize("ending", ["reset", "end all sessions"])
def test_a_request_of_an_ended_session_changes_nothing(world: World, name: str, ending: str) -> None:
    admin, bob = world.admin(), world.person("bob")
    user = f"/api/v1/admin/users/{bob.user['id']}"

    with _begun(world, bob, *_calls(world)[name]) as request:
        if ending == "reset":
            link = admin.post(f"{user}/reset").json()["resetUrl"]
            new = {"id": link.partition("?id=")[2], "password": "another correct horse"}
            assert world.any_user().post("/api/v1/auth/reset/simple", new).status_code == 204
        else:
            assert admin.delete(f"{user}/session").status_code == 204
        status = request.finish()

    assert status == 401
    assert admin.get(f"{user}/token").json() == admin.get(f"{user}/client").json() == []
    assert admin.get(user).json()["email"] == bob.user["email"]
    with world.services.db.read() as session:
        assert session.execute(text("SELECT count(*) FROM device_requests WHERE user_id IS NOT NULL")).scalar() == 0


def test_a_request_of_a_session_that_goes_on_succeeds(world: World) -> None:
    with _begun(world, world.person("bob"), *_calls(world)["token"]) as request:
        assert request.finish() == 201
