"""Validation of ID tokens (OpenID Connect Core 1.0, section 3.1.3.7)."""

from datetime import timedelta
from typing import Any

import msgspec
from joserfc import jwt
from joserfc.errors import BadSignatureError, ClaimError, InvalidKeyIdError, JoseError
from joserfc.jwa import JWSAlgModel
from joserfc.jwk import JWKRegistry, Key, KeySet
from joserfc.jws import JWSRegistry
from joserfc.util import base64_to_int

from playdock.identity.claims import MAX_RECENT_AGE, AuthTime, Claims, TokenExpectations, UnknownKey, authenticated_at
from playdock.identity.errors import IdentityProviderUnusable, SignInRefused

# What providers use, and the least that RFC 7518 (section 3.3) allows.
_MIN_RSA_BITS = 2048
_KEY_TYPES = ("RSA", "EC", "OKP")
# Tolerates clocks of provider and service that differ by up to a minute.
_MAX_SKEW_SECONDS = 60
# The maximum length of a subject (OpenID Connect Core 1.0, section 2).
_MAX_SUBJECT_CHARACTERS = 255


class _Registry(JWSRegistry):
    """Accepts unknown headers, as the specification requires, and EdDSA, the older name that providers still use.

    The size of a token is limited by the request that fetches it.
    """

    max_header_length = max_payload_length = 1024**2

    def get_alg(self, name: str) -> JWSAlgModel:
        if name not in (self.allowed or ()):
            raise JoseError("The algorithm is not accepted.")
        return self.algorithms[name]


def read_keys(body: bytes) -> KeySet:
    """Parse a JWK set and return the keys that can verify signatures.

    Raises:
        IdentityProviderUnusable: there is none.
    """
    try:
        published = msgspec.json.decode(body, type=dict[str, list[dict[str, Any]]])["keys"]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, KeyError):
        published = []
    keys = [key for each in published if (key := _read_key(each))]
    if not keys:
        raise IdentityProviderUnusable("publishes no usable signing keys")
    return KeySet(keys)


def read(id_token: str, keys: KeySet, expected: TokenExpectations) -> Claims:
    """Validate an ID token and return its claims.

    Raises:
        UnknownKey: the signature is by none of the keys.
        SignInRefused: the token is invalid.
    """
    registry = _Registry(algorithms=expected.algorithms, strict_check_header=False)
    try:
        claims = jwt.decode(id_token, keys, registry=registry).claims
        _claims_of(expected).validate(claims)
    except (InvalidKeyIdError, BadSignatureError):
        raise UnknownKey from None
    except ClaimError as error:
        raise SignInRefused(_reason_for(error.claim)) from None
    except (JoseError, ValueError, TypeError, KeyError, RecursionError):
        raise SignInRefused("the ID token is malformed or its signature is not acceptable") from None
    _check_rest(claims, expected)
    return claims


def _read_key(published: dict[str, Any]) -> Key | None:
    if published.get("kty") not in _KEY_TYPES or published.get("use") == "enc":
        return None
    try:
        if published["kty"] == "RSA" and base64_to_int(published["n"]).bit_length() < _MIN_RSA_BITS:
            return None
        return JWKRegistry.import_key(published)
    except (JoseError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _claims_of(expected: TokenExpectations) -> jwt.JWTClaimsRegistry:
    return jwt.JWTClaimsRegistry(
        now=int(expected.now.timestamp()),
        leeway=_MAX_SKEW_SECONDS,
        iss={"essential": True, "value": expected.issuer},
        aud={"essential": True, "value": expected.client_id},
        nonce={"essential": True, "values": [expected.nonce]},
        sub={"essential": True},
        exp={"essential": True},
        iat={"essential": True},
    )


def _check_rest(claims: Claims, expected: TokenExpectations) -> None:
    """Check what the library does not: a nonce in a list, the authorized party, and the form of the subject."""
    if claims["nonce"] != expected.nonce:
        raise SignInRefused(_reason_for("nonce"))
    many_audiences = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
    if claims.get("azp", None if many_audiences else expected.client_id) != expected.client_id:
        raise SignInRefused(_reason_for("azp"))
    if len(claims["sub"]) > _MAX_SUBJECT_CHARACTERS or not claims["sub"].isprintable():
        raise SignInRefused(_reason_for("sub"))
    if expected.auth_time is not AuthTime.ANY:
        _check_auth_time(claims, expected)


def _check_auth_time(claims: Claims, expected: TokenExpectations) -> None:
    authenticated = authenticated_at(claims, now=expected.now)
    if authenticated is None and expected.auth_time is AuthTime.RECENT:
        raise SignInRefused(
            "the identity provider does not report when you signed in there (auth_time); an administrator can set "
            "OIDC_REQUIRE_AUTH_TIME=false"
        )
    max_age = MAX_RECENT_AGE + timedelta(seconds=_MAX_SKEW_SECONDS)
    if authenticated is not None and expected.now - authenticated > max_age:
        raise SignInRefused("the identity provider did not ask you to sign in there again")


_REASONS = {
    "iss": "was issued by another provider",
    "aud": "was issued for another service",
    "azp": "was issued for another service",
    "nonce": "belongs to another sign-in",
    "exp": "has expired; the server's clock may be wrong",
    "iat": "is dated in the future; the server's clock may be wrong",
    "nbf": "is dated in the future; the server's clock may be wrong",
    "sub": "does not identify you",
}


def _reason_for(claim: str) -> str:
    return f"the ID token {_REASONS.get(claim, 'is incomplete')}"
