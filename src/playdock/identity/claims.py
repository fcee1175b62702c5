"""The claims of ID tokens, and the values that are required of them."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Any

from msgspec import Struct

# Only asymmetric algorithms: a public key must never be accepted as a shared secret.
ALGORITHMS = (
    *("RS256", "RS384", "RS512"),
    *("PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512"),
    *("EdDSA", "Ed25519"),
)

# How long ago a user may have signed in at the provider if that must be recent; sent to it as max_age.
MAX_RECENT_AGE = timedelta(minutes=10)

Claims = Mapping[str, Any]


class UnknownKey(Exception):
    """The signature is by none of the cached keys; the provider may have published a new one since."""


class AuthTime(Enum):
    """What ``auth_time`` of an ID token must be: when the provider last authenticated the user."""

    ANY = "any"
    RECENT_IF_PRESENT = "recent-if-present"
    RECENT = "recent"


class TokenExpectations(Struct, frozen=True):
    """The values that an ID token must contain, the algorithms that may sign it, and the current time."""

    issuer: str
    client_id: str
    nonce: str
    algorithms: tuple[str, ...]
    now: datetime
    auth_time: AuthTime = AuthTime.ANY


def authenticated_at(claims: Claims, *, now: datetime) -> datetime | None:
    """Return when the provider last authenticated the user, at most ``now``; None if it does not say."""
    seconds = claims.get("auth_time")
    if type(seconds) is not int or seconds < 0:
        return None
    # The provider's clock may be ahead, and its times may be beyond those that exist.
    return now if seconds >= now.timestamp() else datetime.fromtimestamp(seconds, UTC)


def subject_of(claims: Claims) -> str:
    """Return issuer and subject as one string. It is unambiguous because an issuer contains no space."""
    return f"{claims['iss']} {claims['sub']}"


def find_claim(claims: Claims, path: str) -> Any:
    """Return a claim by its name or by a dotted path into nested objects, or None if there is none."""
    value: Any = claims
    for name in [path] if path in claims else path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value
