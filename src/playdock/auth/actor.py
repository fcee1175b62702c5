"""Actors: users with the permissions of a credential."""

from datetime import datetime, timedelta
from enum import Enum

from msgspec import Struct

from playdock.auth.errors import DeviceRequired, PermissionMissing, RecentSignInRequired, SessionRequired
from playdock.auth.permissions import Permission
from playdock.kit.clock import MAX_CLOCK_DIFFERENCE

# Long enough to finish what one has signed in for, shorter than most absences from an open browser.
RECENT = timedelta(minutes=10)


class CredentialKind(Enum):
    """The kinds of credentials."""

    SESSION = "session"
    TOKEN = "token"  # noqa: S105 - the name of a kind, not a secret
    DEVICE = "device"
    LINK = "link"
    TICKET = "ticket"
    WEB_VIEW = "web-view"


class UserInfo(Struct, frozen=True):
    """A user account, detached from the database.

    ``download_rate`` (bytes per second) and ``downloads_at_once`` are individual limits; None selects the server's
    default, 0 removes the limit.
    """

    id: str
    username: str
    display_name: str
    email: str
    picture_id: str
    admin: bool
    enabled: bool
    download_rate: int | None = None
    downloads_at_once: int | None = None


class Credential(Struct, frozen=True):
    """A verified credential: its kind, its id in the database, and when it expires (None: never).

    ``path`` is the only path that it is valid for (None: any path). A ``counted`` credential allows a limited number of
    bytes to be downloaded. ``authenticated`` is when the user of a session last proved their identity (None: unknown).
    """

    kind: CredentialKind
    id: str
    expires: datetime | None
    path: str | None = None
    counted: bool = False
    authenticated: datetime | None = None

    def opens(self, path: str) -> bool:
        return self.path in (None, path)


class Actor(Struct, frozen=True):
    """A user with the permissions of one credential."""

    user: UserInfo
    acls: frozenset[Permission]
    credential: Credential

    def may(self, permission: Permission) -> bool:
        return permission in self.acls

    def require(self, permission: Permission) -> None:
        """Check a permission.

        Raises:
            PermissionMissing: the credential does not have it.
        """
        if permission not in self.acls:
            raise PermissionMissing(permission)

    def require_session(self) -> None:
        """Check that the credential is a session, not the token of a program or a device.

        Raises:
            SessionRequired: it is another kind of credential.
        """
        if self.credential.kind is not CredentialKind.SESSION:
            raise SessionRequired

    def require_device(self) -> None:
        """Check that the credential is that of a device, whose id is the credential's.

        Raises:
            DeviceRequired: it is another kind of credential.
        """
        if self.credential.kind is not CredentialKind.DEVICE:
            raise DeviceRequired

    def require_recent_sign_in(self, *, now: datetime) -> None:
        """Check that the credential is a session whose user has just proved their identity.

        So a stolen session, or a browser that was left open, gives nobody lasting access.

        Raises:
            SessionRequired: it is another kind of credential.
            RecentSignInRequired: the user proved their identity too long ago.
        """
        self.require_session()
        authenticated = self.credential.authenticated
        # A time in the future comes from a clock that was ahead.
        if authenticated is None or not -MAX_CLOCK_DIFFERENCE <= now - authenticated <= RECENT:
            raise RecentSignInRequired

    def require_recent_if_session(self, *, now: datetime) -> None:
        """Check that a session is recent. A token of a program is not checked: its permissions are enough.

        Raises:
            RecentSignInRequired: it is a session whose user proved their identity too long ago.
        """
        if self.credential.kind is CredentialKind.SESSION:
            self.require_recent_sign_in(now=now)
