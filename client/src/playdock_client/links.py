"""Links that open the client: ``playdock://install/<server>/<game>``, with the server's address percent-encoded.

Any page can contain such a link, so it only names a game of a server; what happens is for the player to confirm.
"""

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote

from playdock_client.errors import ClientError
from playdock_client.transport import normalized

SCHEME = "playdock"
_LINK = re.compile(r"playdock://install/([A-Za-z0-9%._~-]+)/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/?")
# Browsers shorten addresses beyond this length.
_MAX_LENGTH = 2000


class InvalidLink(ClientError):
    """The link is not one that this client understands."""


@dataclass(frozen=True, slots=True)
class InstallLink:
    """A link to install a game: the normalized address of its server, and its id."""

    server: str
    game: str

    def __str__(self) -> str:
        return f"{SCHEME}://install/{quote(self.server, safe='')}/{self.game}"


def parse_link(text: str) -> InstallLink:
    """Return what a link names. Raises InvalidLink unless it has exactly the expected form."""
    found = _LINK.fullmatch(text) if len(text) <= _MAX_LENGTH else None
    if found is None:
        raise InvalidLink(f"The link is not of the form {SCHEME}://install/SERVER/GAME.")
    # What is not UTF-8 is replaced by a character that no address contains.
    address = unquote(found[1])
    try:
        server = normalized(address)
    except (ClientError, ValueError) as error:
        raise InvalidLink("The link does not contain a valid server address.") from error
    if server != address:
        raise InvalidLink("The link does not contain a valid server address.")
    return InstallLink(server, found[2])
