"""The hint at startup on how to create the first account."""

from typing import Any

import pytest

from playdock.cli.server import first_account_hint
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
        return first_account_hint(again.services)


def test_the_first_administrator_gets_an_invitation(world: World) -> None:
    told, link = first_account_hint(world.services)
    assert "invitation" in told
    assert world.sign_up(link.partition("?id=")[2]).json()["admin"]


def test_without_passwords_the_hint_names_the_admin_group(world: World) -> None:
    told, link = _lines(world, **_OPENID, oidc_admin_group="keepers")
    assert "as a member of keepers" in told
    assert link == "http://localhost/auth/oidc"


def test_without_passwords_and_admin_group_the_hint_names_the_setting(world: World) -> None:
    (told,) = _lines(world, **_OPENID)
    assert "Set OIDC_ADMIN_GROUP" in told


@pytest.mark.parametrize("wanted", [{}, _OPENID])
def test_there_is_no_hint_after_the_first_account(world: World, wanted: dict[str, Any]) -> None:
    world.person("ada")
    assert _lines(world, **wanted) == []
