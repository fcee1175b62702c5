"""Wire types of editing games."""

from collections.abc import Sequence
from datetime import date
from typing import Annotated, ClassVar

from msgspec import UNSET, Meta, UnsetType

from playdock.domain.artwork.schemas import PictureResponse, picture_fields
from playdock.domain.game_metadata.queries import GameRecord
from playdock.domain.game_metadata.rules import Field
from playdock.domain.game_metadata.schemas import (
    AgeRatingResponse,
    CompanyName,
    GameResponse,
    RatingResponse,
    ReleaseResponse,
    TagName,
    WebsiteResponse,
    age_ratings_of,
    drop_fields,
    ratings_of,
    websites_of,
)
from playdock.domain.games.schemas import VersionResponse
from playdock.features.version_import.schemas import Arguments, Command
from playdock.kit.bodies import RequestBody
from playdock.kit.clock import timestamp
from playdock.kit.fields import GameTitle, Id, Timestamp
from playdock.kit.forms import Files, Form, FormLimits
from playdock.kit.texts import SPACE, Name
from playdock.metadata.game_metadata import Precision, Role, TagKind
from playdock.models import Picture, Version

_MIB = 1024 * 1024

Word = Annotated[
    str, Meta(pattern=rf"^[^{SPACE}]+$(?!\n)", max_length=32, description="One word of at most 32 characters.")
]
Address = Annotated[
    str,
    Meta(
        pattern=rf"^https?://[^{SPACE}]+$(?!\n)",
        max_length=2048,
        description="An address starts with https:// or http:// and has at most 2,048 characters.",
        examples=["https://supertuxkart.example.org"],
    ),
]
VersionId = Annotated[Id, Meta(max_length=64, description="The id of one of the game's versions.")]
PictureId = Annotated[Id, Meta(max_length=64, description="The id of one of the game's pictures.")]


class ReleaseInput(RequestBody):
    """The release date; the parts of `date` beyond `precision` are ignored."""

    date: Annotated[date, Meta(examples=["2006-09-08"])]
    precision: Precision = Precision.DAY


class TagWord(RequestBody):
    """A tag of a game; unknown tags are created."""

    kind: TagKind
    name: Annotated[Name, Meta(examples=["Racing"])]


class AgeRatingInput(RequestBody):
    """An age rating in the board's own terms."""

    board: Annotated[Name, Meta(examples=["PEGI"])]
    value: Annotated[Name, Meta(examples=["3"])]
    descriptors: Annotated[tuple[Name, ...], Meta(max_length=50, examples=[[]])] = ()


class WebsiteInput(RequestBody):
    """A page about a game."""

    kind: Annotated[Word, Meta(examples=["official"])]
    url: Address


class GameChanges(RequestBody):
    """The fields of a game to change. Omitted fields are unchanged; a refresh does not overwrite given fields."""

    name: Name | UnsetType = UNSET
    short_description: (
        Annotated[
            str,
            Meta(
                max_length=1000,
                description="At most 1,000 characters of plain text.",
                examples=["Karts. Nitro. Action!"],
            ),
        ]
        | UnsetType
    ) = UNSET
    description: (
        Annotated[str, Meta(max_length=100_000, description="Markdown, at most 100,000 characters.")] | UnsetType
    ) = UNSET
    released: ReleaseInput | UnsetType | None = UNSET
    developers: Annotated[list[Name], Meta(max_length=50)] | UnsetType = UNSET
    publishers: Annotated[list[Name], Meta(max_length=50)] | UnsetType = UNSET
    tags: Annotated[list[TagWord], Meta(max_length=200)] | UnsetType = UNSET
    age_ratings: Annotated[list[AgeRatingInput], Meta(max_length=20)] | UnsetType = UNSET
    websites: Annotated[list[WebsiteInput], Meta(max_length=50)] | UnsetType = UNSET
    featured: Annotated[bool, Meta(examples=[True])] | UnsetType = UNSET
    cover: PictureId | UnsetType | None = UNSET
    banner: PictureId | UnsetType | None = UNSET
    icon: PictureId | UnsetType | None = UNSET
    logo: PictureId | UnsetType | None = UNSET
    carousel: Annotated[list[PictureId], Meta(max_length=100)] | UnsetType = UNSET
    versions: (
        Annotated[
            list[VersionId],
            Meta(
                max_length=10_000,
                description="The ids of all versions of the game, starting with the latest for players.",
            ),
        ]
        | UnsetType
    ) = UNSET


class VersionChanges(RequestBody):
    """The commands of a version to change. Omitted fields are unchanged."""

    launch: Annotated[Command, Meta(examples=["usr/games/supertuxkart"])] | UnsetType = UNSET
    launch_args: Annotated[Arguments, Meta(examples=["--fullscreen"])] | UnsetType = UNSET
    setup: Command | UnsetType = UNSET
    setup_args: Arguments | UnsetType = UNSET


class RefreshRequest(RequestBody):
    """The provider's game to fetch: a search result. If omitted, the game's current provider and id are used."""

    source_id: Annotated[str, Meta(max_length=64, description="The provider's id.", examples=["Steam"])] | None = None
    id: (
        Annotated[
            str, Meta(min_length=1, max_length=256, description="The provider's id of the game.", examples=["3262"])
        ]
        | None
    ) = None
    name: Annotated[str, Meta(max_length=256, description="The game's name.")] = ""
    overwrite: Annotated[
        tuple[Field, ...],
        Meta(max_length=len(Field), description="Fields to overwrite even if edited manually."),
    ] = ()


class PicturesForm(Form):
    """Pictures to add to a game: PNG, JPEG, WebP, GIF or ICO images.

    Each has at most 40 million pixels, and 16,384 on each side. `use` is the role in which to show them: one, or
    several in the carousel.
    """

    limits: ClassVar[FormLimits] = FormLimits(files=10, file_bytes=32 * _MIB, bytes=64 * _MIB)

    id: Annotated[str, Meta(max_length=64, description="The game's id.")]
    files: Files
    use: Role | None = None


class GamePictureId(RequestBody):
    """A picture of a game."""

    game_id: Annotated[Id, Meta(max_length=64, description="The game's id.")]
    image_id: PictureId


class GamePicture(PictureResponse):
    """A picture with its uses and the address it was downloaded from, empty for an upload."""

    uses: list[Role]
    address: Annotated[str, Meta(examples=[""])]
    created: Timestamp

    @classmethod
    def used_as(cls, row: Picture, uses: list[Role]) -> "GamePicture":
        return cls(**picture_fields(row), uses=uses, address=row.address, created=timestamp(row.created))


class GameDetails(GameResponse):
    """A game with all metadata, pictures and versions, newest first; `sources` is the source of each field."""

    name: GameTitle
    short_description: Annotated[str, Meta(examples=["Karts. Nitro. Action!"])]
    description: Annotated[str, Meta(examples=["A kart racer with **many** tracks."])]
    released: ReleaseResponse | None
    developers: list[CompanyName]
    publishers: list[CompanyName]
    tags: list[TagName]
    rating: Annotated[float, Meta(examples=[0.79])] | None
    ratings: list[RatingResponse]
    age_ratings: list[AgeRatingResponse]
    websites: list[WebsiteResponse]
    external_ids: Annotated[dict[str, str], Meta(examples=[{"IGDB": "3262"}])]
    sources: Annotated[
        dict[str, str],
        Meta(
            examples=[
                {
                    "name": "IGDB",
                    "shortDescription": "Manual",
                    "description": "IGDB",
                    "released": "IGDB",
                    "cover": "IGDB",
                }
            ]
        ),
    ]
    cover: Id | None
    banner: str | None
    icon: str | None
    logo: str | None
    carousel: Annotated[list[str], Meta(examples=[[]])]
    pictures: list[GamePicture]
    versions: list[VersionResponse]
    updated: Timestamp | None
    refreshed: Timestamp | None

    @classmethod
    def with_versions(cls, entry: GameRecord, versions: Sequence[Version]) -> "GameDetails":
        game, shown = entry.game, entry.shown
        uses = {picture.id: [role for role in Role if picture.id in shown.in_role(role)] for picture in entry.pictures}
        return cls(
            **drop_fields(game, shown),
            name=game.name,
            short_description=game.short_description,
            description=game.description,
            released=ReleaseResponse.of(game),
            developers=[CompanyName.of(each) for each in entry.developers],
            publishers=[CompanyName.of(each) for each in entry.publishers],
            tags=[TagName.of(each) for each in entry.tags],
            rating=game.rating,
            ratings=ratings_of(game),
            age_ratings=age_ratings_of(game),
            websites=websites_of(game),
            external_ids=game.external_ids,
            sources=game.sources,
            cover=shown.first(Role.COVER) or None,
            banner=shown.first(Role.BANNER) or None,
            icon=shown.first(Role.ICON) or None,
            logo=shown.first(Role.LOGO) or None,
            carousel=list(shown.in_role(Role.CAROUSEL)),
            pictures=[GamePicture.used_as(each, uses[each.id]) for each in entry.pictures],
            versions=[VersionResponse.of(each) for each in reversed(versions)],
            updated=timestamp(game.updated) if game.updated else None,
            refreshed=timestamp(game.refreshed) if game.refreshed else None,
        )
