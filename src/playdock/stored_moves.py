"""What JSON columns contain about versions that are moved from other servers; see `stored.py`."""

from playdock.stored import Stored, TaskArguments


class MovedCommand(Stored, frozen=True):
    """A program of a version at another server, and its arguments."""

    program: str = ""
    arguments: str = ""


class MovedVersion(Stored, frozen=True):
    """A version at another server, as in `other_servers.model.SourceVersion`."""

    name: str
    platform: str | None = None
    launches: tuple[MovedCommand, ...] = ()
    setup: MovedCommand = MovedCommand()
    only_setup: bool = False
    delta: bool = False
    compat_id: str | None = None
    beside: bool = False


class MoveVersionsArguments(TaskArguments, frozen=True):
    """Arguments of ``move:versions``: the kind of server, the id of the game here and its key there.

    ``waiting`` are the names of the versions that are to be imported after others.
    """

    server: str
    game: str
    key: str
    versions: tuple[MovedVersion, ...]
    waiting: tuple[str, ...] = ()


def moved_versions_subject(game_id: str) -> str:
    """Return the subject of importing the versions that a game had at another server."""
    return f"moved-versions:{game_id}"
