"""Tickets: short-lived secrets that open one path, for programs and servers that must not learn a credential.

A ticket is not stored. It consists of the digest of the credential that it was issued to, the path and its expiry,
encrypted with the secret key, so that nobody else can create or change one (docs/decisions/0069).
"""

from datetime import datetime, timedelta

import msgspec
from msgspec import Struct

from playdock.auth.actor import Actor, Credential, CredentialKind
from playdock.auth.permissions import Permission
from playdock.kit.identifiers import digest
from playdock.kit.secret_key import Purpose, SecretKey

TICKET_PREFIX = "pdd"
# Long enough that a client asks for few of them during a download, short because a stolen one cannot be revoked alone.
LIFETIME = timedelta(minutes=10)
_PERMISSIONS = frozenset({Permission.CONTENT_READ})


class Ticket(Struct, frozen=True, array_like=True):
    """The content of a ticket. ``prefix`` and ``digest`` are those of the secret that it was issued to."""

    prefix: str
    digest: str
    path: str
    expires: datetime

    def narrow(self, actor: Actor) -> Actor:
        """Return the actor of the credential with what the ticket allows of it."""
        ends = [time for time in (self.expires, actor.credential.expires) if time]
        credential = Credential(CredentialKind.TICKET, actor.credential.id, min(ends), self.path)
        return Actor(actor.user, actor.acls & _PERMISSIONS, credential)


def prefix_of(secret: str) -> str:
    """Return the part of a secret that says what kind it is."""
    return secret.partition("_")[0]


def issue(secret: str, path: str, *, expires: datetime, key: SecretKey) -> str:
    """Return a ticket with which the owner of the credential ``secret`` can read ``path``."""
    ticket = Ticket(prefix_of(secret), digest(secret), path, expires)
    return f"{TICKET_PREFIX}_{key.encrypt(msgspec.json.encode(ticket).decode(), Purpose.TICKET)}"


def read(secret: str, *, at: datetime, key: SecretKey) -> Ticket | None:
    """Return the content of a ticket, None if it was not issued with this key or has expired."""
    text = key.decrypt(secret.partition("_")[2], Purpose.TICKET)
    ticket = msgspec.json.decode(text, type=Ticket) if text is not None else None
    return ticket if ticket and ticket.expires > at else None
