"""ID tokens: which are believed (OpenID Connect Core 1.0, section 3.1.3.7)."""

from typing import Any

import msgspec
from joserfc import jwt
from joserfc.errors import BadSignatureError, ClaimError, InvalidKeyIdError, JoseError
from joserfc.jwa import JWSAlgModel
from joserfc.jwk import JWKRegistry, Key, KeySet
from joserfc.jws import JWSRegistry

from playdock.identity.claims import Claims, Expected, UnknownKey
from playdock.identity.errors import ProviderUnusable, SignInRefused

_KEY_KINDS = ("RSA", "EC", "OKP")
_SKEW_SECONDS = 60
_MOST_CHARACTERS = 255


class _Registry(JWSRegistry):
    """Takes headers that it does not know, as it must, and the older name of EdDSA, which providers still use.

    How large a token can be is limited where it is fetched.
    """

    max_header_length = max_payload_length = 1024**2

    def get_alg(self, name: str) -> JWSAlgModel:
        if name not in (self.allowed or ()):
            raise JoseError("The algorithm is not accepted.")
        return self.algorithms[name]


def read_keys(body: bytes) -> KeySet:
    """Read published keys; those that are of no use here are left out.

    Raises:
        ProviderUnusable: there are none.
    """
    try:
        published = msgspec.json.decode(body, type=dict[str, list[dict[str, Any]]])["keys"]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, KeyError):
        published = []
    keys = [key for each in published if (key := _read_key(each))]
    if not keys:
        raise ProviderUnusable("publishes no keys to check its signatures with")
    return KeySet(keys)


def read(id_token: str, keys: KeySet, expected: Expected) -> Claims:
    """Give the claims of an ID token that is ours.

    Raises:
        UnknownKey: none of the keys has signed it.
        SignInRefused: it is not to be believed.
    """
    registry = _Registry(algorithms=expected.algorithms, strict_check_header=False)
    try:
        claims = jwt.decode(id_token, keys, registry=registry).claims
        _claims_of(expected).validate(claims)
    except (InvalidKeyIdError, BadSignatureError):
        raise UnknownKey from None
    except ClaimError as fault:
        raise SignInRefused(_about(fault.claim)) from None
    except (JoseError, ValueError, TypeError, KeyError, RecursionError):
        raise SignInRefused("the identity provider's ID token is none, or is not signed as it must be") from None
    _check_rest(claims, expected)
    return claims


def _read_key(published: dict[str, Any]) -> Key | None:
    if published.get("kty") not in _KEY_KINDS or published.get("use") == "enc":
        return None
    try:
        return JWKRegistry.import_key(published)
    except (JoseError, ValueError, TypeError, KeyError):
        return None


def _claims_of(expected: Expected) -> jwt.JWTClaimsRegistry:
    return jwt.JWTClaimsRegistry(
        now=int(expected.now.timestamp()),
        leeway=_SKEW_SECONDS,
        iss={"essential": True, "value": expected.issuer},
        aud={"essential": True, "value": expected.client_id},
        nonce={"essential": True, "values": [expected.nonce]},
        sub={"essential": True},
        exp={"essential": True},
        iat={"essential": True},
    )


def _check_rest(claims: Claims, expected: Expected) -> None:
    """Refuse what the library lets through: lists for texts, other parties, subjects that no database keeps."""
    if claims["nonce"] != expected.nonce:
        raise SignInRefused(_about("nonce"))
    several = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
    if claims.get("azp", None if several else expected.client_id) != expected.client_id:
        raise SignInRefused(_about("azp"))
    if len(claims["sub"]) > _MOST_CHARACTERS or not claims["sub"].isprintable():
        raise SignInRefused(_about("sub"))


_REASONS = {
    "iss": "comes from another provider",
    "aud": "is for another service",
    "azp": "is for another service",
    "nonce": "belongs to another sign-in",
    "exp": "has expired; the server's clock may be wrong",
    "iat": "lies in the future; the server's clock may be wrong",
    "nbf": "lies in the future; the server's clock may be wrong",
    "sub": "does not say who you are",
}


def _about(claim: str) -> str:
    return f"the identity provider's ID token {_REASONS.get(claim, 'is not complete')}"
