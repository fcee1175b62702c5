"""Which servers this machine is signed in to. A token leaves this file only to go to its own server."""

import ipaddress
import tempfile
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from playdock_client.documents import read_document, write_document
from playdock_client.errors import ClientError, ServerAway
from playdock_client.places import HOME_VARIABLE
from playdock_client.transport import origin

TOKEN_VARIABLE = "PLAYDOCK_TOKEN"  # noqa: S105 - the name of a variable


class CredentialsUnreadable(ClientError):
    """The file with the sign-ins is not what we wrote."""

    def __init__(self, file: Path) -> None:
        super().__init__(f"The file {file} with the sign-ins cannot be read. Remove it and sign in again.")


class CredentialsUnwritable(ClientError):
    """There is no place for the sign-ins."""

    def __init__(self, folder: Path, trouble: OSError) -> None:
        super().__init__(
            f"The sign-in cannot be kept in {folder}: {trouble.strerror or trouble}. Make that folder writable, or "
            f"name another one in {HOME_VARIABLE}."
        )


class KnownServer(msgspec.Struct, frozen=True):
    """A server, and the token that it gave to this machine."""

    address: str
    token: str

    def __repr__(self) -> str:
        return f"KnownServer({self.address!r})"


@dataclass(frozen=True, slots=True)
class Credentials:
    """The sign-ins, the newest last, in one file that only its owner can read."""

    file: Path

    def servers(self) -> list[KnownServer]:
        """Give what the file holds. Raises CredentialsUnreadable."""
        try:
            return read_document(self.file, list[KnownServer]) or []
        except msgspec.MsgspecError as error:
            raise CredentialsUnreadable(self.file) from error

    def newest(self) -> str | None:
        """Give the address of the server that was signed in to last."""
        servers = self.servers()
        return servers[-1].address if servers else None

    def token_for(self, address: str) -> str | None:
        return next((each.token for each in self.servers() if each.address == address), None)

    def add(self, address: str, token: str) -> None:
        """Keep a sign-in, in place of an older one at the same server."""
        others = [each for each in self.servers() if each.address != address]
        write_document(self.file, [*others, KnownServer(address, token)])

    def require_writable(self) -> None:
        """Raises CredentialsUnwritable if no sign-in can be kept, which is good to know before there is one."""
        try:
            self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.file.parent):
                pass
        except OSError as error:
            raise CredentialsUnwritable(self.file.parent, error) from error

    def remove(self, address: str) -> None:
        write_document(self.file, [each for each in self.servers() if each.address != address])


def address_of(text: str) -> str:
    """Give a server's address in its regular form; where no scheme is given, a server on this machine has no TLS.

    Raises ServerAway if it is none.
    """
    try:
        here = "://" not in text and _is_here(urlsplit(f"//{text}").hostname or "")
        return origin(f"http://{text}" if here else text)
    except ValueError as error:
        raise ServerAway("That is not the address of a server. Write it like https://games.example.org.") from error


def travels_openly(address: str) -> bool:
    """Tell whether others on the way can read what is sent there, the token too."""
    parts = urlsplit(address)
    return parts.scheme == "http" and not _is_here(parts.hostname or "")


def _is_here(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
