"""Users on the wire (interface 2.1)."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from playdock.auth.actor import Person
from playdock.kit.bodies import Answer, Body
from playdock.kit.texts import SPACE

Username = Annotated[
    str,
    Meta(
        min_length=3,
        max_length=32,
        pattern=r"^[A-Za-z0-9]+$(?!\n)",
        description="A user name has 3 to 32 letters and digits.",
        examples=["ada"],
    ),
]
Email = Annotated[
    str,
    Meta(
        max_length=254,
        pattern=rf"^[^@{SPACE}]+@[^@.{SPACE}]+(\.[^@.{SPACE}]+)+$(?!\n)",
        description="An e-mail address has the form x@y.z.",
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
    int, Meta(ge=0, le=10**15, description="A download rate is bytes a second, 0 for no limit.", examples=[2_000_000])
]
DownloadsAtOnce = Annotated[
    int,
    Meta(ge=0, le=10**6, description="Downloads at once are a number up to 1,000,000, 0 for no limit.", examples=[4]),
]


class UserAnswer(Answer):
    """A user."""

    id: str
    username: str
    display_name: str
    email: str
    profile_picture_object_id: str
    admin: bool
    enabled: bool

    @classmethod
    def of(cls, person: Person) -> "UserAnswer":
        return cls(
            id=person.id,
            username=person.username,
            display_name=person.display_name,
            email=person.email,
            profile_picture_object_id=person.picture_id,
            admin=person.admin,
            enabled=person.enabled,
        )


class OwnChanges(Body):
    """What a user changes of the own account; what is left out stays."""

    display_name: DisplayName | UnsetType = UNSET
    email: Email | UnsetType = UNSET
    picture: Annotated[
        bytes | UnsetType | None,
        Meta(description="A PNG, JPEG or WebP in base64; null draws a new picture from the account."),
    ] = UNSET


class UserLimitsAnswer(Answer):
    """A user's own limits of downloads: bytes a second, and how many at once; null for the general ones, 0 for none."""

    download_rate: int | None
    downloads_at_once: int | None


class AdminChanges(Body):
    """What an admin changes of an account; what is left out stays. A limit of null is the general one again."""

    enabled: bool | UnsetType = UNSET
    admin: bool | UnsetType = UNSET
    display_name: DisplayName | UnsetType = UNSET
    email: Email | UnsetType = UNSET
    download_rate: DownloadRate | UnsetType | None = UNSET
    downloads_at_once: DownloadsAtOnce | UnsetType | None = UNSET


class PasswordChange(Body):
    """The present password and the new one."""

    current: Annotated[str, Meta(max_length=1024, description="The present password.")]
    new: Password


class ResetAnswer(Answer):
    """A one-time link."""

    reset_url: str


class ResetDraft(Body):
    """The link's secret and the new password."""

    id: Annotated[str, Meta(max_length=200, description="The id that the reset link carries.")]
    password: Password
