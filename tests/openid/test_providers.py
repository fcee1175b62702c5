"""The providers that the other tests use behave as expected."""

from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import OctKey

from .browser import Browser
from .forging import base64url, key, signed, signed_by_stranger, signed_with_client_secret
from .hostile import AUTHORIZE, HostileProvider
from .real import CLIENT_ID, CLIENT_SECRET, RealProvider, running_provider

SERVICE = "http://127.0.0.1:9"
CALLBACK = f"{SERVICE}/auth/callback/oidc"


def _authorization_url(authorize: str) -> str:
    params = {
        "client_id": CLIENT_ID,
        "response_type": "code",
        "redirect_uri": CALLBACK,
        "scope": "openid profile email",
        "state": "a-state",
        "nonce": "a-nonce",
        "code_challenge": base64url(b"0" * 32),
        "code_challenge_method": "S256",
    }
    return f"{authorize}?{urlencode(params)}"


def _query(url: str) -> dict[str, list[str]]:
    return parse_qs(urlsplit(url).query)


def test_a_browser_signs_in_at_the_certified_provider(provider: RealProvider, browser: Browser) -> None:
    provider.serve(SERVICE)
    provider.know(ada={"name": "Ada"})
    browser.open(_authorization_url(f"{provider.issuer}/auth"))
    browser.follow()
    browser.submit(login="ada", password="any")
    browser.follow()
    browser.submit()
    callback = browser.follow(until=CALLBACK)
    assert (_query(callback)["state"], _query(callback)["iss"]) == (["a-state"], [provider.issuer])
    assert browser.steps[-1].site == "same-origin"


def test_the_certified_provider_ends_with_its_parent_process(node: str) -> None:
    with running_provider(node) as provider:
        assert provider.process.poll() is None
    assert provider.process.returncode == 0


def test_the_certified_provider_requires_a_challenge(provider: RealProvider, browser: Browser) -> None:
    provider.serve(SERVICE)
    browser.open(_authorization_url(f"{provider.issuer}/auth").replace("code_challenge=", "x="))
    assert _query(browser.follow(until=CALLBACK))["error"] == ["invalid_request"]


def test_the_hostile_provider_signs_in_any_visitor(hostile: HostileProvider, browser: Browser) -> None:
    browser.open(_authorization_url(hostile.issuer + AUTHORIZE))
    assert _query(browser.redirect_target)["state"] == ["a-state"]


def test_a_valid_token_can_be_verified() -> None:
    assert jwt.decode(signed({"sub": "ada"}, "first"), key("first")).claims == {"sub": "ada"}


def test_a_forged_token_cannot_be_verified() -> None:
    with pytest.raises(JoseError):
        jwt.decode(signed_by_stranger({"sub": "ada"}, "first"), key("first"))


def test_a_token_signed_with_a_secret_is_valid_for_that_secret() -> None:
    secret_key = OctKey.import_key(CLIENT_SECRET)
    assert jwt.decode(signed_with_client_secret({"sub": "ada"}, "first"), secret_key).claims == {"sub": "ada"}
