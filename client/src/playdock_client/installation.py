"""The description of an installation in `.playdock/installation.json`."""

import msgspec

from playdock_client.responses import GameInfo, VersionInfo

OWN_FOLDER = ".playdock"
# In the environment of the processes of a game: the id of the play session.
SESSION_VARIABLE = "PLAYDOCK_SESSION"


class Installation(msgspec.Struct, frozen=True, rename="camel"):
    """A complete installation and its origin. `etag` is the manifest's, without quotes."""

    server: str
    game: GameInfo
    version: VersionInfo
    etag: str
    format: int = 1
