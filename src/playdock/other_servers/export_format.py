"""The files of an export, version 4; `docs/export-format.md` describes them.

An export is a folder. Each file ``….jsonl`` has one record per line; images are files below ``images``, saves below
``saves``. `INFO` is written last, so an export without it is incomplete.
"""

from collections.abc import Mapping
from datetime import date, datetime
from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from playdock.content.programs import Platform
from playdock.domain.game_requests.rules import RequestStatus
from playdock.domain.libraries.schemas import BackendKind
from playdock.domain.play_records.rules import PlayStatus
from playdock.metadata.game_metadata import Precision, Role, TagKind
from playdock.other_servers.model import MAX_SLOTS

NAME = "playdock-export"
VERSION = 4
READABLE = (1, 2, 3, VERSION)
INFO = "export.json"
IMAGES = "images"
SAVES = "saves"

Moment = Annotated[datetime, Meta(tz=True)]


class Scope(StrEnum):
    """Whose things an export contains: those of all people of a server, or of one person."""

    SERVER = "server"
    PERSON = "person"


class Exported(Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """The base of all records. A reader of this version refuses fields that it does not know."""


class ExportedFile(Exported, frozen=True):
    """How many records a file has, and the SHA-256 of its bytes."""

    records: int
    sha256: str


class NotExported(Exported, frozen=True):
    """Something that is not exported, and why."""

    what: str
    reason: str


class ExportInfo(Exported, frozen=True):
    """What an export is; ``server`` is the address of the exported server, ``release`` that of Playdock there."""

    format: str
    version: int
    release: str
    scope: Scope
    server: str
    created: Moment
    files: Mapping[str, ExportedFile]
    left_out: tuple[NotExported, ...]


class ExportedUser(Exported, frozen=True):
    """A user. ``password`` is a hash and ``identity`` the id at the OpenID provider; a person's own export has neither.

    ``picture`` is the path of an image. ``download_rate`` is in bytes per second; null selects the server's default.
    """

    id: str
    username: str
    display_name: str
    email: str
    admin: bool
    enabled: bool
    created: Moment
    download_rate: int | None
    downloads_at_once: int | None
    picture: str
    password: str | None = None
    identity: str | None = None


class ExportedRules(Exported, frozen=True):
    """What is imported from a library without an administrator."""

    import_games: bool
    import_versions: bool
    ignore: tuple[str, ...]


class ExportedLibrary(Exported, frozen=True):
    """A library; ``folder`` is an absolute path or an S3 URL. Uploads are possible if it is ``managed``."""

    id: str
    name: str
    backend: BackendKind
    folder: str
    managed: bool
    rules: ExportedRules


class ExportedRelease(Exported, frozen=True):
    """The day on which a game was released, and how precise it is."""

    date: date
    precision: Precision


class ExportedTag(Exported, frozen=True):
    """A term that describes a game."""

    kind: TagKind
    name: str


class ExportedRating(Exported, frozen=True):
    """A rating; ``score`` is from 0 to 1, ``count`` the number of votes if it is known."""

    source: str
    score: float
    count: int | None
    url: str


class ExportedAgeRating(Exported, frozen=True):
    """An age rating in the words of the rating board."""

    board: str
    value: str
    descriptors: tuple[str, ...]


class ExportedWebsite(Exported, frozen=True):
    """A page about a game."""

    kind: str
    url: str


class ExportedImage(Exported, frozen=True):
    """An image that a game shows in a role; ``file`` is its path, ``address`` where it was downloaded from."""

    role: Role
    file: str
    source: str
    address: str
    credit: str


class ExportedVersion(Exported, frozen=True, kw_only=True):
    """A version; ``name`` is that of its folder or archive. Sizes are in bytes and only for information.

    ``beside`` is whether that is beside the folder of its game; versions 1 to 3 do not have it.
    """

    name: str
    beside: bool = False
    platform: Platform
    delta: bool
    only_setup: bool
    launch: str
    launch_args: str
    setup: str
    setup_args: str
    compat_id: str | None
    size: int
    created: Moment


class ExportedGame(Exported, frozen=True, kw_only=True):
    """A game with its versions, oldest first.

    ``source`` and ``source_id`` identify it at a metadata provider; without one, ``source`` is ``Manual``. ``sources``
    is the source of each field, ``path`` the name of its folder in the library. ``layout`` is the backend with which
    the folder was read when it was imported, null for that of the library; version 1 does not have it.
    """

    id: str
    library: str
    path: str
    layout: BackendKind | None = None
    name: str
    short_description: str
    description: str
    released: ExportedRelease | None
    featured: bool
    developers: tuple[str, ...]
    publishers: tuple[str, ...]
    tags: tuple[ExportedTag, ...]
    ratings: tuple[ExportedRating, ...]
    age_ratings: tuple[ExportedAgeRating, ...]
    websites: tuple[ExportedWebsite, ...]
    external_ids: Mapping[str, str]
    source: str
    source_id: str
    sources: Mapping[str, str]
    added: Moment
    images: tuple[ExportedImage, ...]
    versions: tuple[ExportedVersion, ...]


class ExportedEntry(Exported, frozen=True):
    """A game in a collection."""

    game: str
    name: str
    added: Moment


class ExportedCollection(Exported, frozen=True):
    """A collection of a user, with its games in the order in which they were added."""

    id: str
    user: str
    name: str
    is_default: bool
    created: Moment
    games: tuple[ExportedEntry, ...]


class ExportedSession(Exported, frozen=True):
    """A run of a game, or the play time of many: ``started`` is the beginning of the last one, null if unknown."""

    id: Annotated[str, Meta(min_length=1, max_length=128)]
    started: Moment | None
    seconds: Annotated[int, Meta(ge=0, le=2**31 - 1)]


class ExportedPlayRecord(Exported, frozen=True):
    """The play sessions of a user and a game, in seconds, and what the user notes about the game."""

    user: str
    game: str
    name: str
    status: PlayStatus | None
    note: str
    sessions: tuple[ExportedSession, ...]


class ExportedSave(Exported, frozen=True):
    """A save; ``file`` is the path of its bytes. ``device`` is the name of the device that uploaded it, or empty.

    ``position`` orders the saves of a slot. One ``aside`` was kept beside a newer one, and is never the newest.
    """

    id: str
    file: str
    sha256: str
    size: int
    position: Annotated[int, Meta(ge=0, lt=2**31 - 1)]
    aside: bool
    device: Annotated[str, Meta(max_length=256)]
    created: Moment


class ExportedSaveSlot(Exported, frozen=True):
    """A slot of a user for a game with its saves, oldest first."""

    user: str
    game: str
    name: str
    slot: Annotated[int, Meta(ge=0, lt=MAX_SLOTS)]
    saves: tuple[ExportedSave, ...]


class ExportedInstallation(Exported, frozen=True):
    """A game that a device has installed; ``version`` is null if the server no longer has it."""

    game: str
    name: str
    version: str | None


class ExportedDevice(Exported, frozen=True):
    """A device of a person."""

    id: str
    name: str
    platform: str
    created: Moment
    games: tuple[ExportedInstallation, ...]


class ExportedRequest(Exported, frozen=True):
    """A request for a game that a person voted for; ``own`` if the person asked for it first.

    ``source`` and ``source_id`` identify the game at a metadata provider. ``comment`` is the administrator's, ``game``
    the id of the game that fulfills the request.
    """

    id: str
    name: str
    year: int | None
    source: str | None
    source_id: str | None
    own: bool
    voted: Moment
    created: Moment
    status: RequestStatus
    comment: str
    answered: Moment | None
    game: str | None


class ExportedPreferences(Exported, frozen=True):
    """What a person wants to be notified of, and how.

    Of new games, those for one of the ``platforms`` that have one of the ``tags``; ``muted`` has types of events
    that the app does not show.
    ``channels`` has the types of events that are delivered outside of the app. Times of day are those of the
    ``time_zone``. ``verified_email`` is the address that the person has confirmed.
    """

    user: str
    platforms: tuple[str, ...]
    tags: tuple[ExportedTag, ...]
    muted: tuple[str, ...]
    channels: Mapping[str, tuple[str, ...]]
    quiet_from: str | None
    quiet_until: str | None
    digest_at: str | None
    time_zone: str
    language: str
    verified_email: str | None


# What a line of each file is. Files of a server can be imported; those after the saves are only in a person's own
# export.
RECORDS: Mapping[str, type[Exported]] = {
    "users.jsonl": ExportedUser,
    "libraries.jsonl": ExportedLibrary,
    "games.jsonl": ExportedGame,
    "collections.jsonl": ExportedCollection,
    "play_records.jsonl": ExportedPlayRecord,
    "saves.jsonl": ExportedSaveSlot,
    "devices.jsonl": ExportedDevice,
    "game_requests.jsonl": ExportedRequest,
    "notification_preferences.jsonl": ExportedPreferences,
}


# The version of the format since which an export has records of a kind, if that is not the first.
SINCE: Mapping[type[Exported], int] = {ExportedPlayRecord: 2, ExportedSaveSlot: 3}


def file_of(kind: type[Exported]) -> str:
    """Return the name of the file with records of one kind."""
    return next(name for name, each in RECORDS.items() if each is kind)


def encode_line(record: Exported) -> bytes:
    """Return a record as a line."""
    return msgspec.json.encode(record) + b"\n"
