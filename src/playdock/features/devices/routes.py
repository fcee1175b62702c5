"""OAuth device authorization (RFC 8628), and the devices of the caller and of other users."""

from litestar import Response

from playdock.auth.actor import Actor
from playdock.auth.errors import RecentSignInRequired
from playdock.auth.permissions import Permission
from playdock.features.accounts.errors import UserUnknown
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
    DeviceAuthorization,
    DeviceDecision,
    DeviceForm,
    DeviceRequestResponse,
    DeviceResponse,
    TokenForm,
    UserCodeQuery,
)
from playdock.features.devices.service import Devices
from playdock.server.routing import AnyRequest, Caller, address_of, delete, get, post
from playdock.throttle.service import TooManyAttempts

_NO_STORE = {"Cache-Control": "no-store"}


@post("/oauth/device_authorization", requires=Caller.ANYBODY, raises=[InvalidClient, TooManyAttempts])
def authorize_device(request: AnyRequest, form: DeviceForm, devices: Devices) -> Response[DeviceAuthorization]:
    """Request authorization for a device. Returns the code to display to the user and the code to poll with."""
    return Response(devices.request_codes(form, address=address_of(request)), headers=_NO_STORE)


@post(
    "/oauth/token",
    requires=Caller.ANYBODY,
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
    """Poll for the result of a device authorization. Returns the access token, once."""
    return Response(devices.exchange(form), headers=_NO_STORE)


@get("/api/v1/user/client/request", requires=Caller.SESSION, raises=[DeviceRequestUnknown, TooManyAttempts])
def show_device_request(
    request: AnyRequest, query: UserCodeQuery, actor: Actor, devices: Devices
) -> DeviceRequestResponse:
    """Return the pending device with a user code."""
    return DeviceRequestResponse.of(devices.find_pending(actor, query.user_code, address=address_of(request)))


@post(
    "/api/v1/user/client/request",
    requires=Caller.SESSION,
    status=204,
    raises=[DeviceRequestUnknown, RecentSignInRequired, TooManyAttempts],
)
def decide_about_device(request: AnyRequest, decision: DeviceDecision, actor: Actor, devices: Devices) -> None:
    """Authorize the pending device with a user code to act for the caller, or deny it."""
    devices.decide(actor, decision, address=address_of(request))


@get("/api/v1/user/client", requires=Permission.CLIENTS_READ)
def list_devices(actor: Actor, devices: Devices) -> list[DeviceResponse]:
    """List your devices, last used first."""
    return [DeviceResponse.of(row, current=actor.credential.id) for row in devices.own(actor)]


@delete("/api/v1/user/client/{device_id:str}", requires=Permission.CLIENTS_REVOKE, raises=[DeviceUnknown])
def sign_out_device(device_id: str, actor: Actor, devices: Devices) -> None:
    """Sign out one of your devices."""
    devices.sign_out(actor, device_id)


@get("/api/v1/admin/users/{user_id:str}/client", requires=Permission.ADMIN_USER_READ, raises=[UserUnknown])
def list_devices_of_user(user_id: str, actor: Actor, devices: Devices) -> list[DeviceResponse]:
    """List the devices of a user, last used first."""
    return [DeviceResponse.of(row, current=actor.credential.id) for row in devices.of_user(actor, user_id)]


@delete(
    "/api/v1/admin/users/{user_id:str}/client/{device_id:str}",
    requires=Permission.ADMIN_USER_UPDATE,
    raises=[DeviceUnknown],
)
def sign_out_device_of_user(user_id: str, device_id: str, actor: Actor, devices: Devices) -> None:
    """Sign out a device of a user."""
    devices.sign_out_of_user(actor, user_id, device_id)


@delete("/api/v1/admin/users/{user_id:str}/client", requires=Permission.ADMIN_USER_UPDATE, raises=[UserUnknown])
def sign_out_devices_of_user(user_id: str, actor: Actor, devices: Devices) -> None:
    """Sign out all devices of a user."""
    devices.sign_out_all_of_user(actor, user_id)


ROUTES = (
    authorize_device,
    exchange_device_code,
    show_device_request,
    decide_about_device,
    list_devices,
    sign_out_device,
    list_devices_of_user,
    sign_out_device_of_user,
    sign_out_devices_of_user,
)
