"""Hostile responses of the provider, or in its name, sign nobody in."""

import re
from pathlib import Path
from typing import Any

import pytest

from databases import SqliteDatabases
from world import World

from .forging import signed_by_unknown
from .hostile import JWKS, TOKEN, USERINFO, HostileProvider, Response
from .hostile_responses import CALLBACKS, ENDPOINTS, TOKENS
from .real import CLIENT_ID
from .refusals import assert_no_account, assert_refused
from .visitor import Visitor

pytestmark = pytest.mark.usefixtures("_no_secret_is_logged")

_HOSTILE_RESPONSES = TOKENS | CALLBACKS | ENDPOINTS


@pytest.fixture
def database_url(sqlite_databases: SqliteDatabases, tmp_path: Path) -> str:
    """SQLite only: a rejected sign-in does not reach the database."""
    return sqlite_databases.fresh(tmp_path / "data")


def _try(victim: Visitor) -> None:
    victim.start()
    victim.browser.follow()


@pytest.mark.parametrize("configure", _HOSTILE_RESPONSES.values(), ids=_HOSTILE_RESPONSES)
def test_a_hostile_response_is_rejected_without_effect(
    trusting: World, hostile: HostileProvider, victim: Visitor, configure: dict[str, Any]
) -> None:
    hostile.configure(**configure)
    _try(victim)
    assert_refused(victim)
    assert_no_account(victim, trusting)
    hostile.restore()
    trusting.clock.advance(seconds=10)
    assert victim.sign_in()["username"] == "ada"


def test_a_provider_that_hangs_times_out(hostile: HostileProvider, victim: Visitor, trusting: World) -> None:
    hostile.configure(overrides={TOKEN: Response(hanging=True)})
    _try(victim)
    assert_refused(victim)
    assert_no_account(victim, trusting)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("path", [TOKEN, USERINFO])
def test_codes_and_tokens_are_not_sent_to_redirect_targets(
    hostile: HostileProvider, victim: Visitor, path: str, status: int
) -> None:
    hostile.configure(overrides={path: Response.redirect(f"{hostile.issuer}/elsewhere", status=status)})
    _try(victim)
    assert_refused(victim)
    assert hostile.requests_to(path)
    assert hostile.requests_to("/elsewhere") == []


def test_keys_may_change_between_sign_ins(hostile: HostileProvider, victim: Visitor, attacker: Visitor) -> None:
    first = victim.sign_in()
    hostile.configure(signs_with="second", publishes=("second",))
    assert attacker.sign_in() == first


def test_a_key_that_is_no_longer_published_is_rejected(
    trusting: World, hostile: HostileProvider, victim: Visitor, attacker: Visitor
) -> None:
    attacker.sign_in()
    hostile.configure(publishes=("second",))
    trusting.clock.advance(days=1)
    hostile.configure(
        id_token={"iat": int(trusting.clock().timestamp()), "exp": int(trusting.clock().timestamp()) + 300}
    )
    _try(victim)
    assert_refused(victim)
    assert victim.me is None


def test_unsigned_tokens_do_not_cause_many_requests_for_keys(hostile: HostileProvider, victim: Visitor) -> None:
    hostile.configure(forge=signed_by_unknown)
    for _ in range(20):
        _try(victim)
    assert len(hostile.requests_to(JWKS)) < 10


def test_an_issuer_may_end_with_a_slash(hostile: HostileProvider, victim: Visitor) -> None:
    with_slash = {"iss": f"{hostile.issuer}/"}
    hostile.configure(discovery={"issuer": with_slash["iss"]}, callback=with_slash, id_token=with_slash)
    assert victim.sign_in()["username"] == "ada"


def test_several_audiences_are_accepted_with_the_right_azp(hostile: HostileProvider, victim: Visitor) -> None:
    hostile.configure(id_token={"aud": ["another", CLIENT_ID], "azp": CLIENT_ID})
    assert victim.sign_in()["username"] == "ada"


def test_clocks_may_differ_by_a_minute(trusting: World, hostile: HostileProvider, victim: Visitor) -> None:
    now = int(trusting.clock().timestamp())
    hostile.configure(id_token={"iat": now + 40, "nbf": now + 40, "exp": now - 40})
    assert victim.sign_in()["username"] == "ada"


@pytest.mark.parametrize("value", [7, True, ["ada"], {"a": "ada"}, "", " ", "x", "\0\n\t", "é漢", "x" * 20_000])
def test_claims_of_any_type_create_a_valid_account(hostile: HostileProvider, victim: Visitor, value: Any) -> None:
    hostile.claims |= dict.fromkeys(["preferred_username", "name", "email", "groups"], value)
    user = victim.sign_in()
    assert re.fullmatch("[A-Za-z0-9]{3,32}", user["username"])
    assert 1 <= len(user["displayName"]) <= 128
    assert (user["email"], user["admin"]) == ("", False)


def test_missing_claims_get_defaults(hostile: HostileProvider, victim: Visitor) -> None:
    hostile.claims = {"sub": "1815"}
    user = victim.sign_in()
    assert user["username"].startswith("player")
    assert (user["displayName"], user["email"]) == (user["username"], "")


@pytest.mark.parametrize("groups", ["keepers", ["players", "keepers"]])
def test_groups_may_be_a_string_or_a_list(hostile: HostileProvider, victim: Visitor, groups: Any) -> None:
    hostile.claims["groups"] = groups
    assert victim.sign_in()["admin"]


@pytest.mark.parametrize("groups", ["gamekeepers", ["KEEPERS"], [["keepers"]], {"keepers": True}, "keepers players"])
def test_similar_group_names_do_not_match(hostile: HostileProvider, victim: Visitor, groups: Any) -> None:
    hostile.claims["groups"] = groups
    assert not victim.sign_in()["admin"]


@pytest.mark.parametrize("claims", [{"sub": "18"}, {"sub": "1815 "}, {"sub": "1815A"}])
def test_similar_subjects_are_different_users(
    hostile: HostileProvider, victim: Visitor, attacker: Visitor, claims: dict[str, str]
) -> None:
    other = victim.sign_in()
    hostile.claims |= claims
    assert attacker.sign_in()["id"] != other["id"]
