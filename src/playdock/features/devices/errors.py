"""Errors of device authorization, with OAuth's names (RFC 8628, section 3.5; RFC 6749, section 5.2)."""

from playdock.kit.errors import Invalid, NotFound, Unauthenticated
from playdock.kit.oauth import OAuthName


class AuthorizationPending(OAuthName, Invalid):
    """The user has not decided yet."""

    def __init__(self) -> None:
        super().__init__("This device has not been authorized yet. Poll again after the interval.")


class SlowDown(OAuthName, Invalid):
    """The device polls too often; its interval is now 5 seconds longer."""

    def __init__(self) -> None:
        super().__init__("This device polls too often. Wait 5 more seconds between requests.")


class AccessDenied(OAuthName, Invalid):
    """A user denied the device, or the authorizing user's account is disabled."""

    def __init__(self) -> None:
        super().__init__("This device was denied. If that was a mistake, start signing in again.")


class ExpiredToken(OAuthName, Invalid):
    """The codes expired before a user decided."""

    def __init__(self) -> None:
        super().__init__("The code has expired. Start signing in again to get a new one.")


class InvalidGrant(OAuthName, Invalid):
    """The device code is unknown or has already been exchanged."""

    def __init__(self) -> None:
        super().__init__("This device code is unknown or already used. Start signing in again to get a new one.")


class UnsupportedGrantType(OAuthName, Invalid):
    """The requested grant type is not the device grant."""

    def __init__(self, grant: str) -> None:
        super().__init__(f"Unsupported grant_type; only {grant} is accepted.")


class InvalidClient(OAuthName, Unauthenticated):
    """The client id is unknown."""

    def __init__(self, known: str) -> None:
        super().__init__(f"Unknown client_id; only {known} is accepted.")


class DeviceRequestUnknown(NotFound):
    """No pending device has this user code: it is wrong, expired or already decided."""

    def __init__(self) -> None:
        super().__init__(
            "No device is waiting with this code. Compare it with the code on the device, or start again on the device."
        )


class DeviceUnknown(NotFound):
    """The user has no device with this id."""

    def __init__(self) -> None:
        super().__init__("There is no device with this id.")
