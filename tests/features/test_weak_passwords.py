"""Passwords that are long enough and easy to guess, wherever a new one is set."""

from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest

from world import PASSWORD, Caller, World, running_world

WEAK = ("12345678901234", "passwordpassword", "playdockplaydock", "ada.l@example.org")
STRONG = "sunset bicycle lemon"


def sign_up(world: World, password: str) -> httpx2.Response:
    return world.sign_up(world.invitation(), username="bob", email="ada.l@example.org", password=password)


def change(world: World, password: str) -> httpx2.Response:
    ada = world.with_token(world.sign_in("ada").json()["accessToken"])
    return ada.post("/api/v1/user/password", {"current": PASSWORD, "new": password})


def reset(world: World, password: str) -> httpx2.Response:
    admin: Caller = world.with_token(world.sign_in("ada").json()["accessToken"])
    user = admin.get("/api/v1/user").json()["id"]
    link = admin.post(f"/api/v1/admin/users/{user}/reset").json()["resetUrl"].partition("id=")[2]
    return world.any_user().post("/api/v1/auth/reset/simple", {"id": link, "password": password})


@pytest.mark.parametrize(("set_password", "field"), [(sign_up, "password"), (change, "new"), (reset, "password")])
def test_a_service_that_refuses_weak_passwords_accepts_three_words(
    tmp_path: Path, database_url: str, set_password: Callable[[World, str], httpx2.Response], field: str
) -> None:
    with running_world(tmp_path, database_url=database_url, refuse_weak_passwords=True) as world:
        world.sign_up(world.invitation(is_admin=True), username="ada", email="ada.l@example.org")
        for password in WEAK:
            refused = set_password(world, password)
            errors = [(error["field"], error["code"]) for error in refused.json()["errors"]]
            assert (refused.status_code, errors) == (400, [(field, "weak-password")]), password

        assert set_password(world, STRONG).is_success


def test_fourteen_characters_are_enough_by_default(world: World) -> None:
    assert sign_up(world, WEAK[0]).status_code == 201
