"""Private keys and certificates of Drop's clients, and the certificate authority that signs them.

The authority is a file in the data folder with its key and its certificate, created when it is first needed. Nothing is
verified with it: a device is recognized by the certificate that is stored with it. So without the file another one is
created, and all devices remain signed in. Loaded with the first handshake.
"""

import os
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import NameOID

FILE_NAME = "drop-ca.pem"
_ROOT_NAME = "Drop Root Server"
_ROOT_LIFETIME = timedelta(days=365_000)
# As the certificates of Drop's server, which are never shown to anybody who would compare them with the time.
_BEGINS = datetime(1975, 1, 1, tzinfo=UTC)
_ENDS = datetime(4096, 1, 1, tzinfo=UTC)


def issue(client_id: str, *, folder: Path, now: datetime) -> tuple[str, str]:
    """Return a new private key (PKCS #8) and its certificate, both as PEM.

    Raises:
        OSError: the file of the authority cannot be read or written.
        ValueError: it is damaged.
    """
    ca_key, ca = _authority(folder / FILE_NAME, now)
    key = ec.generate_private_key(ec.SECP384R1())
    certificate = (
        _builder(client_id, ca.subject, key.public_key())
        .not_valid_before(_BEGINS)
        .not_valid_after(_ENDS)
        .add_extension(_key_usage(data_encipherment=True), critical=True)
        .sign(ca_key, SHA256())
    )
    return _pem_of(key), certificate.public_bytes(Encoding.PEM).decode()


def _authority(file: Path, now: datetime) -> tuple[ec.EllipticCurvePrivateKey, x509.Certificate]:
    if not file.exists():
        _create(file, now)
    content = file.read_bytes()
    key = load_pem_private_key(content, None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    return key, x509.load_pem_x509_certificate(content)


def _create(file: Path, now: datetime) -> None:
    """Create the authority. Of several processes that do so, one succeeds."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = _name(_ROOT_NAME)
    certificate = (
        _builder(_ROOT_NAME, name, key.public_key())
        .not_valid_before(now)
        .not_valid_after(now + _ROOT_LIFETIME)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(_key_usage(signs=True), critical=True)
        .sign(key, SHA256())
    )
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=file.parent, prefix=f".{FILE_NAME}-") as temporary:
        temporary.write(_pem_of(key) + certificate.public_bytes(Encoding.PEM).decode())
        temporary.flush()
        os.fsync(temporary.fileno())
        if not file.exists():
            try:
                # Unlike a renamed file, a linked one does not replace the file of another process.
                file.hardlink_to(temporary.name)
            except FileExistsError:
                return


def _builder(common_name: str, issuer: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
    serial = x509.random_serial_number()
    return x509.CertificateBuilder(issuer, _name(common_name), key, serial)


def _name(common_name: str) -> x509.Name:
    return x509.Name(
        [x509.NameAttribute(NameOID.COMMON_NAME, common_name), x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Drop")]
    )


def _key_usage(*, signs: bool = False, data_encipherment: bool = False) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=data_encipherment,
        key_agreement=False,
        key_cert_sign=signs,
        crl_sign=signs,
        encipher_only=False,
        decipher_only=False,
    )


def _pem_of(key: ec.EllipticCurvePrivateKey) -> str:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
