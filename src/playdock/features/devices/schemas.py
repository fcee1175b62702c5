"""Wire types of devices: OAuth's forms and responses in snake case (RFC 8628), the others in camel case."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from playdock.content.programs import Platform
from playdock.features.devices import rules
from playdock.kit.bodies import Query, RequestBody, ResponseBody
from playdock.kit.clock import timestamp
from playdock.kit.fields import Id, Timestamp
from playdock.kit.oauth import UrlForm
from playdock.models import Device, DeviceRequest

_ClientId = Annotated[
    str, Meta(min_length=1, max_length=256, description="The id of the client program.", examples=[rules.CLIENT])
]
UserCode = Annotated[
    str,
    Meta(
        max_length=64,
        description="The code displayed by the device, with or without the dash, ignoring case.",
        examples=["WDJB-MJHT"],
    ),
]


class DeviceForm(UrlForm):
    """A device requesting authorization."""

    client_id: _ClientId
    device_name: Annotated[str, Meta(max_length=80, description="A name by which the user recognizes the device.")] = ""
    platform: Platform | UnsetType = UNSET


class TokenForm(UrlForm):
    """A device polling for its access token."""

    grant_type: Annotated[
        str, Meta(min_length=1, max_length=256, description="The device grant of RFC 8628.", examples=[rules.GRANT])
    ]
    client_id: _ClientId
    device_code: Annotated[str, Meta(max_length=256, description="The device code, its secret.")] = ""


class DeviceAuthorization(ResponseBody, rename="lower"):
    """The codes of a pending device; `expires_in` and `interval` are in seconds."""

    device_code: Annotated[str, Meta(examples=["pdd_8hQpY1iOoE4jRbsXy0L5rJzqf3M9cUeV7aTgK2sWnBd"])]
    user_code: Annotated[str, Meta(examples=["WDJB-MJHT"])]
    verification_uri: Annotated[str, Meta(examples=["https://games.example.org/device"])]
    verification_uri_complete: Annotated[str, Meta(examples=["https://games.example.org/device?user_code=WDJB-MJHT"])]
    expires_in: Annotated[int, Meta(examples=[600])]
    interval: Annotated[int, Meta(examples=[5])]


class AccessToken(ResponseBody, rename="lower"):
    """A device's access token, which is shown only once; `scope` lists its permissions."""

    access_token: Annotated[str, Meta(examples=["pdc_Xy0L5rJzqf3M9cUeV7aTgK2sWnBd8hQpY1iOoE4jRbs"])]
    token_type: Annotated[str, Meta(examples=["Bearer"])]
    scope: Annotated[str, Meta(examples=["user:content:read user:read user:store:read"])]


class UserCodeQuery(Query):
    """The user code of a device."""

    user_code: UserCode


class DeviceDecision(RequestBody):
    """The decision on a device."""

    user_code: UserCode
    approve: Annotated[bool, Meta(examples=[True])]


class DeviceRequestResponse(ResponseBody):
    """A pending device; `platform` is null if the device did not specify it."""

    name: Annotated[str, Meta(examples=["Ada's laptop"])]
    platform: Annotated[str, Meta(examples=["Linux"])] | None
    created: Timestamp
    expires: Timestamp

    @classmethod
    def of(cls, row: DeviceRequest) -> "DeviceRequestResponse":
        return cls(
            name=row.name,
            platform=row.platform or None,
            created=timestamp(row.created),
            expires=timestamp(row.expires),
        )


class DeviceResponse(ResponseBody):
    """A device of a user; `current` marks the device that sent this request."""

    id: Id
    name: Annotated[str, Meta(examples=["Ada's laptop"])]
    platform: Annotated[str, Meta(examples=["Linux"])] | None
    created: Timestamp
    seen: Timestamp
    current: Annotated[bool, Meta(examples=[True])]

    @classmethod
    def of(cls, row: Device, *, current: str) -> "DeviceResponse":
        return cls(
            id=row.id,
            name=row.name,
            platform=row.platform or None,
            created=timestamp(row.created),
            seen=timestamp(row.seen),
            current=row.id == current,
        )
