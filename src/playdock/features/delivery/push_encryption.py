"""What push services are sent: messages that only one browser can read (RFC 8291), and who sends them (RFC 8292).

This module is loaded when something is sent, or a page asks for the public key.
"""

import base64
import binascii
import os
from datetime import datetime, timedelta

from cryptography.hazmat.primitives.asymmetric.ec import (
    ECDH,
    SECP256R1,
    EllipticCurvePrivateKey,
    EllipticCurvePublicKey,
    derive_private_key,
    generate_private_key,
)
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from joserfc import jwt
from joserfc.jwk import ECKey

# The order of P-256 (FIPS 186-5): private keys are smaller.
_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
# The only record, which is as long as a body that every push service accepts.
_RECORD_BYTES = 4096
# Less than the day that is allowed, for clocks that differ.
_TOKEN_LIFETIME = timedelta(hours=12)
_COORDINATE_BYTES = 32


class ServerKey:
    """The key pair with which the service identifies itself to push services."""

    def __init__(self, seed: bytes) -> None:
        """Make the pair of a seed with 64 bytes: twice as many as the order has, so that no key is more likely."""
        self._private = derive_private_key(int.from_bytes(seed) % (_ORDER - 1) + 1, SECP256R1())

    @property
    def public(self) -> str:
        """The public key, as browsers expect it."""
        return encoded(_point(self._private.public_key()))

    def authorization(self, origin: str, *, at: datetime, contact: str = "") -> str:
        """Return the header for requests to the origin of a push service; ``contact`` is a URL of the service."""
        numbers = self._private.private_numbers()
        public = numbers.public_numbers
        values = {"d": numbers.private_value, "x": public.x, "y": public.y}
        coordinates = {name: encoded(value.to_bytes(_COORDINATE_BYTES)) for name, value in values.items()}
        key = ECKey.import_key({"kty": "EC", "crv": "P-256", **coordinates})
        claims = {"aud": origin, "exp": int((at + _TOKEN_LIFETIME).timestamp())}
        token = jwt.encode({"typ": "JWT", "alg": "ES256"}, {**claims, **({"sub": contact} if contact else {})}, key)
        return f"vapid t={token}, k={self.public}"


def encoded(data: bytes) -> str:
    """Return bytes in base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    """Return the bytes of a text in base64url; none if it is something else."""
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars="-_", validate=True)
    except (binascii.Error, ValueError):
        return b""


def is_public_key(text: str) -> bool:
    """Return whether a text is the public key of a browser."""
    try:
        EllipticCurvePublicKey.from_encoded_point(SECP256R1(), decoded(text))
    except ValueError:
        return False
    return True


def encrypt(
    message: bytes,
    *,
    public_key: str,
    auth_secret: str,
    sender: EllipticCurvePrivateKey | None = None,
    salt: bytes | None = None,
) -> bytes:
    """Return a body that only the browser with these keys can read. The sender and the salt are new for each one."""
    receiver, auth = decoded(public_key), decoded(auth_secret)
    sender, salt = sender or generate_private_key(SECP256R1()), salt or os.urandom(16)
    own = _point(sender.public_key())
    shared = sender.exchange(ECDH(), EllipticCurvePublicKey.from_encoded_point(SECP256R1(), receiver))
    material = _derive(auth, shared, b"WebPush: info\0" + receiver + own, 32)
    key = _derive(salt, material, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derive(salt, material, b"Content-Encoding: nonce\0", 12)
    # The delimiter of the last record (RFC 8188).
    content = AESGCM(key).encrypt(nonce, message + b"\2", None)
    return salt + _RECORD_BYTES.to_bytes(4) + bytes([len(own)]) + own + content


def _derive(salt: bytes, material: bytes, info: bytes, length: int) -> bytes:
    return HKDF(SHA256(), length, salt, info).derive(material)


def _point(key: EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
