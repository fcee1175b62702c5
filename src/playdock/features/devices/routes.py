"""How a device of the player's client is let in (RFC 8628), and the devices of the caller (decisions 3)."""

from litestar import Response

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.features.devices.errors import (
    AccessDenied,
    AuthorizationPending,
    DeviceRequestUnknown,
    DeviceUnknown,
    ExpiredToken,
    InvalidClient,
    InvalidGrant,
    SlowDown,
    UnsupportedGrantType,
)
from playdock.features.devices.schemas import (
    AccessToken,
    DeviceAnswer,
    DeviceAuthorization,
    DeviceDecision,
    DeviceForm,
    DeviceRequestAnswer,
    TokenForm,
    UserCodeQuery,
)
from playdock.features.devices.service import Devices
from playdock.http.routing import AnyRequest, Caller, address_of, delete, get, post
from playdock.throttle.service import TooManyAttempts

_UNKEPT = {"Cache-Control": "no-store"}


@post("/oauth/device_authorization", needs=Caller.ANYBODY, raises=[InvalidClient, TooManyAttempts])
def authorize_device(request: AnyRequest, form: DeviceForm, devices: Devices) -> Response[DeviceAuthorization]:
    """Ask that a device is let in: answers the code that it shows to a person, and the one it asks again with."""
    return Response(devices.ask(form, address=address_of(request)), headers=_UNKEPT)


@post(
    "/oauth/token",
    needs=Caller.ANYBODY,
    raises=[
        AuthorizationPending,
        SlowDown,
        AccessDenied,
        ExpiredToken,
        InvalidGrant,
        UnsupportedGrantType,
        InvalidClient,
    ],
)
def exchange_device_code(form: TokenForm, devices: Devices) -> Response[AccessToken]:
    """Ask whether a device was let in: answers its access token, once."""
    return Response(devices.exchange(form), headers=_UNKEPT)


@get("/api/v1/user/client/request", needs=Caller.SESSION, raises=[DeviceRequestUnknown, TooManyAttempts])
def show_device_request(
    request: AnyRequest, query: UserCodeQuery, actor: Actor, devices: Devices
) -> DeviceRequestAnswer:
    """Show the device that waits with a user code."""
    return DeviceRequestAnswer.of(devices.waiting(actor, query.user_code, address=address_of(request)))


@post("/api/v1/user/client/request", needs=Caller.SESSION, status=204, raises=[DeviceRequestUnknown, TooManyAttempts])
def decide_about_device(request: AnyRequest, decision: DeviceDecision, actor: Actor, devices: Devices) -> None:
    """Let the device that waits with a user code act for the caller, or refuse it."""
    devices.decide(actor, decision, address=address_of(request))


@get("/api/v1/user/client", needs=Acl.CLIENTS_READ)
def list_devices(actor: Actor, devices: Devices) -> list[DeviceAnswer]:
    """List the own devices, last used first."""
    return [DeviceAnswer.of(row, current=actor.credential.id) for row in devices.own(actor)]


@delete("/api/v1/user/client/{device_id:str}", needs=Acl.CLIENTS_REVOKE, raises=[DeviceUnknown])
def sign_out_device(device_id: str, actor: Actor, devices: Devices) -> None:
    """Sign one of the own devices out."""
    devices.sign_out(actor, device_id)


ROUTES = (
    authorize_device,
    exchange_device_code,
    show_device_request,
    decide_about_device,
    list_devices,
    sign_out_device,
)
