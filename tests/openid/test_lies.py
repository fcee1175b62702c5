"""A provider that lies, or that somebody else speaks for, signs nobody in."""

import re
from pathlib import Path
from typing import Any

import pytest

from databases import SqliteDatabases
from world import World

from .forging import signed_by_unknown
from .hostile import JWKS, TOKEN, USERINFO, HostileProvider, Reply
from .lies import ENDPOINTS, RESPONSES, TOKENS
from .real import CLIENT_ID
from .refusals import assert_nobody_came, assert_page_refuses
from .visits import Visitor

pytestmark = pytest.mark.usefixtures("_no_secret_is_logged")

_LIES = TOKENS | RESPONSES | ENDPOINTS


@pytest.fixture
def database_url(sqlite_databases: SqliteDatabases, tmp_path: Path) -> str:
    """One database only: what is refused here never gets as far as one."""
    return sqlite_databases.fresh(tmp_path / "data")


def _try(victim: Visitor) -> None:
    victim.begin()
    victim.browser.follow()


@pytest.mark.parametrize("lie", _LIES.values(), ids=_LIES)
def test_a_lie_is_refused_and_harms_nobody(
    trusting: World, hostile: HostileProvider, victim: Visitor, lie: dict[str, Any]
) -> None:
    hostile.lie(**lie)
    _try(victim)
    assert_page_refuses(victim)
    assert_nobody_came(victim, trusting)
    hostile.straighten()
    trusting.clock.advance(seconds=10)
    assert victim.sign_in()["username"] == "ada"


def test_a_provider_that_hangs_is_not_waited_for(hostile: HostileProvider, victim: Visitor, trusting: World) -> None:
    hostile.lie(replies={TOKEN: Reply(hanging=True)})
    _try(victim)
    assert_page_refuses(victim)
    assert_nobody_came(victim, trusting)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("path", [TOKEN, USERINFO])
def test_codes_and_tokens_follow_no_redirect(hostile: HostileProvider, victim: Visitor, path: str, status: int) -> None:
    hostile.lie(replies={path: Reply.redirect(f"{hostile.issuer}/elsewhere", status=status)})
    _try(victim)
    assert_page_refuses(victim)
    assert hostile.asked_for(path)
    assert hostile.asked_for("/elsewhere") == []


def test_keys_may_change_meanwhile(hostile: HostileProvider, victim: Visitor, attacker: Visitor) -> None:
    first = victim.sign_in()
    hostile.lie(signs_with="second", publishes=("second",))
    assert attacker.sign_in() == first


def test_a_key_that_is_not_published_any_more_is_not_believed(
    trusting: World, hostile: HostileProvider, victim: Visitor, attacker: Visitor
) -> None:
    attacker.sign_in()
    hostile.lie(publishes=("second",))
    trusting.clock.advance(days=1)
    hostile.lie(id_token={"iat": int(trusting.clock().timestamp()), "exp": int(trusting.clock().timestamp()) + 300})
    _try(victim)
    assert_page_refuses(victim)
    assert victim.me is None


def test_tokens_that_nobody_signed_do_not_make_the_service_a_hammer(hostile: HostileProvider, victim: Visitor) -> None:
    hostile.lie(forge=signed_by_unknown)
    for _ in range(20):
        _try(victim)
    assert len(hostile.asked_for(JWKS)) < 10


def test_an_issuer_may_end_with_a_slash(hostile: HostileProvider, victim: Visitor) -> None:
    named = {"iss": f"{hostile.issuer}/"}
    hostile.lie(discovery={"issuer": named["iss"]}, response=named, id_token=named)
    assert victim.sign_in()["username"] == "ada"


def test_several_audiences_will_do_if_the_token_was_made_for_us(hostile: HostileProvider, victim: Visitor) -> None:
    hostile.lie(id_token={"aud": ["another", CLIENT_ID], "azp": CLIENT_ID})
    assert victim.sign_in()["username"] == "ada"


def test_clocks_may_differ_by_a_minute(trusting: World, hostile: HostileProvider, victim: Visitor) -> None:
    now = int(trusting.clock().timestamp())
    hostile.lie(id_token={"iat": now + 40, "nbf": now + 40, "exp": now - 40})
    assert victim.sign_in()["username"] == "ada"


@pytest.mark.parametrize("value", [7, True, ["ada"], {"a": "ada"}, "", " ", "x", "\0\n\t", "é漢", "x" * 20_000])
def test_whatever_the_claims_hold_there_is_an_account(hostile: HostileProvider, victim: Visitor, value: Any) -> None:
    hostile.person |= dict.fromkeys(["preferred_username", "name", "email", "groups"], value)
    user = victim.sign_in()
    assert re.fullmatch("[A-Za-z0-9]{3,32}", user["username"])
    assert 1 <= len(user["displayName"]) <= 128
    assert (user["email"], user["admin"]) == ("", False)


def test_missing_claims_are_made_up(hostile: HostileProvider, victim: Visitor) -> None:
    hostile.person = {"sub": "1815"}
    user = victim.sign_in()
    assert user["username"].startswith("player")
    assert (user["displayName"], user["email"]) == (user["username"], "")


@pytest.mark.parametrize("groups", ["keepers", ["players", "keepers"]])
def test_a_group_may_come_alone_or_in_a_list(hostile: HostileProvider, victim: Visitor, groups: Any) -> None:
    hostile.person["groups"] = groups
    assert victim.sign_in()["admin"]


@pytest.mark.parametrize("groups", ["gamekeepers", ["KEEPERS"], [["keepers"]], {"keepers": True}, "keepers players"])
def test_what_only_resembles_the_group_is_not_the_group(hostile: HostileProvider, victim: Visitor, groups: Any) -> None:
    hostile.person["groups"] = groups
    assert not victim.sign_in()["admin"]


@pytest.mark.parametrize("claims", [{"sub": "18"}, {"sub": "1815 "}, {"sub": "1815A"}])
def test_a_subject_that_resembles_another_is_somebody_else(
    hostile: HostileProvider, victim: Visitor, attacker: Visitor, claims: dict[str, str]
) -> None:
    taken = victim.sign_in()
    hostile.person |= claims
    assert attacker.sign_in()["id"] != taken["id"]
