"""Secrets and ids.

A secret is shown once and only its digest is stored. It has 256 random bits, so a fast hash without salt is sufficient.
"""

import hashlib
import secrets
import uuid


def new_id() -> str:
    return str(uuid.uuid4())


def new_secret(prefix: str) -> str:
    """Return a new secret such as ``pds_…``. The prefix shows people and secret scanners what kind of secret it is."""
    return f"{prefix}_{secrets.token_urlsafe(32)}"


def new_code(alphabet: str, length: int) -> str:
    """Return a random code of ``length`` characters for people to type."""
    return "".join(secrets.choice(alphabet) for _ in range(length))


def digest(secret: str) -> str:
    """Return the SHA-256 of a secret as 64 hexadecimal digits."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
