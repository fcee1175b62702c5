"""A mail server on loopback that keeps what it accepts, and fails as a test wants."""

import base64
import socketserver
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default

# Instead of an answer: the server waits until the client closes the connection.
SILENCE = "silence"


@dataclass
class MailServer:
    """What the server has accepted, and how it answers; an empty answer closes the connection.

    ``refused`` is the only recipient to whom ``to_recipient`` applies, if there is one.
    """

    port: int = 0
    accepted: list[EmailMessage] = field(default_factory=list)
    raw: list[bytes] = field(default_factory=list)
    recipients: list[str] = field(default_factory=list)
    password: str = ""
    authenticated: bool = False
    to_sender: str = "250 OK"
    to_recipient: str = "250 OK"
    before_data: str = "354 Go ahead"
    to_data: str = "250 OK"
    to_reset: str = "250 OK"
    methods: str = "PLAIN"
    refused: str = ""
    connections: int = 0
    encrypted: bool = False

    @property
    def subjects(self) -> list[str]:
        return [str(each["Subject"]) for each in self.accepted]


class _Handler(socketserver.StreamRequestHandler):
    timeout = 60

    def handle(self) -> None:
        state: MailServer = self.server.state  # type: ignore[attr-defined]
        state.connections += 1
        self._say("220 mail.example ESMTP")
        while line := self.rfile.readline().decode().strip():
            if not self._answer(state, line):
                return

    def finish(self) -> None:
        """Close the encrypted socket too, of which the server knows nothing."""
        with suppress(OSError):
            super().finish()
        self.connection.close()

    def _answer(self, state: MailServer, line: str) -> bool:
        verb = line[:4].upper()
        if verb == "EHLO":
            self._say(f"250-mail.example\r\n{self._extensions(state)}250 SIZE 1000000")
        elif verb == "STAR":
            self._say("220 Go ahead")
            context: ssl.SSLContext = self.server.context  # type: ignore[attr-defined]
            try:
                self.connection = context.wrap_socket(self.connection, server_side=True)
            except OSError:
                # The client does not trust the certificate.
                return False
            self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", 0)
            state.encrypted = True
        elif verb == "AUTH":
            given = base64.b64decode(line.split(" ")[2]).decode().split("\0")[2]
            state.authenticated = given == state.password
            self._say("235 Welcome" if state.authenticated else "535 Wrong user name or password")
        elif verb == "MAIL":
            return self._say(state.to_sender)
        elif verb == "RCPT":
            state.recipients.append(line.partition("<")[2].partition(">")[0])
            return self._say(state.to_recipient if state.refused in ("", state.recipients[-1]) else "250 OK")
        elif verb == "RSET":
            return self._say(state.to_reset)
        elif verb == "DATA":
            return self._say(state.before_data) and (state.before_data[0] != "3" or self._read_message(state))
        else:
            self._say("250 OK")
        return verb != "QUIT"

    def _extensions(self, state: MailServer) -> str:
        can_encrypt = getattr(self.server, "context", None) is not None and not state.encrypted
        return ("250-STARTTLS\r\n" if can_encrypt else "") + (f"250-AUTH {state.methods}\r\n" if state.password else "")

    def _read_message(self, state: MailServer) -> bool:
        lines = []
        while (line := self.rfile.readline()) != b".\r\n":
            if not line:
                return False
            lines.append(line.removeprefix(b"."))
        if state.to_data in (SILENCE, "") or state.to_data.startswith("250"):
            state.raw.append(b"".join(lines))
            state.accepted.append(message_from_bytes(b"".join(lines), policy=default))
        return self._say(state.to_data)

    def _say(self, answer: str) -> bool:
        if answer == SILENCE:
            return bool(self.rfile.read(1))
        if answer:
            self.wfile.write(f"{answer}\r\n".encode())
        return bool(answer)


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


@contextmanager
def mail_server(state: MailServer | None = None, *, context: ssl.SSLContext | None = None) -> Iterator[MailServer]:
    """Run a server; with a context it offers STARTTLS. One that ran before returns at the same port."""
    state = state or MailServer()
    with _Server(("127.0.0.1", state.port), _Handler) as server:
        server.state, server.context = state, context  # type: ignore[attr-defined]
        state.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=[0.01], name="mail-server")
        thread.start()
        try:
            yield state
        finally:
            server.shutdown()
            thread.join()
