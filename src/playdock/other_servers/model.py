"""What is moved from another server, in the form that all readers share.

A ``key`` is the id of a row at the other server; it is unique among the rows of its kind.
"""

from collections.abc import Mapping
from datetime import datetime

from msgspec import Struct, field

from playdock.content.programs import Platform
from playdock.domain.libraries.schemas import BackendKind
from playdock.domain.play_records.rules import PlayStatus
from playdock.metadata.game_metadata import GameMetadata, Role

# How many slots a user has for a game here.
MAX_SLOTS = 5


class SourceUser(Struct, frozen=True):
    """A user. ``password`` is a hash in the other server's form, empty if there is none.

    ``picture`` is the path of the profile picture in the folder with objects, empty without one. ``identity`` is the
    id at the OpenID provider, if the provider is the same: issuer and subject. ``subject`` is the second part alone,
    where the other server does not store the first. Limits of downloads are None if they are the server's.
    """

    key: str
    username: str
    display_name: str
    email: str
    admin: bool
    enabled: bool
    password: str
    picture: str = ""
    identity: str = ""
    subject: str = ""
    created: datetime | None = None
    download_rate: int | None = None
    downloads_at_once: int | None = None


class SourceLibrary(Struct, frozen=True):
    """A folder with games, as the other server sees it; ``layout`` is that of a folder, not of a bucket.

    ``ignore`` are names in it that are no games, such as folders that are libraries themselves. The last three are as
    in a library here.
    """

    key: str
    name: str
    base_dir: str
    layout: BackendKind = BackendKind.FILESYSTEM
    ignore: tuple[str, ...] = ()
    managed: bool = False
    import_games: bool = False
    import_versions: bool = False


class Command(Struct, frozen=True):
    """A program of a version, and its arguments."""

    program: str = ""
    arguments: str = ""


class SourceVersion(Struct, frozen=True):
    """A version; ``name`` is that of its folder or archive, which is in the folder of its game, or ``beside`` it.

    ``launches`` are readings of one command, because a text does not say where the program ends and arguments begin.
    Without a platform, program and platform are guessed from the files.
    """

    name: str
    platform: Platform | None = None
    launches: tuple[Command, ...] = ()
    setup: Command = Command()
    only_setup: bool = False
    delta: bool = False
    compat_id: str | None = None
    beside: bool = False

    @property
    def commands(self) -> str:
        """The commands, for people."""
        known = (*self.launches[:1], self.setup)
        return " and ".join(f"{each.program} {each.arguments}".strip() for each in known if each.program)


class SourceImage(Struct, frozen=True):
    """An image of a game; ``path`` is its place in the folder with objects.

    ``source`` is the provider that it came from if that is not the game's, ``address`` its URL there, and ``credit``
    its author.
    """

    role: Role
    path: str
    source: str = ""
    address: str = ""
    credit: str = ""


class SourceGame(Struct, frozen=True):
    """A game at ``path`` of a library.

    ``source`` and ``metadata_id`` identify it at a metadata provider; without one, ``source`` is ``Manual``.
    ``versions`` are in the order in which they were released, oldest first. ``sources`` are the sources of fields, if
    they are known, ``added`` is when the game was added. ``layout`` is that of its folder, if it is known.
    """

    key: str
    library: str
    path: str
    facts: GameMetadata
    source: str
    metadata_id: str
    images: tuple[SourceImage, ...] = ()
    featured: bool = False
    versions: tuple[SourceVersion, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)
    added: datetime | None = None
    layout: BackendKind | None = None


class SourceCollection(Struct, frozen=True):
    """A user's collection; the default one is the user's own library. ``added`` are the times of games, if known."""

    key: str
    user: str
    name: str
    is_default: bool
    games: tuple[str, ...]
    added: Mapping[str, datetime] = field(default_factory=dict)


class SourceSession(Struct, frozen=True):
    """A run of a game, or all runs together: ``started`` is the beginning of the last one, None if it is unknown.

    The key is unique among those of a user, and becomes the id here.
    """

    key: str
    started: datetime | None
    seconds: int


class SourcePlayRecord(Struct, frozen=True):
    """How long a user has played a game, and what the user notes about it."""

    user: str
    game: str
    sessions: tuple[SourceSession, ...] = ()
    status: PlayStatus | None = None
    note: str = ""

    @property
    def key(self) -> str:
        return f"{self.user}:{self.game}"


class SourceSave(Struct, frozen=True):
    """A saved game; ``path`` is its place in the folder with objects, or in the one with saved games.

    ``position`` orders the saves of a slot, oldest first; one ``aside`` was kept beside a newer one. ``checksum`` is
    the SHA-256 in hexadecimal, empty if the other server does not know it. ``device`` is the name of a device, or
    empty. ``created`` is None if only the file has a time.
    """

    key: str
    path: str
    checksum: str
    position: int
    created: datetime | None = None
    aside: bool = False
    device: str = ""


class SourceSaveSlot(Struct, frozen=True):
    """The saves of a user for a game in one slot; numbers begin with 0."""

    user: str
    game: str
    number: int
    saves: tuple[SourceSave, ...]


class SourceToken(Struct, frozen=True):
    """An API token, by the SHA-256 of its secret in hexadecimal. Without a ``user`` it belongs to the whole server.

    ``permissions`` are named as here. ``expires`` is None if it does not expire.
    """

    key: str
    user: str
    name: str
    digest: str
    permissions: tuple[str, ...]
    expires: datetime | None = None


class SourceInvitation(Struct, frozen=True):
    """An invitation; its key is the secret of its link."""

    key: str
    admin: bool
    username: str | None
    email: str | None
    expires: datetime


class Omission(Struct, frozen=True):
    """Something that is not moved, how many there are of it, and why."""

    what: str
    count: int
    reason: str


class SourceServer(Struct, frozen=True):
    """All that is moved from another server, and what is not: counted, or ``left_out`` there already."""

    name: str
    users: tuple[SourceUser, ...] = ()
    libraries: tuple[SourceLibrary, ...] = ()
    games: tuple[SourceGame, ...] = ()
    collections: tuple[SourceCollection, ...] = ()
    invitations: tuple[SourceInvitation, ...] = ()
    play_records: tuple[SourcePlayRecord, ...] = ()
    save_slots: tuple[SourceSaveSlot, ...] = ()
    tokens: tuple[SourceToken, ...] = ()
    omissions: tuple[Omission, ...] = ()
    left_out: tuple[str, ...] = ()
