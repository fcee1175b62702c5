"""The actor: who is calling, and with which rights."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from playdock.auth.acls import Acl
from playdock.auth.errors import NotAllowed, SessionNeeded


class CredentialKind(Enum):
    """How somebody showed who they are."""

    SESSION = "session"
    TOKEN = "token"  # noqa: S105 - the name of a kind, not a secret
    DEVICE = "device"
    LINK = "link"


@dataclass(frozen=True, slots=True)
class Person:
    """What is known of a user account, away from the database.

    ``download_rate`` (bytes a second) and ``downloads_at_once`` are limits of their own: None stands for the general
    ones, 0 for no limit.
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


@dataclass(frozen=True, slots=True)
class Credential:
    """What was shown: its kind, its id in the database, and until when it holds (None: for ever).

    ``path`` is the only one of the service's that it opens (None: all that its rights do). With one that is ``counted``
    only so many bytes may be fetched.
    """

    kind: CredentialKind
    id: str
    expires: datetime | None
    path: str | None = None
    counted: bool = False

    def opens(self, path: str) -> bool:
        return self.path in (None, path)


@dataclass(frozen=True, slots=True)
class Actor:
    """A person with the rights of one credential."""

    person: Person
    acls: frozenset[Acl]
    credential: Credential

    def may(self, acl: Acl) -> bool:
        return acl in self.acls

    def require(self, acl: Acl) -> None:
        """Go on only with this right.

        Raises:
            NotAllowed: the credential does not have it.
        """
        if acl not in self.acls:
            raise NotAllowed(acl)

    def require_session(self) -> None:
        """Go on only if a person signed in, not a program with a token or a device.

        Raises:
            SessionNeeded: something else than a session was shown.
        """
        if self.credential.kind is not CredentialKind.SESSION:
            raise SessionNeeded
