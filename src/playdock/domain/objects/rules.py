"""Who may read an object."""

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission

ANONYMOUS = "anonymous"
INTERNAL = "internal"


def may_read(reader: str, actor: Actor | None) -> bool:
    if reader == ANONYMOUS:
        return True
    if actor is None or not actor.may(Permission.OBJECT_READ):
        return False
    return reader in (INTERNAL, actor.user.id)
