"""Wire types of the server's profile."""

from typing import Annotated, ClassVar

from msgspec import UNSET, Meta, UnsetType

from playdock.features.server_profile import rules
from playdock.kit.bodies import RequestBody, ResponseBody
from playdock.kit.fields import Id
from playdock.kit.forms import Files, Form, FormLimits
from playdock.models import ServerProfile
from playdock.pictures.images import MAX_UPLOAD_BYTES

# Control characters could change the terminal in which the client prints the name.
_PRINTABLE = r"^[^\x00-\x1f\x7f-\x9f]*$(?!\n)"
ServerName = Annotated[
    str,
    Meta(
        max_length=40,
        pattern=_PRINTABLE,
        description="The name of the server, at most 40 characters.",
        examples=["The Lovelace arcade"],
    ),
]
Greeting = Annotated[
    str,
    Meta(
        max_length=300,
        pattern=_PRINTABLE,
        description="A sentence for people who have been invited, at most 300 characters.",
        examples=["You have been invited to our family's games."],
    ),
]


class ServerProfileResponse(ResponseBody):
    """What the server calls itself. The greeting may be empty, and `logoObjectId` is null without a logo."""

    name: ServerName
    greeting: Greeting
    logo_object_id: Id | None

    @classmethod
    def of(cls, row: ServerProfile | None) -> "ServerProfileResponse":
        if row is None:
            return cls(name=rules.DEFAULT_NAME, greeting="", logo_object_id=None)
        return cls(name=row.name or rules.DEFAULT_NAME, greeting=row.greeting, logo_object_id=row.logo_id)


class ServerProfileChanges(RequestBody):
    """The fields to change. Omitted fields are unchanged; an empty name stands for Playdock."""

    name: ServerName | UnsetType = UNSET
    greeting: Greeting | UnsetType = UNSET


class LogoForm(Form):
    """A new logo: one PNG, JPEG or WebP image, which is cropped to a square.

    It has at most 40 million pixels, and 16,384 on each side.
    """

    limits: ClassVar[FormLimits] = FormLimits(files=1, file_bytes=MAX_UPLOAD_BYTES, bytes=MAX_UPLOAD_BYTES)

    files: Files
