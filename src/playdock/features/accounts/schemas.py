"""Wire types of users."""

from typing import Annotated, ClassVar

from msgspec import UNSET, Meta, UnsetType

from playdock.auth.actor import UserInfo
from playdock.kit.bodies import Query, RequestBody, ResponseBody
from playdock.kit.fields import Id
from playdock.kit.forms import Files, Form, FormLimits
from playdock.kit.texts import SPACE
from playdock.pictures.images import MAX_UPLOAD_BYTES

Username = Annotated[
    str,
    Meta(
        min_length=3,
        max_length=32,
        pattern=r"^[A-Za-z0-9]+$(?!\n)",
        description="A user name has 3 to 32 letters or digits.",
        examples=["ada"],
    ),
]
Email = Annotated[
    str,
    Meta(
        max_length=254,
        pattern=rf"^[^@{SPACE}]+@[^@.{SPACE}]+(\.[^@.{SPACE}]+)+$(?!\n)",
        description="An email address has the form x@y.z.",
        examples=["ada@example.org"],
    ),
]
Password = Annotated[
    str,
    Meta(
        min_length=14,
        max_length=1024,
        description="A password has at least 14 characters and at most 1,024 bytes.",
        examples=["correct horse battery"],
    ),
]
DisplayName = Annotated[
    str, Meta(max_length=128, description="A display name has at most 128 characters.", examples=["Ada Lovelace"])
]


DownloadRate = Annotated[
    int,
    Meta(ge=0, le=10**15, description="A download rate is bytes per second, 0 for unlimited.", examples=[2_000_000]),
]
DownloadsAtOnce = Annotated[
    int,
    Meta(
        ge=0,
        le=10**6,
        description="The number of downloads is at most 1,000,000, 0 for unlimited.",
        examples=[4],
    ),
]

MAX_LISTED = 1000

ResetId = Annotated[
    str,
    Meta(
        max_length=200,
        description="The secret of the reset link, its parameter `id`.",
        examples=["pdr_8hQpY1iOoE4jRbsXy0L5rJzqf3M9cUeV7aTgK2sWnBd"],
    ),
]


class UserResponse(ResponseBody):
    """A user."""

    id: Id
    username: Annotated[str, Meta(examples=["ada"])]
    display_name: Annotated[str, Meta(examples=["Ada Lovelace"])]
    email: Annotated[str, Meta(examples=["ada@example.org"])]
    profile_picture_object_id: Id
    admin: bool
    enabled: Annotated[bool, Meta(examples=[True])]

    @classmethod
    def of(cls, person: UserInfo) -> "UserResponse":
        return cls(
            id=person.id,
            username=person.username,
            display_name=person.display_name,
            email=person.email,
            profile_picture_object_id=person.picture_id,
            admin=person.admin,
            enabled=person.enabled,
        )


class UserQuery(Query):
    """Which users to list. Without parameters, all of them."""

    q: Annotated[
        str,
        Meta(
            max_length=256,
            description="Parts of the user name, the display name or the address before its @, or with an @ of the "
            "whole address; at most 256 characters.",
            examples=["ada"],
        ),
    ] = ""
    admin: Annotated[bool | UnsetType, Meta(description="true: only administrators, false: only players.")] = UNSET
    enabled: Annotated[bool | UnsetType, Meta(description="true: only enabled users, false: only disabled ones.")] = (
        UNSET
    )
    limit: (
        Annotated[int, Meta(ge=1, le=MAX_LISTED, description="The maximum number of users to return; all if omitted.")]
        | UnsetType
    ) = UNSET
    after: Annotated[
        str,
        Meta(max_length=64, description="The user name of the last user of the previous page.", examples=["ada"]),
    ] = ""


class OwnChanges(RequestBody):
    """The fields of your account to change. Omitted fields are unchanged."""

    display_name: DisplayName | UnsetType = UNSET
    email: Email | UnsetType = UNSET
    picture: Annotated[
        bytes | UnsetType | None,
        Meta(description="A PNG, JPEG or WebP image in base64; null generates a new random picture."),
    ] = UNSET


class PictureForm(Form):
    """A new profile picture: one PNG, JPEG or WebP image.

    It has at most 40 million pixels, and 16,384 on each side.
    """

    limits: ClassVar[FormLimits] = FormLimits(files=1, file_bytes=MAX_UPLOAD_BYTES, bytes=MAX_UPLOAD_BYTES)

    files: Files


class UserLimitsResponse(ResponseBody):
    """Custom download limits: bytes per second and simultaneous downloads. Null: server default; 0: unlimited."""

    download_rate: Annotated[int, Meta(examples=[2_000_000])] | None
    downloads_at_once: int | None


class AdminChanges(RequestBody):
    """The fields of a user to change. Omitted fields are unchanged; a limit of null restores the server default."""

    enabled: bool | UnsetType = UNSET
    admin: bool | UnsetType = UNSET
    display_name: DisplayName | UnsetType = UNSET
    email: Email | UnsetType = UNSET
    download_rate: DownloadRate | UnsetType | None = UNSET
    downloads_at_once: DownloadsAtOnce | UnsetType | None = UNSET


class PasswordChange(RequestBody):
    """The current password and the new one, and whether to revoke your API tokens."""

    current: Annotated[
        str, Meta(max_length=1024, description="The current password.", examples=["correct horse battery"])
    ]
    new: Password
    revoke_tokens: Annotated[bool, Meta(description="Whether to revoke all your API tokens as well.")] = False


class ResetResponse(ResponseBody):
    """A one-time link for setting a new password."""

    reset_url: Annotated[
        str, Meta(examples=["http://localhost:3000/auth/reset?id=pdr_8hQpY1iOoE4jRbsXy0L5rJzqf3M9cUeV7aTgK2sWnBd"])
    ]


class ResetQuery(Query):
    """The secret of the reset link."""

    id: ResetId


class ResetRequest(RequestBody):
    """The secret of the reset link and the new password."""

    id: ResetId
    password: Password
