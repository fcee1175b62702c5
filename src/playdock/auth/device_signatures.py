"""Requests signed by a device, as Drop's clients send them: verification with the certificate of the device.

A header is ``Nonce <id> <milliseconds> <signature>`` or ``JWT <id> <token>``. Loaded with the first such request:
cryptography is a fifth of all that a process loads.
"""

import re
from collections.abc import Callable, Mapping
from datetime import datetime

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA384
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509 import load_pem_x509_certificate
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import ECKey

from playdock.auth.errors import InvalidNonceSignature, NonceExpired
from playdock.auth.signed_headers import SignedHeader

# Drop's clients sign with a tolerance of half a minute between the clocks.
_MAX_SKEW_SECONDS = 30
_NONCE = re.compile(r"[0-9]{1,16}", re.ASCII)
# Two numbers of 48 bytes, those of the curve P-384.
_SIGNATURE = re.compile(r"[0-9A-Fa-f]{192}", re.ASCII)
_NUMBER_DIGITS = 96
_ALGORITHM = "ES384"


def verifier(certificate: str) -> Callable[[SignedHeader, datetime], None]:
    """Return what checks that the device with a certificate has signed a header at a time. It raises as `verify`."""
    key = load_pem_x509_certificate(certificate.encode()).public_key()
    assert isinstance(key, EllipticCurvePublicKey)
    return lambda header, now: verify(header, key, now=now)


def verify(header: SignedHeader, key: EllipticCurvePublicKey, *, now: datetime) -> None:
    """Check that the owner of the key has just signed a header.

    Raises:
        NonceExpired: it was signed more than half a minute ago, or the clocks differ by more.
        InvalidNonceSignature: it was not signed with the key.
    """
    _VERIFIERS[header.scheme](header, key, now.timestamp())


def _verify_nonce(header: SignedHeader, key: EllipticCurvePublicKey, now: float) -> None:
    nonce, signature = header.proof
    if not _NONCE.fullmatch(nonce) or abs(now - int(nonce) / 1000) > _MAX_SKEW_SECONDS:
        raise NonceExpired
    if not _SIGNATURE.fullmatch(signature):
        raise InvalidNonceSignature
    r, s = int(signature[:_NUMBER_DIGITS], 16), int(signature[_NUMBER_DIGITS:], 16)
    try:
        key.verify(encode_dss_signature(r, s), nonce.encode(), ECDSA(SHA384()))
    except InvalidSignature:
        raise InvalidNonceSignature from None


def _verify_token(header: SignedHeader, key: EllipticCurvePublicKey, now: float) -> None:
    try:
        claims = jwt.decode(header.proof[0], ECKey.import_key(_pem(key)), algorithms=[_ALGORITHM]).claims
        begins, ends = float(claims["nbf"]), float(claims["exp"])
    except (JoseError, ValueError, TypeError, KeyError):
        raise InvalidNonceSignature from None
    if not begins - _MAX_SKEW_SECONDS <= now <= ends + _MAX_SKEW_SECONDS:
        raise NonceExpired


def _pem(key: EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


_VERIFIERS: Mapping[str, Callable[[SignedHeader, EllipticCurvePublicKey, float], None]] = {
    "nonce": _verify_nonce,
    "jwt": _verify_token,
}
