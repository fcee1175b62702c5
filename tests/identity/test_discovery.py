"""Discovery documents: the issuer, the values that are used, and the precedence of the settings."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from playdock.identity.claims import ALGORITHMS
from playdock.identity.discovery import ProviderConfiguration, configured, read_document
from playdock.identity.errors import IdentityProviderUnusable
from playdock.settings import Settings

_ISSUER = "https://id.example.org"
_SETTINGS = Settings(oidc_wellknown=f"{_ISSUER}/.well-known/openid-configuration")
_DOCUMENT = {
    "issuer": _ISSUER,
    "authorization_endpoint": f"{_ISSUER}/authorize",
    "token_endpoint": f"{_ISSUER}/token",
    "jwks_uri": f"{_ISSUER}/keys",
}


def _read(settings: Settings = _SETTINGS, **changes: Any) -> ProviderConfiguration:
    return read_document(json.dumps({**_DOCUMENT, **changes}).encode(), settings)


def test_a_minimal_document_is_sufficient() -> None:
    assert _read() == ProviderConfiguration(_ISSUER, f"{_ISSUER}/authorize", f"{_ISSUER}/token", f"{_ISSUER}/keys")


def test_an_endpoint_in_the_settings_takes_precedence() -> None:
    settings = replace(_SETTINGS, oidc_token="http://nas/token", oidc_end_session="https://id.example.org/bye")
    assert (_read(settings).token, _read(settings).end_session) == (settings.oidc_token, settings.oidc_end_session)


def test_without_a_document_the_settings_are_the_configuration() -> None:
    settings = Settings(
        oidc_issuer=_ISSUER,
        oidc_authorization=f"{_ISSUER}/authorize",
        oidc_token=f"{_ISSUER}/token",
        oidc_jwks=f"{_ISSUER}/keys",
    )
    assert configured(settings) == _read()


@pytest.mark.parametrize("issuer", ["https://evil.example", f"{_ISSUER}//", "", "http://id.example.org"])
def test_a_document_with_another_issuer_is_rejected(issuer: str) -> None:
    with pytest.raises(IdentityProviderUnusable, match="issuer that does not match"):
        _read(issuer=issuer)


def test_an_issuer_may_end_with_a_slash_that_the_url_lacks() -> None:
    assert _read(issuer=f"{_ISSUER}/").issuer == f"{_ISSUER}/"


def test_an_issuer_in_the_settings_is_required() -> None:
    settings = replace(_SETTINGS, oidc_issuer=f"{_ISSUER}/")
    assert _read(settings, issuer=f"{_ISSUER}/").issuer == f"{_ISSUER}/"
    with pytest.raises(IdentityProviderUnusable):
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
def test_an_invalid_endpoint_is_rejected(name: str, address: str) -> None:
    with pytest.raises(IdentityProviderUnusable, match="announces an invalid URL"):
        read_document(json.dumps({**_DOCUMENT, name: address}).encode(), _SETTINGS)


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"{}", b"\xff", b'{"issuer": 7}', b"[" * 99_999])
def test_an_invalid_document_is_rejected(body: bytes) -> None:
    with pytest.raises(IdentityProviderUnusable, match="no valid discovery document"):
        read_document(body, _SETTINGS)


@pytest.mark.parametrize(
    ("announced", "accepted"),
    [
        (None, ALGORITHMS),
        (["RS256", "HS256", "none"], ("RS256",)),
        (["ES256", "RS256"], ("RS256", "ES256")),
    ],
)
def test_announced_asymmetric_algorithms_are_accepted(announced: list[str] | None, accepted: tuple[str, ...]) -> None:
    assert _read(id_token_signing_alg_values_supported=announced).algorithms == accepted


def test_a_provider_without_asymmetric_algorithms_is_rejected() -> None:
    with pytest.raises(IdentityProviderUnusable, match="supports none of"):
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
def test_the_secret_is_sent_where_the_provider_expects_it(methods: list[str] | None, *, in_body: bool) -> None:
    assert _read(token_endpoint_auth_methods_supported=methods).secret_in_body is in_body
