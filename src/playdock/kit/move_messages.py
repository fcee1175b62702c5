"""The English sentences about moves from other servers, as in `message_catalogue`."""

from collections.abc import Mapping

MOVES: Mapping[str, str] = {
    "import-moved-versions": "Import the versions of {game} that wait for others",
    "moved-version-left-out": "Version {version} is not imported. Start the move again to see why.",
    "moved-version-other-commands": "Version {version} is imported with other commands than at the other server.",
}
