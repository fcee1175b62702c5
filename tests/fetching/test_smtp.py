"""Encrypted connections to mail servers, and what is said about those that fail."""

import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from mail_server import SILENCE, MailServer, mail_server
from playdock.fetching.errors import MessageRefused, ServerFault
from playdock.fetching.smtp import PATIENT, MailConnection, Patience
from playdock.fetching.smtp import MailServer as Settings


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key and a certificate for 127.0.0.1 that nobody but a test trusts."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    names = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    signed = builder.add_extension(names, critical=False).sign(key, hashes.SHA256())
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file = tmp_path_factory.mktemp("mail") / "server.pem"
    file.write_bytes(private + signed.public_bytes(serialization.Encoding.PEM))
    return file


@pytest.fixture
def encrypting(certificate: Path) -> Iterator[MailServer]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with mail_server(context=context) as state:
        state.password = "secret"
        yield state


def send(state: MailServer, patience: Patience = PATIENT, /, tls: str = "starttls", **wanted: str) -> None:
    user, password = wanted.get("user", "games"), wanted.get("password", "secret")
    connection = MailConnection(Settings("127.0.0.1", state.port, tls, user, password), patience=patience)
    try:
        for _ in range(2):
            connection.send(message(), to="ada@example.org")
    finally:
        connection.close()


def message() -> EmailMessage:
    made = EmailMessage()
    made["From"], made["To"] = "games@example.org", "ada@example.org"
    made.set_content("Hello.")
    return made


def test_the_password_is_sent_only_over_an_encrypted_connection_to_a_verified_server(
    encrypting: MailServer, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ServerFault) as unknown:
        send(encrypting)
    assert (unknown.value.reason.code, encrypting.authenticated) == ("mail-certificate", False)

    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    send(encrypting)
    assert (len(encrypting.accepted), encrypting.authenticated) == (2, True)
    # Both with one connection; the first one was that of the attempt that failed.
    assert encrypting.connections == 2


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        ({"tls": "starttls"}, "mail-unsupported"),
        ({"tls": "tls"}, "mail-unsupported"),
        ({"tls": "none"}, "mail-unsupported"),
        ({"tls": "none", "user": ""}, ""),
    ],
)
def test_a_server_without_encryption_and_passwords_is_used_only_if_the_settings_say_so(
    wanted: dict[str, str], code: str
) -> None:
    with mail_server() as state:
        if not code:
            send(state, **wanted)
            return
        with pytest.raises(ServerFault) as fault:
            send(state, **wanted)
    assert (fault.value.reason.code, fault.value.temporary) == (code, False)


@pytest.mark.parametrize(
    ("answers", "error", "temporary"),
    [
        ({"to_recipient": "550 No such user"}, MessageRefused, False),
        ({"to_recipient": "451 Later"}, MessageRefused, True),
        ({"to_recipient": "421 Closing"}, ServerFault, True),
        ({"to_recipient": ""}, ServerFault, True),
        ({"to_data": "554 Spam"}, MessageRefused, False),
        # Nobody knows what the server has done with the message.
        ({"to_data": "421 Closing"}, MessageRefused, True),
        ({"to_data": ""}, MessageRefused, True),
        ({"to_data": SILENCE}, MessageRefused, True),
        ({"before_data": ""}, MessageRefused, True),
        ({"before_data": "554 No valid recipients"}, MessageRefused, False),
        ({"to_sender": "530 Authentication required"}, ServerFault, False),
        ({"to_sender": "451 Too many messages"}, ServerFault, True),
    ],
)
def test_only_what_concerns_one_message_is_a_fault_of_it(
    answers: dict[str, str], error: type[ServerFault | MessageRefused], *, temporary: bool
) -> None:
    with mail_server(MailServer(**answers)) as state, pytest.raises(error) as fault:  # type: ignore[arg-type]
        send(state, Patience(confirmation=0.1), tls="none", user="")
    found = fault.value
    assert isinstance(found, ServerFault | MessageRefused)
    assert found.temporary is temporary


def test_a_connection_that_the_server_has_closed_is_not_used_for_the_next_message() -> None:
    with mail_server(MailServer(to_recipient="550 No such user", to_reset="")) as state:
        connection = MailConnection(Settings("127.0.0.1", state.port, "none", "", ""))
        try:
            with pytest.raises(MessageRefused):
                connection.send(message(), to="bob@example.org")
            state.to_recipient = "250 OK"
            connection.send(message(), to="ada@example.org")
        finally:
            connection.close()
    assert (len(state.accepted), state.connections) == (1, 2)


def test_ways_to_sign_in_that_are_not_known_are_named_as_the_reason() -> None:
    with mail_server(MailServer(password="secret", methods="NTLM")) as state, pytest.raises(ServerFault) as fault:
        send(state, tls="none")
    assert (fault.value.reason.code, fault.value.temporary) == ("mail-unsupported", False)
