"""ID tokens: valid ones are accepted, and any other input is rejected without another error."""

import json
from base64 import urlsafe_b64encode
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from hypothesis import given
from hypothesis import strategies as st
from joserfc import jws, jwt
from joserfc.jwk import ECKey, KeySet
from joserfc.util import int_to_base64
from msgspec.structs import replace

from playdock.identity.claims import ALGORITHMS, AuthTime, TokenExpectations, UnknownKey, authenticated_at, subject_of
from playdock.identity.errors import IdentityProviderUnusable, SignInRefused
from playdock.identity.id_tokens import read, read_keys

_NOW = 1_795_000_000
_KEY = ECKey.generate_key("P-256", parameters={"kid": "one"})
_KEYS = KeySet([_KEY])
_EXPECTED = TokenExpectations(
    "https://id.example.org", "playdock", "nonce", ALGORITHMS, datetime.fromtimestamp(_NOW, UTC)
)
_CLAIMS = {
    "iss": "https://id.example.org",
    "aud": "playdock",
    "sub": "1815",
    "nonce": "nonce",
    "iat": _NOW,
    "exp": _NOW + 300,
}
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


def _token(**claims: Any) -> str:
    required = {name: value for name, value in {**_CLAIMS, **claims}.items() if value is not None}
    return jwt.encode({"alg": "ES256", "kid": "one"}, required, _KEY)


def test_a_valid_token_returns_its_claims() -> None:
    assert subject_of(read(_token(), _KEYS, _EXPECTED)) == "https://id.example.org 1815"


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://id.example.org/"},
        {"iss": ["https://id.example.org"]},
        {"iss": None},
        {"aud": "another"},
        {"aud": []},
        {"aud": ["playdock", "another"]},
        {"aud": ["playdock", "another"], "azp": "another"},
        {"azp": "another"},
        {"nonce": "another"},
        {"nonce": ["nonce"]},
        {"nonce": None},
        {"exp": _NOW - 60},
        {"exp": "tomorrow"},
        {"exp": True},
        {"exp": None},
        {"iat": _NOW + 61},
        {"iat": None},
        {"nbf": _NOW + 61},
        {"sub": ""},
        {"sub": None},
        {"sub": 1815},
        {"sub": "x" * 256},
        {"sub": "18\x0015"},
    ],
    ids=str,
)
def test_a_token_with_wrong_claims_is_rejected(claims: dict[str, Any]) -> None:
    with pytest.raises(SignInRefused):
        read(_token(**claims), _KEYS, _EXPECTED)


@pytest.mark.parametrize(
    "claims",
    [
        {"aud": ["playdock"]},
        {"aud": ["playdock", "another"], "azp": "playdock"},
        {"exp": _NOW - 59},
        {"iat": _NOW + 60},
    ],
    ids=str,
)
def test_equivalent_forms_of_claims_are_accepted(claims: dict[str, Any]) -> None:
    assert read(_token(**claims), _KEYS, _EXPECTED)["sub"] == "1815"


@pytest.mark.parametrize(
    ("auth_time", "accepted"),
    [
        (_NOW, ["any", "recent-if-present", "recent"]),
        (_NOW - 660, ["any", "recent-if-present", "recent"]),
        (_NOW - 661, ["any"]),
        (0, ["any"]),
        (_NOW + 30, ["any", "recent-if-present", "recent"]),
        (None, ["any", "recent-if-present"]),
        ("today", ["any", "recent-if-present"]),
        (-1, ["any", "recent-if-present"]),
        (True, ["any", "recent-if-present"]),
    ],
    ids=str,
)
def test_a_recent_sign_in_at_the_provider_is_checked(auth_time: Any, accepted: list[str]) -> None:
    found = []
    for each in AuthTime:
        with suppress(SignInRefused):
            read(_token(auth_time=auth_time), _KEYS, replace(_EXPECTED, auth_time=each))
            found.append(each.value)
    assert found == accepted


def test_any_auth_time_is_read_or_ignored() -> None:
    now = datetime.fromtimestamp(_NOW, UTC)
    values = [_NOW - 5, _NOW + 5, 10**30, 1.5, "now", None, [], -1]
    assert [authenticated_at({"auth_time": each}, now=now) for each in values] == [
        now - timedelta(seconds=5),
        *[now] * 2,
        *[None] * 5,
    ]


def test_a_token_by_an_unknown_key_is_reported_as_such() -> None:
    with pytest.raises(UnknownKey):
        read(_token(), KeySet([ECKey.generate_key("P-256", parameters={"kid": "two"})]), _EXPECTED)
    with pytest.raises(UnknownKey):
        read(_token(), KeySet([ECKey.generate_key("P-256", parameters={"kid": "one"})]), _EXPECTED)


@pytest.mark.parametrize("algorithm", ["none", "None", "HS256", "ES384", ["ES256"], None])
def test_a_token_signed_with_an_unannounced_algorithm_is_rejected(algorithm: Any) -> None:
    _, claims, signature = _token().split(".")
    header = _part({"alg": algorithm, "kid": "one"})
    with pytest.raises(SignInRefused):
        read(f"{header}.{claims}.{signature}", _KEYS, replace(_EXPECTED, algorithms=("ES256",)))


def test_symmetric_keys_are_ignored() -> None:
    secret = {"kty": "oct", "kid": "two", "k": "c2VjcmV0"}
    keys = read_keys(json.dumps({"keys": [secret, _KEY.as_dict(private=False)]}).encode())
    assert [key.kid for key in keys] == ["one"]


@pytest.mark.parametrize(("bits", "accepted"), [(1024, 1), (2048, 2)])
def test_weak_rsa_keys_are_left_out(bits: int, accepted: int) -> None:
    numbers = generate_private_key(65537, bits).public_key().public_numbers()
    rsa = {"kty": "RSA", "kid": "rsa", "n": int_to_base64(numbers.n), "e": int_to_base64(numbers.e)}
    keys = read_keys(json.dumps({"keys": [rsa, _KEY.as_dict(private=False)]}).encode())
    assert len(keys.keys) == accepted


def test_unusable_keys_are_left_out() -> None:
    useless: list[dict[str, Any]] = [
        {},
        {"kty": "RSA"},
        {"kty": "EC", "crv": "P-1"},
        {"kty": 7},
        {"kty": "RSA", "n": 7},
    ]
    useless.append({**_KEY.as_dict(private=False), "kid": "two", "use": "enc"})
    keys = read_keys(json.dumps({"keys": [*useless, _KEY.as_dict(private=False)]}).encode())
    assert [key.kid for key in keys] == ["one"]


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"[]", b"{}", b'{"keys": []}', b'{"keys": 7}', b"\xff", b"[" * 99_999]
)
def test_a_document_without_keys_is_rejected(body: bytes) -> None:
    with pytest.raises(IdentityProviderUnusable):
        read_keys(body)


@given(
    st.fixed_dictionaries({"kty": st.sampled_from(["RSA", "EC", "OKP"]) | _JSON, "crv": _JSON, "x": _JSON, "n": _JSON})
)
def test_any_document_is_a_key_set_or_rejected(published: dict[str, Any]) -> None:
    with pytest.raises(IdentityProviderUnusable):
        read_keys(json.dumps({"keys": [published]}).encode())


@given(st.dictionaries(st.sampled_from(["alg", "kid", "crit", "b64", "zip", "x"]), _JSON), _JSON, st.text())
def test_any_unsigned_token_is_rejected(header: dict[str, Any], claims: Any, signature: str) -> None:
    for start in ({}, {"alg": "ES256"}, {"alg": "ES256", "kid": "one"}):
        with pytest.raises((SignInRefused, UnknownKey)):
            read(f"{_part({**start, **header})}.{_part(claims)}.{signature}", _KEYS, _EXPECTED)


@given(st.fixed_dictionaries({}, optional=dict.fromkeys([*_CLAIMS, "azp", "nbf", "jti"], _JSON)))
def test_any_signed_token_is_valid_or_rejected(claims: dict[str, Any]) -> None:
    token = jws.serialize_compact({"alg": "ES256", "kid": "one"}, json.dumps({**_CLAIMS, **claims}), _KEY)
    try:
        assert read(token, _KEYS, _EXPECTED)["nonce"] == "nonce"
    except SignInRefused:
        assert claims


def _part(value: Any) -> str:
    return urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")
