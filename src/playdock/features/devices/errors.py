"""Why a device is not let in, in OAuth's names (RFC 8628, section 3.5; RFC 6749, section 5.2), and what is unknown."""

from playdock.kit.errors import Invalid, NotFound, Unauthenticated
from playdock.kit.oauth import OAuthName


class AuthorizationPending(OAuthName, Invalid):
    """Nobody has decided about the device yet."""

    def __init__(self) -> None:
        super().__init__("Nobody has allowed this device yet. Ask again after the interval.")


class SlowDown(OAuthName, Invalid):
    """The device asks too often; from now on its interval is five seconds longer."""

    def __init__(self) -> None:
        super().__init__("This device asks too often. Leave five more seconds between two questions.")


class AccessDenied(OAuthName, Invalid):
    """Somebody refused the device, or the account of who allowed it is disabled."""

    def __init__(self) -> None:
        super().__init__("This device was refused. Sign in anew if that was a mistake.")


class ExpiredToken(OAuthName, Invalid):
    """The codes are too old: nobody decided in time."""

    def __init__(self) -> None:
        super().__init__("Nobody allowed this device in time. Sign in anew to get another code.")


class InvalidGrant(OAuthName, Invalid):
    """The device code is unknown or was exchanged already."""

    def __init__(self) -> None:
        super().__init__("This device code is unknown or used up. Sign in anew to get another.")


class UnsupportedGrantType(OAuthName, Invalid):
    """Another grant than that of a device was asked for."""

    def __init__(self, grant: str) -> None:
        super().__init__(f"The only grant_type here is {grant}.")


class InvalidClient(OAuthName, Unauthenticated):
    """No program is known by this client id."""

    def __init__(self, known: str) -> None:
        super().__init__(f"The only client_id here is {known}.")


class DeviceRequestUnknown(NotFound):
    """No device waits with this user code: it is wrong, decided about, or too old."""

    def __init__(self) -> None:
        super().__init__(
            "No device waits with this code. Compare it with the one on the device, or sign in there anew."
        )


class DeviceUnknown(NotFound):
    """No device of the caller has this id."""

    def __init__(self) -> None:
        super().__init__("You have no device with this id.")
