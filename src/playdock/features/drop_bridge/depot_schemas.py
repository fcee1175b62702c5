"""Wire types of clients of Drop 0.4, with Drop's names."""

from typing import Annotated

from msgspec import Meta

from playdock.features.drop_bridge import rules
from playdock.features.drop_bridge.schemas import DropResponse
from playdock.kit.bodies import Query
from playdock.kit.fields import Id
from playdock.models import Version


class PreviousQuery(Query):
    """The installed version, if there is one."""

    previous: Annotated[str, Meta(max_length=64)] = ""


class V2Size(DropResponse):
    """The sizes of an installation and of its download, in bytes."""

    install_size: int
    download_size: int


class V2Option(DropResponse):
    """A version for one platform that clients of Drop 0.4 can install."""

    game_id: Id
    version_id: Id
    display_name: str
    version_path: str
    platform: str
    size: V2Size
    required_content: list[str]


class V2Launch(DropResponse):
    """A command that starts the game."""

    launch_id: Id
    name: str
    command: str
    platform: str
    umu_id_override: str | None
    emulator: None


class V2Setup(DropResponse):
    """A command that sets the game up."""

    command: str
    platform: str


class V2Version(DropResponse):
    """A version for clients of Drop 0.4."""

    game_id: Id
    version_id: Id
    display_name: str
    version_path: str
    version_index: int
    delta: bool
    only_setup: bool
    launches: list[V2Launch]
    setups: list[V2Setup]
    required_content: list[str]

    @classmethod
    def of(cls, row: Version) -> "V2Version":
        start = rules.command_line(row.launch, row.launch_args, platform=row.platform)
        setup = rules.command_line(row.setup, row.setup_args, platform=row.platform)
        launch = V2Launch(
            launch_id=row.id,
            name=row.name,
            command=start,
            platform=row.platform,
            umu_id_override=row.compat_id,
            emulator=None,
        )
        return cls(
            game_id=row.game_id,
            version_id=row.id,
            display_name=row.name,
            version_path=row.name,
            version_index=row.position,
            delta=row.delta,
            only_setup=row.only_setup,
            launches=[launch] if row.launch else [],
            setups=[V2Setup(command=setup, platform=row.platform)] if row.setup else [],
            required_content=[],
        )


class V2Piece(DropResponse):
    """A part of a file."""

    filename: str
    start: int
    length: int
    permissions: int


class V2Chunk(DropResponse):
    """An encrypted chunk, with the SHA-256 of its plain content."""

    checksum: str
    iv: list[int]
    files: list[V2Piece]


class V2Manifest(DropResponse):
    """The chunks with files of one version."""

    version: str
    size: int
    key: list[int]
    chunks: dict[str, V2Chunk]


class V2Bundle(DropResponse):
    """What is needed for an installation: the version of each of its files, and the chunks of these versions."""

    file_list: dict[str, str]
    manifests: dict[str, V2Manifest]
    install_size: int
    download_size: int


class DepotResponse(DropResponse):
    """The address of a depot."""

    endpoint: str


class DepotVersion(DropResponse):
    """A version in a depot."""

    version_id: Id
    compression: str


class DepotListing(DropResponse):
    """The versions in a depot by the ids of their games."""

    content: dict[str, list[DepotVersion]]
