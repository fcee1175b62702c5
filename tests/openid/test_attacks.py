"""Forged, stolen, replayed, mixed-up and late callbacks."""

from functools import partial
from urllib.parse import parse_qs, quote, urlencode, urlsplit

import pytest

from world import World, at_once

from .browser import Form
from .hostile import TOKEN, HostileProvider
from .hostile_responses import MARKUP
from .refusals import assert_no_account, assert_refused
from .visitor import Visitor

pytestmark = pytest.mark.usefixtures("_no_secret_is_logged")


def _callback_of(visitor: Visitor) -> str:
    """Sign in at the provider and return the URL of the callback without opening it."""
    visitor.start()
    return visitor.authenticate()


def _parameters(callback: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(callback).query).items()}


def test_a_callback_without_a_started_sign_in_is_rejected(victim: Visitor, trusting: World) -> None:
    victim.browser.open(f"{victim.callback}?code=a-code&state=a-state")
    assert_refused(victim)
    assert_no_account(victim, trusting)


def test_a_stolen_callback_does_not_work_in_another_browser(
    victim: Visitor, attacker: Visitor, trusting: World, hostile: HostileProvider
) -> None:
    stolen = _callback_of(victim)
    attacker.browser.open(stolen)
    assert_refused(attacker)
    assert_no_account(attacker, trusting)
    assert hostile.requests_to(TOKEN) == []


def test_a_stolen_callback_does_not_work_in_a_browser_with_its_own_sign_in(
    victim: Visitor, attacker: Visitor, trusting: World
) -> None:
    stolen = _callback_of(victim)
    _callback_of(attacker)
    attacker.browser.open(stolen)
    assert_refused(attacker)
    assert_no_account(attacker, trusting)


def test_a_stolen_code_does_not_work_in_another_sign_in(victim: Visitor, attacker: Visitor, trusting: World) -> None:
    code = _parameters(_callback_of(victim))["code"]
    own = _parameters(_callback_of(attacker))
    attacker.browser.open(f"{attacker.callback}?{urlencode({**own, 'code': code})}")
    assert_refused(attacker)
    assert_no_account(attacker, trusting)


def test_a_victim_is_not_signed_in_as_the_attacker(victim: Visitor, attacker: Visitor, trusting: World) -> None:
    sent = _callback_of(attacker)
    victim.start()
    victim.browser.open(sent)
    assert_refused(victim)
    assert_no_account(victim, trusting)
    assert victim.sign_in()["username"] == "ada"


@pytest.mark.parametrize("sends_fetch_site", [True, False], ids=["Sec-Fetch-Site", "Referer"])
def test_a_link_of_another_site_signs_nobody_in(
    victim: Visitor, trusting: World, hostile: HostileProvider, *, sends_fetch_site: bool
) -> None:
    victim.browser.sends_fetch_site = sends_fetch_site
    victim.browser.open(f"{hostile.issuer}/a-page-of-another-site")
    victim.browser.click(f"{victim.service}/auth/oidc?redirect=/library%3Fsort%3Dname")
    assert victim.browser.redirect_target == f"{victim.service}/auth/signin?redirect=%2Flibrary%3Fsort%3Dname"
    victim.browser.follow()
    assert_no_account(victim, trusting)
    victim.browser.click("/auth/oidc?redirect=/")
    assert victim.browser.redirect_target.startswith(hostile.issuer)
    victim.browser.follow()
    assert victim.me is not None


def test_a_callback_works_once(victim: Visitor, attacker: Visitor, hostile: HostileProvider) -> None:
    callback = _callback_of(victim)
    victim.browser.open(callback)
    victim.browser.open(callback)
    attacker.browser.open(callback)
    assert_refused(victim)
    assert_refused(attacker)
    assert (attacker.me, len(hostile.requests_to(TOKEN))) == (None, 1)


@pytest.mark.both_databases
def test_concurrent_callbacks_work_once(victim: Visitor, hostile: HostileProvider) -> None:
    callback = _callback_of(victim)
    cookies = victim.browser.jar.header("GET", callback, site=victim.browser.steps[-1].site)
    answers = at_once([partial(victim.browser.http.get, callback, headers=cookies)] * 4)
    assert sorted(answer.status_code for answer in answers) == [303, 400, 400, 400]
    assert len(hostile.requests_to(TOKEN)) == 1


def test_a_rejected_callback_cannot_be_repeated(victim: Visitor, trusting: World, hostile: HostileProvider) -> None:
    callback = _callback_of(victim)
    victim.browser.open(callback.replace("code=", "code=x"))
    victim.browser.open(callback)
    assert_refused(victim)
    assert_no_account(victim, trusting)


def test_a_late_callback_is_rejected(trusting: World, victim: Visitor, hostile: HostileProvider) -> None:
    callback = _callback_of(victim)
    trusting.clock.advance(minutes=11)
    victim.browser.open(callback)
    assert_refused(victim)
    assert_no_account(victim, trusting)
    assert hostile.requests_to(TOKEN) == []


def test_a_sign_in_may_take_several_minutes(trusting: World, victim: Visitor, hostile: HostileProvider) -> None:
    callback = _callback_of(victim)
    trusting.clock.advance(minutes=9)
    now = int(trusting.clock().timestamp())
    hostile.configure(id_token={"iat": now, "exp": now + 300})
    victim.browser.open(callback)
    assert victim.me is not None


def test_a_browser_may_start_and_finish_two_sign_ins(victim: Visitor) -> None:
    first, second = _callback_of(victim), _callback_of(victim)
    for callback in (first, second):
        victim.browser.open(callback)
        assert victim.browser.response.status_code == 303, victim.browser.response.text


def test_no_tokens_are_requested_for_a_callback_with_another_issuer(victim: Visitor, hostile: HostileProvider) -> None:
    callback = _callback_of(victim)
    victim.browser.open(callback.replace(quote(hostile.issuer, safe=""), quote("https://evil.example", safe="")))
    assert_refused(victim)
    assert hostile.requests_to(TOKEN) == []


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
    "very long": f"code={'a' * 6_000}&state={'b' * 6_000}",
    "many": "&".join(f"state={number}" for number in range(500)),
}


@pytest.mark.parametrize("query", _NONSENSE.values(), ids=_NONSENSE)
def test_an_invalid_callback_is_rejected(victim: Visitor, trusting: World, query: str) -> None:
    victim.start()
    victim.browser.open(f"{victim.callback}?{query}")
    assert_refused(victim)
    assert_no_account(victim, trusting)


def test_the_callback_does_not_accept_post(victim: Visitor, trusting: World) -> None:
    callback = _callback_of(victim)
    victim.browser.send(Form(callback, "POST", {}))
    assert victim.browser.response.status_code == 405
    assert_no_account(victim, trusting)


def test_every_sign_in_has_its_own_secret(victim: Visitor) -> None:
    secrets = []
    for _ in range(2):
        victim.sign_in()
        secrets.append(victim.session_cookie)
    assert secrets[0] != secrets[1]


def test_every_sign_in_starts_with_its_own_values(victim: Visitor) -> None:
    pending = []
    for _ in range(2):
        victim.start()
        pending.append(_parameters(victim.browser.redirect_target))
    assert all(pending[0][name] != pending[1][name] for name in ("state", "nonce", "code_challenge"))
    assert {each["code_challenge_method"] for each in pending} == {"S256"}


def test_redirects_of_a_sign_in_are_not_cached(victim: Visitor) -> None:
    callback = _callback_of(victim)
    pending = victim.browser.steps[0].response
    victim.browser.open(callback)
    assert {each.headers["cache-control"] for each in (pending, victim.browser.response)} == {"no-store"}
