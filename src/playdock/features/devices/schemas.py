"""Devices on the wire: OAuth's own forms and answers in its snake case (RFC 8628), and the service's in camel case."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from playdock.content.programs import Platform
from playdock.features.devices import rules
from playdock.kit.bodies import Answer, Body, Query
from playdock.kit.clock import timestamp
from playdock.kit.oauth import UrlForm
from playdock.models import Device, DeviceRequest

_ClientId = Annotated[
    str, Meta(min_length=1, max_length=256, description="The program that runs on the device.", examples=[rules.CLIENT])
]
UserCode = Annotated[
    str,
    Meta(
        max_length=64,
        description="The code that the device shows, with or without dash and in whatever case.",
        examples=["WDJB-MJHT"],
    ),
]


class DeviceForm(UrlForm):
    """A device that wants to be let in."""

    client_id: _ClientId
    device_name: Annotated[str, Meta(max_length=80, description="What the person may know the device by.")] = ""
    platform: Platform | UnsetType = UNSET


class TokenForm(UrlForm):
    """A device that asks whether it was let in."""

    grant_type: Annotated[
        str, Meta(min_length=1, max_length=256, description="What is shown: a device code.", examples=[rules.GRANT])
    ]
    client_id: _ClientId
    device_code: Annotated[str, Meta(max_length=256, description="The secret that the device was given.")] = ""


class DeviceAuthorization(Answer, rename="lower"):
    """The codes of a device that waits; ``expires_in`` and ``interval`` are seconds."""

    device_code: str
    user_code: str
    verification_uri: str
    verification_uri_complete: str
    expires_in: int
    interval: int


class AccessToken(Answer, rename="lower"):
    """A device's secret, shown this once; ``scope`` lists its rights."""

    access_token: str
    token_type: str
    scope: str


class UserCodeQuery(Query):
    """Which device."""

    user_code: UserCode


class DeviceDecision(Body):
    """Whether a device may act for the caller."""

    user_code: UserCode
    approve: bool


class DeviceRequestAnswer(Answer):
    """A device that waits; ``platform`` is null if it did not say what it runs."""

    name: str
    platform: str | None
    created: str
    expires: str

    @classmethod
    def of(cls, row: DeviceRequest) -> "DeviceRequestAnswer":
        return cls(
            name=row.name,
            platform=row.platform or None,
            created=timestamp(row.created),
            expires=timestamp(row.expires),
        )


class DeviceAnswer(Answer):
    """A device of the caller; ``current`` says that this very call comes from it."""

    id: str
    name: str
    platform: str | None
    created: str
    seen: str
    current: bool

    @classmethod
    def of(cls, row: Device, *, current: str) -> "DeviceAnswer":
        return cls(
            id=row.id,
            name=row.name,
            platform=row.platform or None,
            created=timestamp(row.created),
            seen=timestamp(row.seen),
            current=row.id == current,
        )
