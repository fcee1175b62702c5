"""Wire types of Drop's clients, with Drop's names."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from playdock.features.drop_bridge import rules
from playdock.features.game_collections.queries import CollectionWithGames
from playdock.features.play_records.rules import MAX_SECONDS, MAX_UPLOADED
from playdock.features.play_records.schemas import RecordedSession, SessionId
from playdock.features.saved_games.queries import SlotWithSaves
from playdock.kit.bodies import Query, RequestBody, ResponseBody
from playdock.kit.clock import timestamp
from playdock.kit.fields import Id, Timestamp
from playdock.metadata.game_metadata import Role
from playdock.models import DeviceRequest, Game, Picture, Version

# Required by clients; the object with this id is a transparent image.
NO_IMAGE = "00000000-0000-0000-0000-000000000000"


class _DropBody(RequestBody, forbid_unknown_fields=False):
    """A request body. Releases of the client send fields that others do not know."""


class DropResponse(msgspec.Struct, kw_only=True, rename="camel"):
    """A response of Drop's protocol, which the description of this API does not contain."""


class InitiateRequest(_DropBody):
    """A client that starts signing in."""

    name: Annotated[str, Meta(max_length=256, examples=["myhost (Desktop)"])]
    platform: Annotated[str, Meta(examples=["linux"])]
    mode: Annotated[str, Meta(examples=["callback"])] = "callback"
    capabilities: Annotated[dict[str, Any], Meta(examples=[{"peerAPI": {}}])] = msgspec.field(default_factory=dict)


class CapabilityRequest(_DropBody):
    """Something that a client can do."""

    capability: Annotated[str, Meta(max_length=64, examples=["cloudSaves"])]


class HandshakeRequest(_DropBody):
    """A client that completes signing in."""

    client_id: Annotated[str, Meta(max_length=64, examples=["3f1f8f0e-0d3c-4a63-9a3e-5d7f7c2b9a10"])]
    token: Annotated[str, Meta(max_length=64, examples=["9b0e6f0a-7a55-4d0e-8f4e-2f1c2f1f0c11"])]


class HandshakeResponse(DropResponse):
    """The private key and the certificate of a client, as PEM."""

    private: str
    certificate: str
    id: str


class ClientQuery(Query):
    """The id of a sign-in."""

    id: Annotated[str, Meta(max_length=64, description="The id of the sign-in, from the client's address.")]


class CodeQuery(Query):
    """The code that a client shows."""

    code: Annotated[str, Meta(max_length=64, description="The code that the client shows, ignoring case.")]


class ClientApproval(RequestBody):
    """The approval of a sign-in."""

    id: Annotated[str, Meta(max_length=64, examples=["3f1f8f0e-0d3c-4a63-9a3e-5d7f7c2b9a10"])]


class ClientRequestResponse(ResponseBody):
    """A Drop client that waits for approval."""

    name: Annotated[str, Meta(examples=["Ada's laptop (Desktop)"])]
    platform: Annotated[str, Meta(examples=["Linux"])]
    mode: Annotated[str, Meta(examples=["callback"])]
    capabilities: Annotated[dict[str, Any], Meta(examples=[{}])]
    created: Timestamp

    @classmethod
    def of(cls, row: DeviceRequest) -> "ClientRequestResponse":
        mode = row.drop_mode or ""
        created = timestamp(row.created)
        return cls(name=row.name, platform=row.platform, mode=mode, capabilities={}, created=created)


class CallbackResponse(ResponseBody):
    """The link that returns to the client, and the text to enter there if that does not work."""

    redirect: Annotated[str, Meta(examples=["drop://handshake/3f1f8f0e-0d3c-4a63-9a3e-5d7f7c2b9a10/9b0e"])]
    token: Annotated[str, Meta(examples=["3f1f8f0e-0d3c-4a63-9a3e-5d7f7c2b9a10/9b0e"])]


class ApprovalResponse(ResponseBody):
    """The approval of a client that receives its token itself."""

    success: Annotated[bool, Meta(examples=[True])]


class DropGame(DropResponse):
    """A game. Clients of Drop 0.4 need `type` and `libraryPath` too."""

    id: Id
    type: str
    metadata_source: str
    metadata_id: str
    created: Timestamp
    m_name: str
    m_short_description: str
    m_description: str
    m_released: str | None
    m_icon_object_id: str
    m_banner_object_id: str
    m_cover_object_id: str
    m_image_library_object_ids: list[str]
    m_image_carousel_object_ids: list[str]
    featured: bool
    library_id: str
    library_path: str

    @classmethod
    def of(cls, game: Game, pictures: Mapping[str, Sequence[Picture]]) -> "DropGame":
        carousel = [picture.id for picture in pictures.get(Role.CAROUSEL, ())]
        return cls(
            id=game.id,
            type="Game",
            metadata_source=game.metadata_source,
            metadata_id=game.metadata_id,
            created=timestamp(game.created),
            m_name=game.name,
            m_short_description=game.short_description,
            m_description=game.description,
            m_released=game.released.isoformat() if game.released else None,
            m_icon_object_id=_first(pictures, Role.ICON, Role.COVER),
            m_banner_object_id=_first(pictures, Role.BANNER, Role.COVER),
            m_cover_object_id=_first(pictures, Role.COVER, Role.BANNER),
            m_image_library_object_ids=sorted({each.id for uses in pictures.values() for each in uses}),
            m_image_carousel_object_ids=carousel,
            featured=game.featured,
            library_id=game.library_id,
            library_path=rules.folder_name(game.path),
        )


class DropEntry(DropResponse):
    """A game in a collection."""

    collection_id: Id
    game_id: Id
    game: DropGame


class DropCollection(DropResponse):
    """A collection."""

    id: Id
    name: str
    is_default: bool
    user_id: Id
    entries: list[DropEntry]

    @classmethod
    def of(cls, found: CollectionWithGames, games: Mapping[str, DropGame]) -> "DropCollection":
        row = found.collection
        entries = [
            DropEntry(collection_id=row.id, game_id=card.game.id, game=games[card.game.id])
            for card, _ in found.cards
            if card.game.id in games
        ]
        return cls(id=row.id, name=row.name, is_default=row.is_default, user_id=row.user_id, entries=entries)


class NewCollection(_DropBody):
    """A new collection."""

    name: Annotated[str, Meta(min_length=1, max_length=128, examples=["Favorites"])]


class EntryRequest(_DropBody):
    """A game to add to a collection, or to remove from it."""

    id: Annotated[str, Meta(max_length=64, examples=["3f1f8f0e-0d3c-4a63-9a3e-5d7f7c2b9a10"])]


class PlayedSession(_DropBody):
    """A run of a game, whose id the client chose. It has run for `seconds` between its beginning and its end."""

    id: SessionId
    game_id: Annotated[str, Meta(max_length=64, examples=["3f1f8f0e-0d3c-4a63-9a3e-5d7f7c2b9a10"])]
    seconds: Annotated[int, Meta(ge=0, le=MAX_SECONDS, examples=[5400])]
    started_at: Annotated[datetime, Meta(tz=True, examples=["2026-02-01T18:30:00Z"])]


class PlaytimeRequest(_DropBody):
    """Runs of games that have ended."""

    sessions: Annotated[list[PlayedSession], Meta(max_length=MAX_UPLOADED)]

    def recorded(self) -> list[RecordedSession]:
        return [
            RecordedSession(id=each.id, game=each.game_id, started=each.started_at, seconds=each.seconds)
            for each in self.sessions
        ]


class PlaytimeResponse(DropResponse):
    """The ids of the runs that the client need not send again."""

    accepted: list[str]


class V1Version(DropResponse):
    """A version for clients of Drop 0.3."""

    game_id: Id
    version_name: str
    platform: str
    launch_command: str
    launch_args: list[str]
    launch_command_template: str
    setup_command: str
    setup_args: list[str]
    setup_command_template: str
    only_setup: bool
    version_index: int
    delta: bool
    umu_id_override: str | None

    @classmethod
    def of(cls, row: Version) -> "V1Version":
        return cls(
            game_id=row.game_id,
            version_name=row.name,
            platform=rules.v1_platform(row.platform),
            launch_command=row.launch,
            launch_args=rules.split_arguments(row.launch_args),
            launch_command_template="{}",
            setup_command=row.setup,
            setup_args=rules.split_arguments(row.setup_args),
            setup_command_template="{}",
            only_setup=row.only_setup,
            version_index=row.position,
            delta=row.delta,
            umu_id_override=row.compat_id,
        )


class DropSaveSettings(DropResponse):
    """Limits of saves: slots of a game, megabytes of a save, and saves of a slot."""

    slot_limit: int
    size_limit: int
    history: int


class DropSaveSlot(DropResponse):
    """A slot; its saves are the oldest first. They are fetched as objects."""

    game_id: Id
    user_id: Id
    index: int
    created_at: Timestamp
    playtime: float
    last_used_client_id: str | None
    history_object_ids: list[str]
    history_checksums: list[str]

    @classmethod
    def of(cls, found: SlotWithSaves) -> "DropSaveSlot":
        slot = found.slot
        saves = [each for each in found.saves if not each.aside]
        return cls(
            game_id=slot.game_id,
            user_id=slot.user_id,
            index=slot.number,
            created_at=timestamp(slot.created),
            playtime=0,
            last_used_client_id=slot.device_id,
            history_object_ids=[each.id for each in saves],
            history_checksums=[each.checksum for each in saves],
        )


class DropGameQuery(Query):
    """The game whose versions are listed."""

    id: Annotated[str, Meta(max_length=64)] = ""


class NamedVersionQuery(Query):
    """A version of a game: its name or its id."""

    id: Annotated[str, Meta(max_length=64)] = ""
    version: Annotated[str, Meta(max_length=512)] = ""


class ManifestQuery(NamedVersionQuery):
    """A version of a game, and the one that is installed, if there is one."""

    previous: Annotated[str, Meta(max_length=64)] = ""


class LegacyChunkQuery(NamedVersionQuery):
    """A chunk of a file."""

    name: Annotated[str, Meta(max_length=8192)] = ""
    chunk: str = ""


class V1File(DropResponse):
    """A file of a manifest, with an entry for each chunk."""

    permissions: int
    ids: list[str]
    checksums: list[str]
    lengths: list[int]
    version_name: str


class ContextRequest(_DropBody):
    """A version to download."""

    game: Annotated[str, Meta(max_length=64, examples=["3f1f8f0e-0d3c-4a63-9a3e-5d7f7c2b9a10"])]
    version: Annotated[str, Meta(max_length=512, examples=["1.0"])]


class ContextResponse(DropResponse):
    """A context."""

    context: str


class ChunkOfFile(msgspec.Struct, rename="camel"):
    """A chunk of a file."""

    filename: str
    chunk_index: Annotated[int, Meta(ge=0)]


class ChunksRequest(msgspec.Struct):
    """The chunks to send, in this order. It may list more than other bodies: each small file is a chunk."""

    context: Annotated[str, Meta(max_length=64)]
    files: list[ChunkOfFile]


def _first(pictures: Mapping[str, Sequence[Picture]], *roles: Role) -> str:
    return next((picture.id for role in roles for picture in pictures.get(role, ())), NO_IMAGE)
