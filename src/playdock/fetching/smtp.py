"""Sending email: a connection to one mail server (RFC 5321)."""

import smtplib
import ssl
from email.message import EmailMessage

from msgspec import Struct

from playdock.fetching.errors import MessageRefused, ServerFault
from playdock.kit.messages import Message

# A server that works responds in a second; some delay the first response by half a minute to discourage spam.
SMTP_SECONDS = 60.0
# Replies of 400 and above are temporary faults, those of 500 and above permanent ones (RFC 5321, section 4.2.1).
_PERMANENT = 500
# The server closes the connection, whatever the message (RFC 5321, section 3.8).
_CLOSING = 421


class MailServer(Struct, frozen=True):
    """Where email is sent, and how; ``tls`` is ``starttls``, ``tls`` or ``none``."""

    host: str
    port: int
    tls: str
    user: str
    password: str


class MailConnection:
    """A connection that is opened for the first message, and again if the server has closed it."""

    def __init__(self, server: MailServer, *, seconds: float = SMTP_SECONDS) -> None:
        self._server = server
        self._seconds = seconds
        self._open: smtplib.SMTP | None = None

    def send(self, message: EmailMessage, *, to: str) -> None:
        """Send a message to one recipient. It is sent if this returns, and may be sent if it raises `ServerFault`.

        Raises:
            ServerFault: nothing can be sent now.
            MessageRefused: this message cannot be sent, or not now.
        """
        try:
            self._send(self._open or self._connect(), message, to)
        except (smtplib.SMTPException, OSError) as error:
            self.close()
            raise _fault(self._server.host, error) from None

    def _send(self, connection: smtplib.SMTP, message: EmailMessage, to: str) -> None:
        try:
            connection.send_message(message, to_addrs=[to])
        except smtplib.SMTPRecipientsRefused as refused:
            [(code, answer)] = refused.recipients.values()
            raise _refused(code, answer) from None
        except smtplib.SMTPDataError as error:
            raise _refused(error.smtp_code, error.smtp_error) from None
        except smtplib.SMTPNotSupportedError:
            raise MessageRefused(Message("mail-address-unsupported"), temporary=False) from None

    def _connect(self) -> smtplib.SMTP:
        server, context = self._server, ssl.create_default_context()
        if server.tls == "tls":
            connection: smtplib.SMTP = smtplib.SMTP_SSL(
                server.host, server.port, timeout=self._seconds, context=context
            )
        else:
            connection = smtplib.SMTP(server.host, server.port, timeout=self._seconds)
        # From here on, it is closed whatever fails.
        self._open = connection
        if server.tls == "starttls":
            connection.starttls(context=context)
        if server.user:
            connection.login(server.user, server.password)
        return connection

    def close(self) -> None:
        """Close the connection, if there is one."""
        connection, self._open = self._open, None
        if connection is not None:
            # Without QUIT, whose answer could take another minute: a message is accepted with the answer to its end.
            connection.close()


def _refused(code: int, answer: bytes | str) -> Exception:
    if code == _CLOSING:
        return smtplib.SMTPResponseException(code, answer)
    return MessageRefused(Message("mail-refused", answer=_answer(code, answer)), temporary=code < _PERMANENT)


def _fault(host: str, error: Exception) -> ServerFault:
    if isinstance(error, smtplib.SMTPAuthenticationError):
        reason = Message("mail-password-refused", answer=_answer(error.smtp_code, error.smtp_error))
        return ServerFault(reason, temporary=error.smtp_code < _PERMANENT)
    if isinstance(error, ssl.SSLCertVerificationError):
        return ServerFault(Message("mail-certificate", server=host, reason=error.verify_message), temporary=True)
    if isinstance(error, ssl.SSLError | smtplib.SMTPNotSupportedError):
        return ServerFault(Message("mail-unsupported", server=host, reason=_reason(error)), temporary=False)
    if isinstance(error, smtplib.SMTPResponseException):
        reason = Message("mail-refused", answer=_answer(error.smtp_code, error.smtp_error))
        return ServerFault(reason, temporary=error.smtp_code < _PERMANENT)
    return ServerFault(Message("mail-unreachable", server=host), temporary=True)


def _reason(error: Exception) -> str:
    return error.reason if isinstance(error, ssl.SSLError) else str(error)


def _answer(code: int, answer: bytes | str) -> str:
    text = answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer
    return " ".join(f"{code} {text}".split())[:200]
