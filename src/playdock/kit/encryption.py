"""Deterministic encryption with AES-SIV (RFC 5297): a text is always encrypted in the same way."""

import base64
import binascii

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV


def encrypt(text: str, *, key: bytes, purpose: str) -> str:
    """Return the encrypted text in the characters of base64url. The key has 64 bytes."""
    encrypted = AESSIV(key).encrypt(text.encode("utf-8", "surrogatepass"), [purpose.encode()])
    return base64.urlsafe_b64encode(encrypted).decode()


def decrypt(encrypted: str, *, key: bytes, purpose: str) -> str | None:
    """Return the text; None if it was encrypted with another key or for another purpose, or not at all."""
    try:
        text = AESSIV(key).decrypt(base64.urlsafe_b64decode(encrypted), [purpose.encode()])
    except (InvalidTag, binascii.Error, ValueError):
        return None
    return text.decode("utf-8", "surrogatepass")
