"""All statements on the server's profile."""

from typing import Any

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from playdock.db.insertion import insert_or_ignore
from playdock.db.locks import LockLevel, advisory_lock
from playdock.models import ServerProfile

# The id of the only row.
_ID = "server"


def find(session: Session) -> ServerProfile | None:
    return session.get(ServerProfile, _ID)


def lock(session: Session) -> str | None:
    """Create the row unless it exists, lock it, and return the id of its logo."""
    advisory_lock(session, LockLevel.SERVER_PROFILE)
    values = {"id": _ID, "name": "", "greeting": "", "logo_id": None}
    session.execute(insert_or_ignore(session, ServerProfile, values))
    return session.scalar(select(ServerProfile.logo_id))


def change(session: Session, values: dict[str, Any]) -> None:
    """Change the locked row."""
    if values:
        session.execute(update(ServerProfile).where(ServerProfile.id == _ID).values(values))
