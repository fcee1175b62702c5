"""Callbacks that are forged, stolen, replayed, mixed up or late."""

from functools import partial
from urllib.parse import parse_qs, quote, urlencode, urlsplit

import pytest

from world import World, at_once

from .browser import Form
from .hostile import TOKEN, HostileProvider
from .lies import MARKUP
from .refusals import assert_nobody_came, assert_page_refuses
from .visits import Visitor

pytestmark = pytest.mark.usefixtures("_no_secret_is_logged")


def _come_back(visitor: Visitor) -> str:
    """Sign in at the provider; give the callback's address, which is not called yet."""
    visitor.begin()
    return visitor.pass_provider()


def _parameters(callback: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(callback).query).items()}


def test_a_callback_that_nobody_began_is_refused(victim: Visitor, trusting: World) -> None:
    victim.browser.open(f"{victim.callback}?code=a-code&state=a-state")
    assert_page_refuses(victim)
    assert_nobody_came(victim, trusting)


def test_a_stolen_callback_is_of_no_use_in_another_browser(
    victim: Visitor, attacker: Visitor, trusting: World, hostile: HostileProvider
) -> None:
    stolen = _come_back(victim)
    attacker.browser.open(stolen)
    assert_page_refuses(attacker)
    assert_nobody_came(attacker, trusting)
    assert hostile.asked_for(TOKEN) == []


def test_a_stolen_callback_is_of_no_use_to_who_has_begun_as_well(
    victim: Visitor, attacker: Visitor, trusting: World
) -> None:
    stolen = _come_back(victim)
    _come_back(attacker)
    attacker.browser.open(stolen)
    assert_page_refuses(attacker)
    assert_nobody_came(attacker, trusting)


def test_a_stolen_code_is_of_no_use_in_a_sign_in_of_ones_own(
    victim: Visitor, attacker: Visitor, trusting: World
) -> None:
    code = _parameters(_come_back(victim))["code"]
    own = _parameters(_come_back(attacker))
    attacker.browser.open(f"{attacker.callback}?{urlencode({**own, 'code': code})}")
    assert_page_refuses(attacker)
    assert_nobody_came(attacker, trusting)


def test_nobody_is_signed_in_as_the_attacker(victim: Visitor, attacker: Visitor, trusting: World) -> None:
    sent = _come_back(attacker)
    victim.begin()
    victim.browser.open(sent)
    assert_page_refuses(victim)
    assert_nobody_came(victim, trusting)
    assert victim.sign_in()["username"] == "ada"


def test_a_callback_is_good_for_one_time(victim: Visitor, attacker: Visitor, hostile: HostileProvider) -> None:
    came = _come_back(victim)
    victim.browser.open(came)
    victim.browser.open(came)
    attacker.browser.open(came)
    assert_page_refuses(victim)
    assert_page_refuses(attacker)
    assert (attacker.me, len(hostile.asked_for(TOKEN))) == (None, 1)


def test_a_callback_is_good_for_one_time_even_at_once(victim: Visitor, hostile: HostileProvider) -> None:
    came = _come_back(victim)
    cookies = victim.browser.jar.header("GET", came, site=victim.browser.steps[-1].site)
    answers = at_once([partial(victim.browser.http.get, came, headers=cookies)] * 4)
    assert sorted(answer.status_code for answer in answers) == [303, 400, 400, 400]
    assert len(hostile.asked_for(TOKEN)) == 1


def test_a_refused_callback_is_used_up(victim: Visitor, trusting: World, hostile: HostileProvider) -> None:
    came = _come_back(victim)
    victim.browser.open(came.replace("code=", "code=x"))
    victim.browser.open(came)
    assert_page_refuses(victim)
    assert_nobody_came(victim, trusting)


def test_a_callback_that_comes_late_is_refused(trusting: World, victim: Visitor, hostile: HostileProvider) -> None:
    came = _come_back(victim)
    trusting.clock.advance(minutes=11)
    victim.browser.open(came)
    assert_page_refuses(victim)
    assert_nobody_came(victim, trusting)
    assert hostile.asked_for(TOKEN) == []


def test_time_enough_is_given(trusting: World, victim: Visitor, hostile: HostileProvider) -> None:
    came = _come_back(victim)
    trusting.clock.advance(minutes=9)
    now = int(trusting.clock().timestamp())
    hostile.lie(id_token={"iat": now, "exp": now + 300})
    victim.browser.open(came)
    assert victim.me is not None


def test_a_browser_may_begin_twice_and_finish_both(victim: Visitor) -> None:
    first, second = _come_back(victim), _come_back(victim)
    for came in (first, second):
        victim.browser.open(came)
        assert victim.browser.answer.status_code == 303, victim.browser.answer.text


def test_another_answer_about_the_sender_is_not_asked_for_tokens(victim: Visitor, hostile: HostileProvider) -> None:
    came = _come_back(victim)
    victim.browser.open(came.replace(quote(hostile.issuer, safe=""), quote("https://evil.example", safe="")))
    assert_page_refuses(victim)
    assert hostile.asked_for(TOKEN) == []


_NONSENSE = {
    "nothing": "",
    "no state": "code=a",
    "no code": "state=a",
    "empty": "code=&state=",
    "zero bytes": "code=%00&state=%00",
    "no text": "code=%ff%fe&state=%c3%28",
    "half escapes": "code=%&state=%2",
    "surrogates": "code=%ed%a0%80&state=%ed%a0%80",
    "markup": urlencode({"error": MARKUP, "error_description": MARKUP, "state": MARKUP, "iss": MARKUP}),
    "very long": f"code={'a' * 20_000}&state={'b' * 20_000}",
    "many": "&".join(f"state={number}" for number in range(500)),
}


@pytest.mark.parametrize("query", _NONSENSE.values(), ids=_NONSENSE)
def test_nonsense_is_refused(victim: Visitor, trusting: World, query: str) -> None:
    victim.begin()
    victim.browser.open(f"{victim.callback}?{query}")
    assert_page_refuses(victim)
    assert_nobody_came(victim, trusting)


def test_the_callback_cannot_be_posted(victim: Visitor, trusting: World) -> None:
    came = _come_back(victim)
    victim.browser.send(Form(came, "POST", {}))
    assert victim.browser.answer.status_code == 405
    assert_nobody_came(victim, trusting)


def test_every_sign_in_has_a_secret_of_its_own(victim: Visitor) -> None:
    secrets = []
    for _ in range(2):
        victim.sign_in()
        secrets.append(victim.session_cookie)
    assert secrets[0] != secrets[1]


def test_every_sign_in_is_begun_with_values_of_its_own(victim: Visitor) -> None:
    begun = []
    for _ in range(2):
        victim.begin()
        begun.append(_parameters(victim.browser.leads_to))
    assert all(begun[0][name] != begun[1][name] for name in ("state", "nonce", "code_challenge"))
    assert {each["code_challenge_method"] for each in begun} == {"S256"}


def test_what_a_browser_is_led_to_is_not_kept(victim: Visitor) -> None:
    came = _come_back(victim)
    begun = victim.browser.steps[0].answer
    victim.browser.open(came)
    assert {each.headers["cache-control"] for each in (begun, victim.browser.answer)} == {"no-store"}
