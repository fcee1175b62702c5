"""When the certificate of a server expires, whether or not it is valid."""

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from playdock.fetching.certificates import expiry_of
from playdock.fetching.errors import Unreachable
from playdock.fetching.requests import FetchLimits, Request, origin_of
from playdock.fetching.web import Fetcher

_EXPIRED = datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC)


def _write_certificate(folder: Path) -> Path:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(_EXPIRED - timedelta(days=90)).not_valid_after(_EXPIRED)
    file = folder / "server.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.write_bytes(private + builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    return file


@contextmanager
def expired_server(folder: Path) -> Iterator[int]:
    """Accept one connection with an expired certificate; give the port."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(_write_certificate(folder))

    def answer(listening: socket.socket) -> None:
        connection, _ = listening.accept()
        with suppress(ssl.SSLError, OSError), context.wrap_socket(connection, server_side=True):
            pass

    with socket.create_server(("127.0.0.1", 0)) as listening:
        answering = threading.Thread(target=answer, args=[listening])
        answering.start()
        yield listening.getsockname()[1]
        answering.join()


def test_the_date_of_an_expired_certificate_is_read(tmp_path: Path) -> None:
    with expired_server(tmp_path) as port:
        assert expiry_of("127.0.0.1", port, seconds=60) == _EXPIRED


def test_a_server_with_an_invalid_certificate_is_not_trusted(web: Fetcher, tmp_path: Path) -> None:
    with expired_server(tmp_path) as port:
        address = f"https://127.0.0.1:{port}/a"
        limits = FetchLimits(frozenset([origin_of(address)]), seconds=120, max_bytes=1000)
        with pytest.raises(Unreachable, match=r"^cannot be trusted: its certificate is invalid$"):
            web.fetch(Request(address), limits)


def test_a_server_without_a_certificate_has_no_date() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]

    assert expiry_of("127.0.0.1", port, seconds=60) is None
