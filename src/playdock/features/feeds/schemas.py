"""Wire types of the library feed, version 1. Fields may be added; a change of their meaning is a new version."""

from enum import StrEnum
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from playdock import stored
from playdock.content.programs import Platform
from playdock.domain.game_metadata.queries import CompleteGame, ShownPicture
from playdock.domain.game_metadata.schemas import (
    AgeRatingResponse,
    ReleaseResponse,
    WebsiteResponse,
    age_ratings_of,
    websites_of,
)
from playdock.kit.bodies import Query, ResponseBody
from playdock.kit.clock import timestamp
from playdock.kit.fields import Bytes, GameTitle, Id, Timestamp, VersionTitle
from playdock.metadata.game_metadata import Role, TagKind
from playdock.models import Version
from playdock.stored import StoredRendition

FEED_VERSION = 1
FEED_ROLES = frozenset((Role.COVER, Role.BANNER, Role.ICON, Role.LOGO))
Address = Annotated[str, Meta(examples=["https://games.example.org/api/v1/object/3f1f0c52"])]
Program = Annotated[str, Meta(examples=["usr/games/supertuxkart"])]
Arguments = Annotated[str, Meta(examples=["--fullscreen"])]


class FeedScope(StrEnum):
    """Which games a feed lists."""

    LIBRARY = "library"
    ALL = "all"


class FeedQuery(Query):
    """The games of a feed, and the page."""

    scope: Annotated[
        FeedScope | UnsetType, Meta(description="library: the games in your library, the default; all: all games.")
    ] = UNSET
    platform: Annotated[
        Platform | UnsetType, Meta(description="Windows, Linux or macOS; games must have a version for it.")
    ] = UNSET
    limit: Annotated[int, Meta(ge=1, le=500, description="The maximum number of games to return.")] = 200
    after: Annotated[
        str,
        Meta(pattern="^[A-Za-z0-9_-]*$", max_length=4096, description="The `next` of the previous page."),
    ] = ""


class LutrisSource(StrEnum):
    """Where an installer script of Lutris gets the files from."""

    ARCHIVE = "archive"
    CLIENT = "client"


class LutrisQuery(Query):
    """The version that is installed, and where its files come from."""

    version: Annotated[
        str, Meta(max_length=64, description="The id of a version; default: the newest for Linux, else for Windows.")
    ] = ""
    source: Annotated[
        LutrisSource | UnsetType,
        Meta(
            description="archive, the default: Lutris asks for the ZIP archive of the version, which people download "
            "before; client: playdock-client, which must be signed in, installs the game."
        ),
    ] = UNSET


class FeedImage(ResponseBody):
    """An image: its largest WebP. Fetching it requires the permission `user:object:read`."""

    url: Address
    width: Annotated[int, Meta(examples=[600])]
    height: Annotated[int, Meta(examples=[900])]
    media_type: Annotated[str, Meta(examples=["image/webp"])]


class FeedVersion(ResponseBody):
    """A version with its programs, which are paths in the installation, and where its files are.

    `size` is the bytes of its own files, `installedSize` those of the whole installation. Downloads require the
    permission `user:content:read`.
    """

    id: Id
    name: VersionTitle
    platform: Platform
    created: Timestamp
    size: Bytes
    installed_size: Bytes
    only_setup: bool
    launch: Program
    launch_args: Arguments
    setup: Annotated[str, Meta(examples=[""])]
    setup_args: Annotated[str, Meta(examples=[""])]
    compat_id: str | None
    archive_url: Address
    manifest_url: Address


class FeedGame(ResponseBody):
    """A game with its versions, oldest first. `description` is Markdown; `rating` is from 0 to 1.

    `installUrl` opens Playdock's client, and `pageUrl` the game's page in a browser.
    """

    id: Id
    name: GameTitle
    sort_name: Annotated[str, Meta(examples=["supertuxkart"])]
    short_description: Annotated[str, Meta(examples=["Karts. Nitro. Action!"])]
    description: Annotated[str, Meta(examples=["A kart racer with **many** tracks."])]
    released: ReleaseResponse | None
    developers: list[Annotated[str, Meta(examples=["SuperTuxKart Team"])]]
    publishers: list[Annotated[str, Meta(examples=["SuperTuxKart Team"])]]
    genres: list[Annotated[str, Meta(examples=["Racing"])]]
    tags: list[Annotated[str, Meta(examples=["Karting"])]]
    rating: Annotated[float, Meta(examples=[0.79])] | None
    age_ratings: list[AgeRatingResponse]
    websites: list[WebsiteResponse]
    external_ids: Annotated[dict[str, str], Meta(examples=[{"IGDB": "3262"}])]
    cover: FeedImage | None
    banner: FeedImage | None
    icon: FeedImage | None
    logo: FeedImage | None
    added: Timestamp
    updated: Timestamp | None
    page_url: Address
    install_url: Annotated[str, Meta(examples=["playdock://install/https%3A%2F%2Fgames.example.org/3f1f0c52"])]
    versions: list[FeedVersion]


class LibraryFeed(ResponseBody):
    """A page of games by name, their total number, and the cursor of the next page, null on the last page."""

    version: Annotated[int, Meta(description="The version of the feed.", examples=[FEED_VERSION])]
    games: list[FeedGame]
    total: Annotated[int, Meta(examples=[312])]
    next: Annotated[str, Meta(examples=["WyJuYW1lIiwiYXNjIiwic3VwZXIiLCIzZjFmIl0"])] | None


class PlayniteLink(Struct, rename="pascal"):
    """A link of Playnite."""

    name: Annotated[str, Meta(examples=["official"])]
    url: Address


class PlayniteAction(Struct, rename="pascal"):
    """A way to start something: Playnite's `GameAction` of the type `URL`."""

    name: Annotated[str, Meta(examples=["Install with Playdock"])]
    type: Annotated[str, Meta(examples=["URL"])]
    path: Annotated[str, Meta(examples=["playdock://install/https%3A%2F%2Fgames.example.org/3f1f0c52"])]
    is_play_action: Annotated[bool, Meta(examples=[False])]


class PlayniteGame(Struct, rename="pascal"):
    """A game with the property names of Playnite's `GameMetadata`.

    Names in lists become a `MetadataNameProperty`, platforms a `MetadataSpecProperty`, images a `MetadataFile`.
    `Description` is HTML, `CommunityScore` is from 0 to 100, and `InstallSize` is in bytes.
    """

    game_id: Id
    name: GameTitle
    sorting_name: Annotated[str, Meta(examples=["supertuxkart"])]
    source: Annotated[str, Meta(examples=["Playdock"])]
    description: Annotated[str, Meta(examples=["<p>A kart racer.</p>"])]
    release_date: Annotated[str, Meta(examples=["2006-9-8"])] | None
    developers: list[Annotated[str, Meta(examples=["SuperTuxKart Team"])]]
    publishers: list[Annotated[str, Meta(examples=["SuperTuxKart Team"])]]
    genres: list[Annotated[str, Meta(examples=["Racing"])]]
    tags: list[Annotated[str, Meta(examples=["Karting"])]]
    age_ratings: list[Annotated[str, Meta(examples=["PEGI 3"])]]
    platforms: list[Annotated[str, Meta(examples=["pc_windows"])]]
    community_score: Annotated[int, Meta(examples=[79])] | None
    install_size: Bytes
    is_installed: Annotated[bool, Meta(examples=[False])]
    version: VersionTitle
    cover_image: Address | None
    background_image: Address | None
    icon: Address | None
    links: list[PlayniteLink]
    game_actions: list[PlayniteAction]


class FeedLinks(Struct, frozen=True):
    """What addresses in a feed begin with: those of the server, and links that open the client."""

    server: str
    client: str


def game_of(rows: CompleteGame, links: FeedLinks) -> FeedGame:
    """Return a game as feeds show it."""
    game, pictures = rows.game, {each.role: _image(each, links) for each in reversed(rows.pictures)}
    return FeedGame(
        id=game.id,
        name=game.name,
        sort_name=game.sort_name,
        short_description=game.short_description,
        description=game.description,
        released=ReleaseResponse.of(game),
        developers=list(rows.companies_as("developer")),
        publishers=list(rows.companies_as("publisher")),
        genres=[tag.name for tag in rows.tags if tag.kind == TagKind.GENRE],
        tags=[tag.name for tag in rows.tags if tag.kind != TagKind.GENRE],
        rating=game.rating,
        age_ratings=age_ratings_of(game),
        websites=websites_of(game),
        external_ids=game.external_ids,
        cover=pictures.get(Role.COVER),
        banner=pictures.get(Role.BANNER),
        icon=pictures.get(Role.ICON),
        logo=pictures.get(Role.LOGO),
        added=timestamp(game.created),
        updated=timestamp(game.updated) if game.updated else None,
        page_url=f"{links.server}/games/{game.id}",
        install_url=f"{links.client}/{game.id}",
        versions=[_version(row, links) for row in rows.versions],
    )


def _image(picture: ShownPicture, links: FeedLinks) -> FeedImage:
    renditions = stored.decode_list(picture.renditions, StoredRendition)
    largest = next((each for each in renditions if each.object_id == picture.id), renditions[-1])
    url = f"{links.server}/api/v1/object/{largest.object_id}"
    return FeedImage(url=url, width=largest.width, height=largest.height, media_type=largest.media_type)


def _version(row: Version, links: FeedLinks) -> FeedVersion:
    address = f"{links.server}/api/v1/versions/{row.id}"
    return FeedVersion(
        id=row.id,
        name=row.name,
        platform=Platform(row.platform),
        created=timestamp(row.created),
        size=row.size,
        installed_size=row.installed_size,
        only_setup=row.only_setup,
        launch=row.launch,
        launch_args=row.launch_args,
        setup=row.setup,
        setup_args=row.setup_args,
        compat_id=row.compat_id,
        archive_url=f"{address}/archive.zip",
        manifest_url=f"{address}/manifest",
    )
