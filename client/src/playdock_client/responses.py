"""Response types of the API, as far as the client uses them. Unknown fields are ignored."""

import msgspec

# The name of the only version of a game without folders for versions.
_ONLY_VERSION = "default"


class ApiStruct(msgspec.Struct, frozen=True, rename="camel"):
    """A part of an API response, in camelCase on the wire."""


class SaveInfo(ApiStruct, frozen=True):
    """A saved game on the server. `newest` is what devices download; `aside` was kept in a conflict."""

    id: str
    slot: int
    newest: bool
    aside: bool
    size: int
    sha256: str
    created: str
    device: str | None = None


class SaveList(ApiStruct, frozen=True):
    """The saved games of the user for one game, the newest first."""

    saves: tuple[SaveInfo, ...]


class UserInfo(ApiStruct, frozen=True):
    """The signed-in user."""

    id: str
    username: str
    display_name: str = ""


class VersionInfo(ApiStruct, frozen=True):
    """A version of a game. Sizes are in bytes, of its own files and of the whole installation.

    `base_id` is the version that a delta is based on. `label` is what the pages call it, if that is not its `name`.
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
    label: str = ""

    @property
    def title(self) -> str:
        """What people call the version."""
        return self.label or self.name

    @property
    def summary(self) -> str:
        """What people call the version, with its platform; only the platform if nothing says which version it is."""
        return self.platform if self.is_unnamed else f"{self.title} ({self.platform})"

    @property
    def is_unnamed(self) -> bool:
        """Return whether neither a label nor the name of a folder or an archive says which version it is."""
        return self.name == _ONLY_VERSION and not self.label

    def title_with(self, game: str) -> str:
        """Return what people call the version of a game; only the game if nothing says which version it is."""
        return game if self.is_unnamed else f"{game} {self.title}"


class GameInfo(ApiStruct, frozen=True):
    """The id and name of a game, as stored in an installation."""

    id: str
    name: str


class GameSummary(GameInfo, frozen=True):
    """A game in search results."""

    short_description: str = ""
    platforms: tuple[str, ...] = ()


class GamePage(GameSummary, frozen=True):
    """A game's page in the store. `description` is Markdown; `versions` are sorted, oldest first."""

    description: str = ""
    versions: tuple[VersionInfo, ...] = ()


class StorePage(ApiStruct, frozen=True):
    """A page of search results."""

    games: tuple[GameSummary, ...]
    next: str | None = None


class FeedImage(ApiStruct, frozen=True):
    """An image of a game in a library; `url` is absolute, and `Server.object` fetches its last part."""

    url: str
    width: int
    height: int


class FeedGame(GamePage, frozen=True):
    """A game in a library. `rating` is from 0 to 1; `install_url` opens the client on any page."""

    developers: tuple[str, ...] = ()
    publishers: tuple[str, ...] = ()
    genres: tuple[str, ...] = ()
    rating: float | None = None
    external_ids: dict[str, str] = {}
    cover: FeedImage | None = None
    page_url: str = ""
    install_url: str = ""


class FeedPage(ApiStruct, frozen=True):
    """A page of a library."""

    games: tuple[FeedGame, ...]
    next: str | None = None


class RenditionInfo(ApiStruct, frozen=True):
    """A stored size of a picture, in pixels."""

    media_type: str
    width: int
    height: int
    object_id: str


class PictureInfo(ApiStruct, frozen=True):
    """A picture in its stored sizes."""

    renditions: tuple[RenditionInfo, ...] = ()


class GamePictures(ApiStruct, frozen=True):
    """The pictures on a game's page."""

    cover: PictureInfo | None = None
    banner: PictureInfo | None = None
    icon: PictureInfo | None = None
    logo: PictureInfo | None = None


class ServerLimits(ApiStruct, frozen=True):
    """The server's total limits: bytes per second and simultaneous transfers, None for no limit."""

    download_rate: int | None = None
    downloads_at_once: int | None = None
    running: int = 0


class Limits(ServerLimits, frozen=True):
    """The limits of this user and of the server."""

    server: ServerLimits = ServerLimits()


class MirrorList(ApiStruct, frozen=True):
    """Where copies of a version image are, best first. The ticket, without which there are none, opens only these.

    `expires_in` is in seconds, `file_links` whether there are links to large files.
    """

    etag: str
    mirrors: tuple[str, ...] = ()
    ticket: str | None = None
    expires_in: int | None = None
    file_links: bool = False


class FileLink(ApiStruct, frozen=True):
    """A link to a file of `size` bytes, which begin at the byte `start` of a version image."""

    start: int
    size: int
    url: str


class FileLinkList(ApiStruct, frozen=True):
    """Links to all large files with bytes of an image up to `until`. `expires_in` is in seconds."""

    until: int
    expires_in: int
    links: tuple[FileLink, ...] = ()


class DeviceInfo(ApiStruct, frozen=True):
    """A signed-in device; `current` marks this one."""

    id: str
    name: str = ""
    platform: str | None = None
    created: str = ""
    seen: str | None = None
    current: bool = False


class QueuedGame(ApiStruct, frozen=True):
    """A game that the player wants on this device, chosen on another one."""

    game_id: str
    game_name: str


class AccessToken(msgspec.Struct, frozen=True):
    """A device token, as OAuth sends it."""

    access_token: str


class SignIn(msgspec.Struct, frozen=True):
    """A started sign-in (RFC 8628, section 3.2). Times are in seconds."""

    device_code: str
    user_code: str
    verification_uri: str
    expires_in: int
    verification_uri_complete: str = ""
    interval: int = 5


class ServerProfile(msgspec.Struct, frozen=True):
    """What a server calls itself."""

    name: str = ""


Span = tuple[str, int, int]


class Segment(ApiStruct, frozen=True):
    """A part of a patch: a zstd frame at `offset` of the set's bytes, `plain` bytes when decompressed.

    `old` are the spans (path, offset, length) of the old installation that form the frame's dictionary, `new` those of
    the new installation that its content fills, in order.
    """

    offset: int
    length: int
    plain: int
    old: tuple[Span, ...]
    new: tuple[Span, ...]


class PatchSet(ApiStruct, frozen=True):
    """The patches from one version to another, valid for the manifests with these ETags.

    Frames of `differences` have no dictionary; they decompress to what `differences.py` applies to the old spans.
    """

    id: str
    from_etag: str
    to_etag: str
    size: int
    segments: tuple[Segment, ...]
    differences: tuple[Segment, ...] = ()
