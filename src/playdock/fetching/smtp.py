"""Sending email: a connection to one mail server (RFC 5321)."""

import smtplib
import ssl
from email.message import EmailMessage
from typing import Any

from msgspec import Struct

from playdock.fetching.errors import MessageRefused, ServerFault
from playdock.kit.messages import Message

# A server that works responds in a second; some delay the first response by half a minute to discourage spam.
_SECONDS = 60.0
# The server may examine a message before it confirms it, and a message that is given up before is sent twice
# (RFC 5321, section 4.5.3.2.6).
_CONFIRMATION_SECONDS = 600.0
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


class Patience(Struct, frozen=True):
    """How many seconds to wait for a reply of the server, and for the one that confirms a message."""

    reply: float = _SECONDS
    confirmation: float = _CONFIRMATION_SECONDS


PATIENT = Patience()


class MailConnection:
    """A connection that is opened for the first message, and again if the server has closed it."""

    def __init__(self, server: MailServer, *, patience: Patience = PATIENT) -> None:
        self._server = server
        self._patience = patience
        self._open: smtplib.SMTP | None = None

    def send(self, message: EmailMessage, *, to: str) -> None:
        """Send a message to one recipient. It is sent if this returns.

        Raises:
            ServerFault: nothing can be sent now, and this message has not been sent.
            MessageRefused: this message cannot be sent, or not now; or it may have been sent and is not confirmed.
        """
        try:
            self._send(self._open if self._open and self._open.sock else self._connect(), message, to)
        except (smtplib.SMTPException, OSError) as error:
            self.close()
            raise _fault(self._server.host, error) from None
        except _UnconfirmedError:
            self.close()
            raise MessageRefused(Message("mail-unconfirmed", server=self._server.host), temporary=True) from None

    def _send(self, connection: smtplib.SMTP, message: EmailMessage, to: str) -> None:
        try:
            connection.send_message(message, to_addrs=[to])
        except smtplib.SMTPRecipientsRefused as refused:
            [(code, answer)] = refused.recipients.values()
            raise _refused(code, answer) from None
        except smtplib.SMTPDataError as error:
            # Whatever the code: a server may close the connection because of the message.
            self.close()
            raise _message_refused(error.smtp_code, error.smtp_error) from None
        except smtplib.SMTPNotSupportedError:
            raise MessageRefused(Message("mail-address-unsupported"), temporary=False) from None

    def _connect(self) -> smtplib.SMTP:
        server, context, seconds = self._server, ssl.create_default_context(), self._patience.reply
        if server.tls == "tls":
            connection: _Plain = _Encrypted(server.host, server.port, timeout=seconds, context=context)
        else:
            connection = _Plain(server.host, server.port, timeout=seconds)
        # From here on, it is closed whatever fails.
        self._open = connection
        connection.confirmation_seconds = self._patience.confirmation
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


class _UnconfirmedError(Exception):
    """The connection has failed while a message was sent or after that, and nobody knows whether it was accepted."""


class _Plain(smtplib.SMTP):
    """A connection that waits longer for the reply to a message than for other replies."""

    confirmation_seconds = _CONFIRMATION_SECONDS

    def data(self, msg: Any) -> tuple[int, bytes]:
        assert self.sock
        self.sock.settimeout(self.confirmation_seconds)
        try:
            return super().data(msg)
        except smtplib.SMTPDataError:
            raise
        except (smtplib.SMTPException, OSError):
            raise _UnconfirmedError from None
        finally:
            if self.sock:
                self.sock.settimeout(self.timeout)


class _Encrypted(_Plain, smtplib.SMTP_SSL):
    """The same, encrypted from the start."""


def _refused(code: int, answer: bytes | str) -> Exception:
    return smtplib.SMTPResponseException(code, answer) if code == _CLOSING else _message_refused(code, answer)


def _message_refused(code: int, answer: bytes | str) -> MessageRefused:
    return MessageRefused(Message("mail-refused", answer=_answer(code, answer)), temporary=code < _PERMANENT)


def _fault(host: str, error: Exception) -> ServerFault:
    if isinstance(error, smtplib.SMTPAuthenticationError):
        reason = Message("mail-password-refused", answer=_answer(error.smtp_code, error.smtp_error))
        return ServerFault(reason, temporary=error.smtp_code < _PERMANENT)
    if isinstance(error, ssl.SSLCertVerificationError):
        return ServerFault(Message("mail-certificate", server=host, reason=error.verify_message), temporary=True)
    # smtplib has no class for a server that knows none of its ways to sign in.
    if isinstance(error, ssl.SSLError | smtplib.SMTPNotSupportedError) or type(error) is smtplib.SMTPException:
        return ServerFault(Message("mail-unsupported", server=host, reason=_reason(error)), temporary=False)
    if isinstance(error, smtplib.SMTPResponseException):
        reason = Message("mail-refused", answer=_answer(error.smtp_code, error.smtp_error))
        return ServerFault(reason, temporary=error.smtp_code < _PERMANENT)
    return ServerFault(Message("mail-unreachable", server=host), temporary=True)


def _reason(error: Exception) -> str:
    return error.reason if isinstance(error, ssl.SSLError) else str(error).rstrip(".")


def _answer(code: int, answer: bytes | str) -> str:
    text = answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer
    return " ".join(f"{code} {text}".split())[:200]
