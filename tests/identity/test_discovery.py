"""Discovery documents: whose they are, what is taken from them, and what the settings say instead."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from playdock.identity.claims import ALGORITHMS
from playdock.identity.discovery import Discovered, configured, read_document
from playdock.identity.errors import ProviderUnusable
from playdock.settings import Settings

_ISSUER = "https://id.example.org"
_SETTINGS = Settings(oidc_wellknown=f"{_ISSUER}/.well-known/openid-configuration")
_DOCUMENT = {
    "issuer": _ISSUER,
    "authorization_endpoint": f"{_ISSUER}/authorize",
    "token_endpoint": f"{_ISSUER}/token",
    "jwks_uri": f"{_ISSUER}/keys",
}


def _read(settings: Settings = _SETTINGS, **wanted: Any) -> Discovered:
    return read_document(json.dumps({**_DOCUMENT, **wanted}).encode(), settings)


def test_a_short_document_is_enough() -> None:
    assert _read() == Discovered(_ISSUER, f"{_ISSUER}/authorize", f"{_ISSUER}/token", f"{_ISSUER}/keys")


def test_an_address_that_is_set_wins() -> None:
    settings = replace(_SETTINGS, oidc_token="http://nas/token", oidc_end_session="https://id.example.org/bye")
    assert (_read(settings).token, _read(settings).end_session) == (settings.oidc_token, settings.oidc_end_session)


def test_without_a_document_the_settings_are_the_provider() -> None:
    settings = Settings(
        oidc_issuer=_ISSUER,
        oidc_authorization=f"{_ISSUER}/authorize",
        oidc_token=f"{_ISSUER}/token",
        oidc_jwks=f"{_ISSUER}/keys",
    )
    assert configured(settings) == _read()


@pytest.mark.parametrize("issuer", ["https://evil.example", f"{_ISSUER}//", "", "http://id.example.org"])
def test_another_providers_document_is_refused(issuer: str) -> None:
    with pytest.raises(ProviderUnusable, match="calls itself otherwise"):
        _read(issuer=issuer)


def test_a_slash_at_the_end_of_the_name_is_not_in_the_address() -> None:
    assert _read(issuer=f"{_ISSUER}/").issuer == f"{_ISSUER}/"


def test_an_issuer_that_is_set_is_the_one_to_be() -> None:
    settings = replace(_SETTINGS, oidc_issuer=f"{_ISSUER}/")
    assert _read(settings, issuer=f"{_ISSUER}/").issuer == f"{_ISSUER}/"
    with pytest.raises(ProviderUnusable):
        _read(settings)


@pytest.mark.parametrize("name", ["authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint"])
@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "/token",
        "http://id.example.org/token",
        "https://id.example.org/\r\nSet-Cookie: a=b",
        "https://ada:pw@id.example.org/",
        "https://",
    ],
)
def test_what_is_no_address_is_refused(name: str, address: str) -> None:
    with pytest.raises(ProviderUnusable, match="that cannot be used"):
        read_document(json.dumps({**_DOCUMENT, name: address}).encode(), _SETTINGS)


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"{}", b"\xff", b'{"issuer": 7}', b"[" * 99_999])
def test_what_is_no_document_is_refused(body: bytes) -> None:
    with pytest.raises(ProviderUnusable, match="no discovery document"):
        read_document(body, _SETTINGS)


@pytest.mark.parametrize(
    ("announced", "accepted"),
    [
        (None, ALGORITHMS),
        (["RS256", "HS256", "none"], ("RS256",)),
        (["ES256", "RS256"], ("RS256", "ES256")),
    ],
)
def test_asymmetric_algorithms_that_are_announced_are_accepted(
    announced: list[str] | None, accepted: tuple[str, ...]
) -> None:
    assert _read(id_token_signing_alg_values_supported=announced).algorithms == accepted


def test_a_provider_that_signs_with_nothing_but_secrets_is_refused() -> None:
    with pytest.raises(ProviderUnusable, match="signs with none of"):
        _read(id_token_signing_alg_values_supported=["HS256", "none"])


@pytest.mark.parametrize(
    ("methods", "in_body"),
    [
        (None, False),
        (["client_secret_post"], True),
        (["client_secret_post", "client_secret_basic"], False),
        (["private_key_jwt"], False),
    ],
)
def test_the_secret_goes_where_the_provider_wants_it(methods: list[str] | None, *, in_body: bool) -> None:
    assert _read(token_endpoint_auth_methods_supported=methods).secret_in_body is in_body
