"""Sign-ins that count as recent: the provider must have authenticated the user again, and say so."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from world import World, running_world

from .browser import Browser
from .hostile import AUTHORIZE, HostileProvider
from .real import RealProvider
from .refusals import assert_refused
from .visitor import Visitor, openid_settings

_RECENT = "/auth/oidc?recent=true"
_CHECK = "/api/v1/user/session/confirm"
_ADA = {"preferred_username": "ada", "name": "Ada Lovelace", "email": "ada@example.org"}
_HOUR = 3600


@pytest.fixture
def lenient(database_url: str, tmp_path: Path, hostile: HostileProvider) -> Iterator[World]:
    """A service whose provider does not report when users signed in."""
    settings = openid_settings(hostile.discovery_url, oidc_require_auth_time=False)
    with running_world(tmp_path, database_url=database_url, **settings) as world:
        yield world


def _is_recent(visitor: Visitor) -> bool:
    status = visitor.call("GET", _CHECK).status_code
    assert status in (204, 403)
    return status == 204


def _sign_in_recently(visitor: Visitor) -> None:
    visitor.browser.open(visitor.service + _RECENT)
    visitor.browser.follow()


def test_the_provider_asks_again_for_a_recent_sign_in(service: World, provider: RealProvider, visitor: Visitor) -> None:
    provider.know(ada=_ADA)
    user = visitor.sign_in("ada")
    assert _is_recent(visitor)
    service.clock.advance(minutes=11)
    assert not _is_recent(visitor)
    # The provider knows the browser: an ordinary sign-in asks nothing, and is not recent.
    visitor.start()
    visitor.browser.follow()
    service.clock.advance(minutes=11)
    assert (visitor.me, _is_recent(visitor)) == (user, False)

    service.clock.offset *= 0  # the provider has the time of the machine
    visitor.browser.open(visitor.service + _RECENT)
    visitor.browser.follow()
    assert visitor.browser.forms()[0].values["prompt"] == "login"
    visitor.authenticate("ada")
    visitor.browser.follow()
    assert (visitor.me, _is_recent(visitor)) == (user, True)


def test_a_recent_sign_in_is_requested(victim: Visitor, hostile: HostileProvider) -> None:
    victim.sign_in()
    _sign_in_recently(victim)
    ordinary, recent = (request.parameters for request in hostile.requests_to(AUTHORIZE))
    assert ("prompt" in ordinary, ordinary["max_age"]) == (False, str(365 * 24 * _HOUR))
    assert (recent["prompt"], recent["max_age"]) == ("login", "600")
    assert _is_recent(victim)


@pytest.mark.parametrize("age", [None, _HOUR], ids=["unknown", "an hour ago"])
def test_a_sign_in_that_the_provider_did_not_ask_for_is_not_recent(
    victim: Visitor, hostile: HostileProvider, age: int | None
) -> None:
    hostile.configure(id_token={"auth_time": None if age is None else int(time.time()) - age})
    victim.sign_in()
    assert not _is_recent(victim)
    _sign_in_recently(victim)
    assert_refused(victim)
    assert not _is_recent(victim)


def test_a_provider_may_be_trusted_that_reports_no_time(
    lenient: World, browser: Browser, hostile: HostileProvider
) -> None:
    visitor = Visitor(browser, lenient.address)
    hostile.configure(id_token={"auth_time": None})
    visitor.sign_in()
    assert _is_recent(visitor)
    hostile.configure(id_token={"auth_time": int(time.time()) - _HOUR})
    visitor.sign_in()
    assert not _is_recent(visitor)
    _sign_in_recently(visitor)
    assert_refused(visitor)
