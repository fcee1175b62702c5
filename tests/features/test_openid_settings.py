"""Settings of OpenID: half a configuration is refused, and so is what is no address."""

from pathlib import Path

import pytest

from playdock.configuration import load
from playdock.kit.environment import SettingsUnusable
from playdock.settings import Settings

_CLIENT = {"OIDC_CLIENT_ID": "playdock", "OIDC_CLIENT_SECRET": "hunter2"}
_DISCOVERY = {"OIDC_WELLKNOWN": "https://id.example.org/.well-known/openid-configuration"}
_FOUR = {
    "OIDC_ISSUER": "https://id.example.org",
    "OIDC_AUTHORIZATION": "https://id.example.org/authorize",
    "OIDC_TOKEN": "https://id.example.org/token",
    "OIDC_JWKS": "https://id.example.org/keys",
}


def _load(values: dict[str, str]) -> Settings:
    return load(values, dotenv=Path("/nowhere/.env"))


def _faults(values: dict[str, str]) -> set[str]:
    with pytest.raises(SettingsUnusable) as refused:
        _load(values)
    assert "hunter2" not in refused.value.detail
    return {error.name for error in refused.value.errors}


@pytest.mark.parametrize("addresses", [_DISCOVERY, _FOUR, {**_DISCOVERY, **_FOUR}])
def test_a_client_with_discovery_or_endpoint_urls_is_enough(addresses: dict[str, str]) -> None:
    assert _load({**_CLIENT, **addresses}).sign_in_methods == ["OpenID", "Simple"]


def test_without_a_client_openid_is_off() -> None:
    assert _load({"OIDC_SCOPES": "openid", "OIDC_ADMIN_GROUP": "keepers"}).sign_in_methods == ["Simple"]


@pytest.mark.parametrize("left_out", _FOUR)
def test_all_four_endpoint_urls_are_required(left_out: str) -> None:
    assert _faults({**_CLIENT, **{name: _FOUR[name] for name in _FOUR if name != left_out}}) == {left_out}


@pytest.mark.parametrize("left_out", _CLIENT)
def test_client_id_and_secret_are_both_required(left_out: str) -> None:
    assert _faults({**_DISCOVERY, **{name: _CLIENT[name] for name in _CLIENT if name != left_out}}) == {left_out}


def test_a_client_requires_discovery_or_endpoint_urls() -> None:
    assert _faults(_CLIENT) == set(_FOUR)


@pytest.mark.parametrize("name", ["OIDC_WELLKNOWN", *_FOUR, "OIDC_USERINFO", "OIDC_END_SESSION"])
@pytest.mark.parametrize(
    "address", ["id.example.org", "ftp://id.example.org", "https://ada:pw@id.example.org", "https://id.example.org/a b"]
)
def test_an_invalid_url_is_reported_by_its_setting(name: str, address: str) -> None:
    assert _faults({**_CLIENT, **_DISCOVERY, **_FOUR, name: address}) == {name}


def test_providers_on_the_local_network_are_accepted() -> None:
    assert _load({**_CLIENT, "OIDC_WELLKNOWN": "http://nas:9000/.well-known/openid-configuration"}).openid


@pytest.mark.parametrize(("given", "simple"), [("true", False), ("True", False), ("1", False), ("false", True)])
def test_password_sign_in_can_be_disabled_only_with_openid(given: str, *, simple: bool) -> None:
    assert _load({**_CLIENT, **_DISCOVERY, "DISABLE_SIMPLE_AUTH": given}).simple is simple
    assert _load({"DISABLE_SIMPLE_AUTH": given}).simple


def test_a_boolean_setting_must_be_true_or_false() -> None:
    assert _faults({"DISABLE_SIMPLE_AUTH": "perhaps"}) == {"DISABLE_SIMPLE_AUTH"}


@pytest.mark.parametrize(
    ("given", "scopes"),
    [
        ("", ["openid", "profile", "email"]),
        ("openid, groups", ["openid", "groups"]),
        ("profile email", ["openid", "profile", "email"]),
    ],
)
def test_the_openid_scope_is_always_requested(given: str, scopes: list[str]) -> None:
    assert _load({"OIDC_SCOPES": given}).scopes == scopes
