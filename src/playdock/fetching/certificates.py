"""When the certificate of a server expires."""

import socket
from datetime import datetime


def expiry_of(host: str, port: int, *, seconds: float) -> datetime | None:
    """Return when the certificate of a server expires, None if it cannot be read in time.

    Only the date is read, so the certificate is not verified: an expired one has a date, too.
    """
    import ssl

    from cryptography import x509

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        with (
            socket.create_connection((host, port), timeout=seconds) as plain,
            context.wrap_socket(plain, server_hostname=host) as encrypted,
        ):
            certificate = encrypted.getpeercert(binary_form=True)
        return x509.load_der_x509_certificate(certificate or b"").not_valid_after_utc
    except (OSError, ValueError):
        return None
