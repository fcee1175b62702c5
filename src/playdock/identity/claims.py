"""Claims: what an ID token says of somebody, and what it must say to be ours."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

# Asymmetric ones alone: a public key must never serve as a shared secret.
ALGORITHMS = (
    *("RS256", "RS384", "RS512"),
    *("PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512"),
    *("EdDSA", "Ed25519"),
)

Claims = Mapping[str, Any]


class UnknownKey(Exception):
    """No key that is known has made the signature; one that was published meanwhile may have."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What an ID token must say to be ours: from whom, for whom, for which sign-in; and how it may be signed."""

    issuer: str
    client_id: str
    nonce: str
    algorithms: tuple[str, ...]
    now: datetime


def subject_of(claims: Claims) -> str:
    """Give who somebody is: issuer and subject as one text, unambiguous since no issuer has a space in it."""
    return f"{claims['iss']} {claims['sub']}"


def find_claim(claims: Claims, path: str) -> Any:
    """Give a claim by its name, or by a path whose dots lead into what is nested; None if it is not there."""
    found: Any = claims
    for name in [path] if path in claims else path.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found
