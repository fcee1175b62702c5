"""Every statement on the mechanisms of one user."""

from collections.abc import Sequence

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from playdock.models import Mechanism


def of_user(session: Session, user_id: str) -> Sequence[Mechanism]:
    """Give a user's mechanisms by the name of their kind."""
    return session.scalars(select(Mechanism).where(Mechanism.user_id == user_id).order_by(Mechanism.kind)).all()


def remove(session: Session, mechanism_id: str) -> None:
    session.execute(delete(Mechanism).where(Mechanism.id == mechanism_id))
