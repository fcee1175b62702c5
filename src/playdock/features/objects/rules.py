"""Who may read an object."""

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor

ANONYMOUS = "anonymous"
INTERNAL = "internal"


def may_read(reader: str, actor: Actor | None) -> bool:
    if reader == ANONYMOUS:
        return True
    if actor is None or not actor.may(Acl.OBJECT_READ):
        return False
    return reader in (INTERNAL, actor.person.id)
