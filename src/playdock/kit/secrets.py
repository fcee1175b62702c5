"""Secrets and ids.

A secret is shown once and stored as a digest only; it has 256 random bits, so a plain hash is enough to store it.
"""

import hashlib
import secrets
import uuid


def new_id() -> str:
    return str(uuid.uuid4())


def new_secret(prefix: str) -> str:
    """Make a secret such as ``pds_…``; the prefix tells people and scanners what they have found."""
    return f"{prefix}_{secrets.token_urlsafe(32)}"


def new_code(alphabet: str, length: int) -> str:
    """Make a code that somebody can type."""
    return "".join(secrets.choice(alphabet) for _ in range(length))


def digest(secret: str) -> str:
    """Give the SHA-256 of a secret as 64 hexadecimal digits."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
