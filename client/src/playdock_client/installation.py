"""What an installation remembers of itself in `.playdock/installation.json`."""

import msgspec

from playdock_client.answers import GameInfo, VersionInfo

OWN_FOLDER = ".playdock"


class Installation(msgspec.Struct, frozen=True, rename="camel"):
    """A complete installation: where it came from and what it is. `etag` is the manifest's, without quotes."""

    server: str
    game: GameInfo
    version: VersionInfo
    etag: str
    format: int = 1
