"""What the server answers, as far as the client reads it. Fields it does not know are passed over."""

from typing import Literal

import msgspec

Platform = Literal["Windows", "Linux", "macOS"]


class Answer(msgspec.Struct, frozen=True, rename="camel"):
    """An answer of the interface: camelCase on the wire."""


class UserInfo(Answer, frozen=True):
    """Who is signed in."""

    id: str
    username: str
    display_name: str = ""


class VersionInfo(Answer, frozen=True):
    """A version of a game; sizes are bytes, of its own files and of the whole installation.

    `base_id` is the version that a delta lies over.
    """

    id: str
    name: str
    platform: str
    delta: bool = False
    base_id: str | None = None
    size: int = 0
    installed_size: int = 0
    created: str = ""
    only_setup: bool = False
    launch: str = ""
    launch_args: str = ""
    setup: str = ""
    setup_args: str = ""
    compat_id: str | None = None


class GameInfo(Answer, frozen=True):
    """A game, as much as an installation remembers of it."""

    id: str
    name: str


class FoundGame(GameInfo, frozen=True):
    """A game as a search finds it."""

    short_description: str = ""
    platforms: tuple[str, ...] = ()


class GamePage(FoundGame, frozen=True):
    """What the store tells of a game; `description` is Markdown, `versions` are sorted, oldest first."""

    description: str = ""
    versions: tuple[VersionInfo, ...] = ()


class ServerLimits(Answer, frozen=True):
    """What the server allows all together: bytes a second and transfers at once, None where there is no limit."""

    download_rate: int | None = None
    downloads_at_once: int | None = None
    running: int = 0


class Limits(ServerLimits, frozen=True):
    """What the server allows this user, and all together."""

    server: ServerLimits = ServerLimits()


class DeviceInfo(Answer, frozen=True):
    """A signed-in device; `current` is the one that asks."""

    id: str
    name: str = ""
    platform: str | None = None
    created: str = ""
    seen: str | None = None
    current: bool = False


class SignIn(msgspec.Struct, frozen=True):
    """A sign-in that has begun (RFC 8628, section 3.2); times are seconds."""

    device_code: str
    user_code: str
    verification_uri: str
    expires_in: int
    verification_uri_complete: str = ""
    interval: int = 5


Span = tuple[str, int, int]


class Segment(Answer, frozen=True):
    """A part of a patch: a zstd frame at `offset` of the set's bytes, `plain` bytes large when unpacked.

    `old` are spans (path, offset, length) of the old installation that together are the frame's prefix, `new` those of
    the new installation that its bytes fill, in order.
    """

    offset: int
    length: int
    plain: int
    old: tuple[Span, ...]
    new: tuple[Span, ...]


class PatchSet(Answer, frozen=True):
    """What turns one version into another, made for the manifests with these ETags."""

    id: str
    from_etag: str
    to_etag: str
    size: int
    segments: tuple[Segment, ...]
