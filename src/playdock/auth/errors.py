"""Errors of authentication and authorization."""

from playdock.auth.permissions import Permission
from playdock.kit.errors import Forbidden, Unauthenticated, Unavailable


class SignInRequired(Unauthenticated):
    """The request has no credential, or one that is unknown, expired or revoked."""

    def __init__(self) -> None:
        super().__init__("Authentication is required. Sign in, or send a valid bearer token.")


class PermissionMissing(Forbidden):
    """The caller lacks a permission."""

    def __init__(self, permission: Permission) -> None:
        super().__init__(f"This requires the permission {permission}, which you or your token do not have.")


class SessionRequired(Forbidden):
    """The request has the credential of a token or a device but requires a session."""

    def __init__(self) -> None:
        super().__init__("An API token or a device cannot do this. Sign in and try again.")


class DeviceRequired(Forbidden):
    """The request has the credential of a session or a token but requires that of a device."""

    def __init__(self) -> None:
        super().__init__("Only the player's client on a device can do this. Sign in with the client and try again.")


class RecentSignInRequired(Forbidden):
    """The session's user has to confirm the password, or sign in again, and then repeat the request."""

    def __init__(self) -> None:
        super().__init__("Confirm your password, or sign in again, and then repeat this.")


class ForeignOrigin(Forbidden):
    """A page of another site made the browser send the request."""

    def __init__(self) -> None:
        super().__init__("This request comes from another site and was rejected. Use the pages of this server.")


class PasswordQueueFull(Unavailable):
    """Too many requests that hash a password are waiting, from the caller's network or in total."""

    def __init__(self) -> None:
        super().__init__("Too many people are signing in at the moment. Wait a few seconds and try again.")

    def headers(self) -> dict[str, str]:
        return {"Retry-After": "5"}


class InvalidClientId(Forbidden):
    """No device has the id with which a request is signed: it is unknown, or was signed out."""

    def __init__(self) -> None:
        super().__init__("Invalid client ID")


class NonceExpired(Forbidden):
    """A request was not signed just now, or the clocks of device and server differ by more than 30 seconds."""

    def __init__(self) -> None:
        # Drop's clients recognize this text.
        super().__init__("Nonce expired")


class InvalidNonceSignature(Forbidden):
    """A request was not signed with the key of the device."""

    def __init__(self) -> None:
        super().__init__("Invalid nonce signature.")
