"""The server's name, greeting and logo."""

import httpx2
import pytest

from drawing import png
from world import Caller, World

PROFILE = "/api/v1/server"
CHANGE = "/api/v1/admin/server"
LOGO = f"{CHANGE}/logo"


def upload(admin: Caller, data: bytes) -> httpx2.Response:
    return admin.request("POST", LOGO, files={"files": ("logo.png", data, "image/png")})


def test_an_administrator_names_the_server_and_everybody_sees_it(world: World) -> None:
    admin = world.admin()
    assert world.any_user().get(PROFILE).json() == {"name": "Playdock", "greeting": "", "logoObjectId": None}

    named = admin.patch(CHANGE, {"name": "  The  arcade ", "greeting": "Welcome <b>home</b>"})
    greeted = admin.patch(CHANGE, {"greeting": "Hello"})

    assert named.json() == {"name": "The arcade", "greeting": "Welcome <b>home</b>", "logoObjectId": None}
    assert greeted.json() == world.any_user().get(PROFILE).json()
    assert (greeted.json()["name"], greeted.json()["greeting"]) == ("The arcade", "Hello")
    assert admin.patch(CHANGE, {"name": ""}).json()["name"] == "Playdock"


def test_a_logo_is_public_and_its_predecessor_is_deleted(world: World) -> None:
    admin, stranger = world.admin(), world.any_user()

    first = upload(admin, png(60, 60)).json()["logoObjectId"]
    second = upload(admin, png(90, 60, color=(200, 10, 10))).json()["logoObjectId"]

    shown = stranger.get(f"/api/v1/object/{second}")
    assert (shown.status_code, shown.headers["content-type"]) == (200, "image/webp")
    assert stranger.get(f"/api/v1/object/{first}").status_code == 401
    assert admin.get(f"/api/v1/object/{first}").status_code == 404
    assert admin.delete(LOGO).status_code == 204
    assert admin.get(f"/api/v1/object/{second}").status_code == 404
    assert stranger.get(PROFILE).json()["logoObjectId"] is None


@pytest.mark.parametrize(
    "changes",
    [{"name": "a" * 41}, {"greeting": "a" * 301}, {"name": "\x1b[2J"}, {"greeting": "two\nlines"}, {"name": None}],
)
def test_long_texts_and_control_characters_are_rejected(world: World, changes: dict[str, str]) -> None:
    refused = world.admin().patch(CHANGE, changes)

    assert (refused.status_code, refused.json()["type"]) == (400, "invalid-input")
    assert world.any_user().get(PROFILE).json()["name"] == "Playdock"


def test_players_cannot_change_it_and_a_file_that_is_no_image_is_rejected(world: World) -> None:
    admin, player = world.admin(), world.person("bob")

    refused = [player.patch(CHANGE, {"name": "Mine"}), upload(player, png()), player.delete(LOGO)]

    assert {each.status_code for each in refused} == {403}
    assert upload(admin, b"<svg onload=alert(1)>").json()["type"] == "picture-refused"
    assert world.any_user().get(PROFILE).json() == {"name": "Playdock", "greeting": "", "logoObjectId": None}
