"""Making ID tokens, as they should be and as they should not."""

import base64
import hashlib
import hmac
import json
from collections.abc import Callable
from functools import cache
from typing import Any

from joserfc import jwt
from joserfc.jwk import RSAKey

from .real import CLIENT_SECRET

Claims = dict[str, Any]
Forge = Callable[[Claims, str], str]
"""Makes a token of claims and the name of the key that the provider signs with."""


@cache
def key(name: str) -> RSAKey:
    """Give the key of that name: always the same one, since making one is slow."""
    return RSAKey.generate_key(2048, {"kid": name, "use": "sig"})


def signed(claims: Claims, kid: str) -> str:
    """Make a token as it should be."""
    return jwt.encode({"alg": "RS256", "kid": kid}, claims, key(kid))


def unsigned(claims: Claims, kid: str) -> str:
    """Say that no signature is needed."""
    return _begin({"alg": "none"}, claims) + "."


def signed_with_public_key(claims: Claims, kid: str) -> str:
    """Take for a secret what everybody knows: the published key."""
    return _with_secret({"alg": "HS256", "kid": kid}, claims, secret=key(kid).as_pem(private=False))


def signed_with_client_secret(claims: Claims, kid: str) -> str:
    """Take the secret of the service and the provider, though the provider has not announced to sign so."""
    return _with_secret({"alg": "HS256"}, claims, secret=CLIENT_SECRET.encode())


def signed_by_stranger(claims: Claims, kid: str) -> str:
    """Sign with a key that is not published, under the name of one that is."""
    return jwt.encode({"alg": "RS256", "kid": kid}, claims, key("stranger"))


def signed_by_unknown(claims: Claims, kid: str) -> str:
    """Sign with a key that is not published, under its own name."""
    return signed(claims, "stranger")


def signed_with_enclosed_key(claims: Claims, kid: str) -> str:
    """Bring along the key to check the signature with."""
    header = {"alg": "RS256", "jwk": key("stranger").as_dict(private=False)}
    return jwt.encode(header, claims, key("stranger"))


def changed_afterwards(claims: Claims, kid: str) -> str:
    """Put other claims in the place of those that were signed."""
    header, _, signature = signed(claims, kid).split(".")
    return f"{header}.{_part({**claims, 'sub': 'somebody-else'})}.{signature}"


def garbage(claims: Claims, kid: str) -> str:
    return "this.is.nothing"


def base64url(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def _with_secret(header: dict[str, str], claims: Claims, *, secret: bytes) -> str:
    begun = _begin(header, claims)
    return f"{begun}.{base64url(hmac.digest(secret, begun.encode(), hashlib.sha256))}"


def _begin(header: dict[str, str], claims: Claims) -> str:
    return f"{_part(header)}.{_part(claims)}"


def _part(content: dict[str, Any]) -> str:
    return base64url(json.dumps(content).encode())
