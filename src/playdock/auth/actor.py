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


@dataclass(frozen=True, slots=True)
class Person:
    """What is known of a user account, away from the database."""

    id: str
    username: str
    display_name: str
    email: str
    picture_id: str
    admin: bool
    enabled: bool


@dataclass(frozen=True, slots=True)
class Credential:
    """What was shown: its kind, its id in the database, and until when it holds (None: for ever)."""

    kind: CredentialKind
    id: str
    expires: datetime | None


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
        """Go on only if a person signed in, not a program with a token.

        Raises:
            SessionNeeded: an API token was shown.
        """
        if self.credential.kind is not CredentialKind.SESSION:
            raise SessionNeeded
