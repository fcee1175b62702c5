"""Devices of the player's client: how people see them, and what they may."""

from devices import clean, device
from playdock.auth.permissions import USER_PERMISSIONS
from world import World

DEVICES = "/api/v1/user/client"


def test_users_see_their_devices_most_recently_used_first(world: World) -> None:
    ada = world.person("ada")
    old = device(world, ada, device_name="old")
    world.clock.advance(minutes=1)
    device(world, world.person("eve"))
    device(world, ada, device_name="new", platform="Windows")

    listed = ada.get(DEVICES).json()

    assert [(each["name"], each["platform"], each["current"]) for each in listed] == [
        ("new", "Windows", False),
        ("old", "Linux", False),
    ]
    assert set(listed[0]) == {"id", "name", "platform", "created", "seen", "current"}
    assert [each["current"] for each in old.get(DEVICES).json()] == [False, True]


def test_the_last_use_of_a_device_is_recorded(world: World) -> None:
    ada = world.person("ada")
    laptop = device(world, ada)
    (before,) = ada.get(DEVICES).json()
    world.clock.advance(minutes=11)

    laptop.get("/api/v1/user")
    (after,) = ada.get(DEVICES).json()

    assert before["seen"] == before["created"] == after["created"]
    assert after["seen"] > before["seen"]


def test_a_device_does_not_expire(world: World) -> None:
    ada = world.person("ada")
    laptop = device(world, ada)
    world.clock.advance(days=3_650)
    clean(world)

    assert laptop.get("/api/v1/user").json() == ada.user


def test_users_cannot_sign_out_devices_of_others(world: World) -> None:
    ada, eve = world.person("ada"), world.person("eve")
    laptop = device(world, ada)
    (listed,) = ada.get(DEVICES).json()

    refused = eve.delete(f"{DEVICES}/{listed['id']}")

    assert (refused.status_code, refused.json()["type"]) == (404, "device-unknown")
    assert laptop.get("/api/v1/user").json() == ada.user


def test_a_device_can_sign_itself_out(world: World) -> None:
    ada = world.person("ada")
    laptop = device(world, ada)
    current = next(each["id"] for each in laptop.get(DEVICES).json() if each["current"])

    assert laptop.delete(f"{DEVICES}/{current}").status_code == 204
    assert (laptop.get("/api/v1/user").json(), ada.get(DEVICES).json()) == (None, [])


def test_an_admins_device_has_no_system_permissions(world: World) -> None:
    laptop = device(world, world.admin())

    assert laptop.get("/api/v1/token").json() == sorted(USER_PERMISSIONS)
    assert laptop.get("/api/v1/admin/users").status_code == 403
