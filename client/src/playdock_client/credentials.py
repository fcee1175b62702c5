"""The servers this machine is signed in to. A token is sent only to its own server."""

import ipaddress
import tempfile
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from playdock_client.client_folders import HOME_VARIABLE
from playdock_client.documents import read_document, write_document
from playdock_client.errors import ClientError, ServerUnavailable
from playdock_client.transport import origin

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
    """A server and this machine's token for it."""

    address: str
    token: str

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
        servers = self.servers()
        return servers[-1].address if servers else None

    def token_for(self, address: str) -> str | None:
        return next((each.token for each in self.servers() if each.address == address), None)

    def add(self, address: str, token: str) -> None:
        """Store a token, replacing an older one for the same server."""
        others = [each for each in self.servers() if each.address != address]
        write_document(self.file, [*others, KnownServer(address, token)])

    def require_writable(self) -> None:
        """Raise CredentialsUnwritable if credentials cannot be stored, before the user signs in."""
        try:
            self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.file.parent):
                pass
        except OSError as error:
            raise CredentialsUnwritable(self.file.parent, error) from error

    def remove(self, address: str) -> None:
        write_document(self.file, [each for each in self.servers() if each.address != address])


def address_of(text: str) -> str:
    """Return a server's normalized address. The default scheme is https, but http for a server on this machine.

    Raises ServerUnavailable if it is invalid.
    """
    try:
        is_local = "://" not in text and _is_loopback(urlsplit(f"//{text}").hostname or "")
        return origin(f"http://{text}" if is_local else text)
    except ValueError as error:
        raise ServerUnavailable(
            "That is not a valid server address. Use the form https://games.example.org."
        ) from error


def is_unencrypted(address: str) -> bool:
    """Return whether traffic to this address, including the token, can be read by others on the network."""
    parts = urlsplit(address)
    return parts.scheme == "http" and not _is_loopback(parts.hostname or "")


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
