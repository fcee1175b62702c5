"""The servers this machine is signed in to. A token is sent only to its own server."""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from playdock_client.client_folders import HOME_VARIABLE
from playdock_client.documents import read_document, write_document
from playdock_client.errors import ClientError, ServerUnavailable
from playdock_client.transport import is_loopback, normalized

TOKEN_VARIABLE = "PLAYDOCK_TOKEN"  # noqa: S105 - the name of a variable


class CredentialsUnreadable(ClientError):
    """The file with the credentials is invalid."""

    def __init__(self, file: Path) -> None:
        super().__init__(f"The credentials file {file} is invalid. Remove it and sign in again.")


class CredentialsUnwritable(ClientError):
    """The credentials cannot be stored."""

    def __init__(self, folder: Path, problem: OSError) -> None:
        super().__init__(
            f"The credentials cannot be stored in {folder}: {problem.strerror or problem}. Make that folder writable, "
            f"or set another one in {HOME_VARIABLE}."
        )


class KnownServer(msgspec.Struct, frozen=True):
    """A server, this machine's token for it, and whether connections may be unencrypted."""

    address: str
    token: str
    allow_http: bool = False

    def __repr__(self) -> str:
        return f"KnownServer({self.address!r})"


@dataclass(frozen=True, slots=True)
class Credentials:
    """The known servers, the newest last, in a file that only its owner can read."""

    file: Path

    def servers(self) -> list[KnownServer]:
        """Return the known servers. Raises CredentialsUnreadable."""
        try:
            return read_document(self.file, list[KnownServer]) or []
        except msgspec.MsgspecError as error:
            raise CredentialsUnreadable(self.file) from error

    def newest(self) -> str | None:
        """Return the address of the server with the most recent sign-in."""
        return next((each.address for each in reversed(self.servers())), None)

    def token_for(self, address: str) -> str | None:
        return self._find(address).token or None

    def allows_http(self, address: str) -> bool:
        """Return whether connections to this server may be unencrypted."""
        return self._find(address).allow_http

    def add(self, address: str, token: str, *, allow_http: bool = False) -> None:
        """Store a token, replacing an older one for the same server.

        Unencrypted connections, once allowed, remain allowed until this machine is signed out.
        """
        server = KnownServer(address, token, allow_http=allow_http or self.allows_http(address))
        write_document(self.file, [*self._others(address), server])

    def allow_http(self, address: str) -> None:
        """Allow unencrypted connections to a server, as long as this machine is signed in to it."""
        if token := self.token_for(address):
            self.add(address, token, allow_http=True)

    def require_writable(self) -> None:
        """Raise CredentialsUnwritable if credentials cannot be stored, before the user signs in."""
        try:
            self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.file.parent):
                pass
        except OSError as error:
            raise CredentialsUnwritable(self.file.parent, error) from error

    def remove(self, address: str) -> None:
        write_document(self.file, self._others(address))

    def _find(self, address: str) -> KnownServer:
        return next((each for each in self.servers() if each.address == address), KnownServer(address, ""))

    def _others(self, address: str) -> list[KnownServer]:
        return [each for each in self.servers() if each.address != address]


def address_of(text: str) -> str:
    """Return a server's normalized address. The default scheme is https, but http for a server on this machine.

    Raises ServerUnavailable if it is invalid.
    """
    try:
        is_local = "://" not in text and is_loopback(urlsplit(f"//{text}").hostname or "")
        return normalized(f"http://{text}" if is_local else text)
    except ValueError as error:
        raise ServerUnavailable(
            "That is not a valid server address. Use the form https://games.example.org."
        ) from error
