"""Games on the wire as administrators see and change them."""

from collections.abc import Sequence
from datetime import date
from typing import Annotated, ClassVar

from msgspec import UNSET, Meta, UnsetType

from playdock.features.artwork.schemas import PictureAnswer, picture_fields
from playdock.features.catalogue.queries import Entry
from playdock.features.catalogue.rules import Field
from playdock.features.catalogue.schemas import (
    AgeRatingAnswer,
    CompanyName,
    GameAnswer,
    RatingAnswer,
    ReleaseAnswer,
    TagName,
    WebsiteAnswer,
    age_ratings_of,
    drop_fields,
    ratings_of,
    websites_of,
)
from playdock.features.games.schemas import VersionAnswer
from playdock.features.version_import.schemas import Arguments, Command
from playdock.kit.bodies import Body
from playdock.kit.clock import timestamp
from playdock.kit.forms import Files, Form, FormLimits
from playdock.kit.texts import SPACE, Name
from playdock.metadata.facts import Precision, Role, TagKind
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
        description="An address begins with https:// or http:// and has at most 2,048 characters.",
        examples=["https://supertuxkart.example.org"],
    ),
]
VersionId = Annotated[str, Meta(max_length=64, description="The id of one of the game's versions.")]
PictureId = Annotated[str, Meta(max_length=64, description="The id of one of the game's pictures.")]


class ReleaseDraft(Body):
    """When a game came out; what the precision leaves open in the date does not count."""

    date: date
    precision: Precision = Precision.DAY


class TagWord(Body):
    """A tag to give to a game; one that there is not yet is added."""

    kind: TagKind
    name: Name


class AgeRatingDraft(Body):
    """From what age a board thinks a game suitable, in the board's own words."""

    board: Name
    value: Name
    descriptors: Annotated[tuple[Name, ...], Meta(max_length=50)] = ()


class WebsiteDraft(Body):
    """A page about a game."""

    kind: Word
    url: Address


class GameChanges(Body):
    """What an administrator says of a game; what is left out stays, what is given is overwritten by no refresh."""

    name: Name | UnsetType = UNSET
    short_description: (
        Annotated[str, Meta(max_length=1000, description="At most 1,000 characters of plain text.")] | UnsetType
    ) = UNSET
    description: (
        Annotated[str, Meta(max_length=100_000, description="Markdown of at most 100,000 characters.")] | UnsetType
    ) = UNSET
    released: ReleaseDraft | UnsetType | None = UNSET
    developers: Annotated[list[Name], Meta(max_length=50)] | UnsetType = UNSET
    publishers: Annotated[list[Name], Meta(max_length=50)] | UnsetType = UNSET
    tags: Annotated[list[TagWord], Meta(max_length=200)] | UnsetType = UNSET
    age_ratings: Annotated[list[AgeRatingDraft], Meta(max_length=20)] | UnsetType = UNSET
    websites: Annotated[list[WebsiteDraft], Meta(max_length=50)] | UnsetType = UNSET
    featured: bool | UnsetType = UNSET
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
                description="The ids of all versions of the game, the one that players shall get as the newest first.",
            ),
        ]
        | UnsetType
    ) = UNSET


class VersionChanges(Body):
    """How a version is started and set up; what is left out stays."""

    launch: Command | UnsetType = UNSET
    launch_args: Arguments | UnsetType = UNSET
    setup: Command | UnsetType = UNSET
    setup_args: Arguments | UnsetType = UNSET


class RefreshDraft(Body):
    """Whom to ask about a game: a search result, or nobody named for the game's own provider."""

    source_id: Annotated[str, Meta(max_length=64, description="The provider's id.", examples=["Steam"])] | None = None
    id: Annotated[str, Meta(min_length=1, max_length=256, description="The provider's id of the game.")] | None = None
    name: Annotated[str, Meta(max_length=256, description="The game's name.")] = ""
    overwrite: Annotated[
        tuple[Field, ...],
        Meta(max_length=len(Field), description="Fields to take even where an administrator wrote them."),
    ] = ()


class PicturesForm(Form):
    """Pictures to add to the game with the id; one of them alone can be used at once, or any number in the carousel."""

    limits: ClassVar[FormLimits] = FormLimits(files=10, file_bytes=32 * _MIB, bytes=64 * _MIB)

    id: Annotated[str, Meta(max_length=64, description="The game's id.")]
    files: Files
    use: Role | None = None


class GamePictureId(Body):
    """A picture of a game."""

    game_id: Annotated[str, Meta(max_length=64, description="The game's id.")]
    image_id: PictureId


class GamePicture(PictureAnswer):
    """A picture with what it is used as and where it was downloaded from, empty for an upload."""

    uses: list[Role]
    address: str
    created: str

    @classmethod
    def used_as(cls, row: Picture, uses: list[Role]) -> "GamePicture":
        return cls(**picture_fields(row), uses=uses, address=row.address, created=timestamp(row.created))


class GameDetails(GameAnswer):
    """Everything about a game; ``sources`` tells by field who said what stands there. The newest version is first."""

    name: str
    short_description: str
    description: str
    released: ReleaseAnswer | None
    developers: list[CompanyName]
    publishers: list[CompanyName]
    tags: list[TagName]
    rating: float | None
    ratings: list[RatingAnswer]
    age_ratings: list[AgeRatingAnswer]
    websites: list[WebsiteAnswer]
    external_ids: dict[str, str]
    sources: dict[str, str]
    cover: str | None
    banner: str | None
    icon: str | None
    logo: str | None
    carousel: list[str]
    pictures: list[GamePicture]
    versions: list[VersionAnswer]
    updated: str | None
    refreshed: str | None

    @classmethod
    def with_versions(cls, entry: Entry, versions: Sequence[Version]) -> "GameDetails":
        game, shown = entry.game, entry.shown
        uses = {picture.id: [role for role in Role if picture.id in shown.in_role(role)] for picture in entry.pictures}
        return cls(
            **drop_fields(game, shown),
            name=game.name,
            short_description=game.short_description,
            description=game.description,
            released=ReleaseAnswer.of(game),
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
            versions=[VersionAnswer.of(each) for each in reversed(versions)],
            updated=timestamp(game.updated) if game.updated else None,
            refreshed=timestamp(game.refreshed) if game.refreshed else None,
        )
