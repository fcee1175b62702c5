"""Device authorization in tests: requesting, polling and approving."""

from typing import Any

import httpx2
from sqlalchemy import func, select

from playdock.models import Device, DeviceRequest
from world import Caller, World

GRANT = "urn:ietf:params:oauth:grant-type:device_code"
REQUEST = "/api/v1/user/client/request"


def ask(world: World, **wanted: str) -> dict[str, Any]:
    """Request authorization for a device."""
    form = {"client_id": "playdock-client", "device_name": "Ada's laptop", "platform": "Linux", **wanted}
    asked = world.any_user().request("POST", "/oauth/device_authorization", data=form)
    assert asked.status_code == 200, asked.text
    codes: dict[str, Any] = asked.json()
    return codes


def poll(world: World, codes: dict[str, Any], **wanted: str) -> httpx2.Response:
    """Poll for the result of an authorization."""
    form = {"grant_type": GRANT, "client_id": "playdock-client", "device_code": codes["device_code"], **wanted}
    return world.any_user().request("POST", "/oauth/token", data=form)


def decide(person: Caller, codes: dict[str, Any], *, approve: bool = True) -> httpx2.Response:
    return person.post(REQUEST, {"userCode": codes["user_code"], "approve": approve})


def device(world: World, person: Caller, **wanted: str) -> Caller:
    """Return a device that a user has authorized."""
    codes = ask(world, **wanted)
    assert decide(person, codes).status_code == 204
    return world.with_token(poll(world, codes).json()["access_token"])


def error_of(answer: httpx2.Response) -> tuple[int, str]:
    """Return the status and OAuth code of an error."""
    return answer.status_code, answer.json()["error"]


def count(world: World, table: type[Device | DeviceRequest]) -> int | None:
    with world.services.db.read() as session:
        return session.scalar(select(func.count()).select_from(table))


def clean(world: World) -> None:
    """Delete expired rows, like the daily cleanup."""
    admin = world.admin("cleaner")
    started = admin.post("/api/v1/admin/task", {"taskGroup": "cleanup:sessions"})
    assert world.finish(admin, started.json()["id"])["success"]
