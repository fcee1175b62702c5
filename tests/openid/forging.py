"""Valid and forged ID tokens."""

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
"""Creates a token from claims and the name of the provider's signing key."""


@cache
def key(name: str) -> RSAKey:
    """Return the key with a name; keys are cached, because generating one is slow."""
    return RSAKey.generate_key(2048, {"kid": name, "use": "sig"})


def signed(claims: Claims, kid: str) -> str:
    """Return a valid token."""
    return jwt.encode({"alg": "RS256", "kid": kid}, claims, key(kid))


def unsigned(claims: Claims, kid: str) -> str:
    """Return a token whose header declares that it has no signature."""
    return _begin({"alg": "none"}, claims) + "."


def signed_with_public_key(claims: Claims, kid: str) -> str:
    """Return a token signed with the public key as a shared secret."""
    return _with_secret({"alg": "HS256", "kid": kid}, claims, secret=key(kid).as_pem(private=False))


def signed_with_client_secret(claims: Claims, kid: str) -> str:
    """Return a token signed with the client secret, an algorithm that the provider has not announced."""
    return _with_secret({"alg": "HS256"}, claims, secret=CLIENT_SECRET.encode())


def signed_by_stranger(claims: Claims, kid: str) -> str:
    """Return a token signed with an unpublished key under the name of a published one."""
    return jwt.encode({"alg": "RS256", "kid": kid}, claims, key("stranger"))


def signed_by_unknown(claims: Claims, kid: str) -> str:
    """Return a token signed with an unpublished key under its own name."""
    return signed(claims, "stranger")


def signed_with_enclosed_key(claims: Claims, kid: str) -> str:
    """Return a token whose header contains the key to verify it with."""
    header = {"alg": "RS256", "jwk": key("stranger").as_dict(private=False)}
    return jwt.encode(header, claims, key("stranger"))


def changed_afterwards(claims: Claims, kid: str) -> str:
    """Return a token whose claims were replaced after signing."""
    header, _, signature = signed(claims, kid).split(".")
    return f"{header}.{_part({**claims, 'sub': 'somebody-else'})}.{signature}"


def garbage(claims: Claims, kid: str) -> str:
    return "this.is.nothing"


def base64url(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def _with_secret(header: dict[str, str], claims: Claims, *, secret: bytes) -> str:
    pending = _begin(header, claims)
    return f"{pending}.{base64url(hmac.digest(secret, pending.encode(), hashlib.sha256))}"


def _begin(header: dict[str, str], claims: Claims) -> str:
    return f"{_part(header)}.{_part(claims)}"


def _part(content: dict[str, Any]) -> str:
    return base64url(json.dumps(content).encode())
