"""What the first start says: how the first admin gets in."""

from typing import Any

import pytest

from playdock.cli.serving import way_in
from world import World, running_world

_OPENID = {
    "oidc_wellknown": "http://127.0.0.1:1/.well-known/openid-configuration",
    "oidc_client_id": "playdock",
    "oidc_client_secret": "hunter2",
    "disable_simple_auth": True,
}


def _lines(world: World, **wanted: Any) -> list[str]:
    database_url = world.services.settings.database_url
    with running_world(world.folder, database_url=database_url, external_url="http://localhost", **wanted) as again:
        return way_in(again.services)


def test_an_invitation_lets_the_first_admin_in(world: World) -> None:
    told, link = way_in(world.services)
    assert "invitation" in told
    assert world.sign_up(link.partition("?id=")[2]).json()["admin"]


def test_without_passwords_the_admin_group_lets_in(world: World) -> None:
    told, link = _lines(world, **_OPENID, oidc_admin_group="keepers")
    assert "as a member of keepers" in told
    assert link == "http://localhost/auth/oidc"


def test_without_passwords_and_group_somebody_has_to_set_one(world: World) -> None:
    (told,) = _lines(world, **_OPENID)
    assert "set OIDC_ADMIN_GROUP" in told


@pytest.mark.parametrize("wanted", [{}, _OPENID])
def test_nothing_is_said_once_somebody_has_an_account(world: World, wanted: dict[str, Any]) -> None:
    world.person("ada")
    assert _lines(world, **wanted) == []
