"""All statements on invitations."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from playdock.models import Invitation


def add(session: Session, row: Invitation) -> None:
    session.add(row)


def unexpired(session: Session, *, at: datetime) -> Sequence[Invitation]:
    """Return the invitations that have not expired, newest first."""
    statement = select(Invitation).where(Invitation.expires > at)
    return session.scalars(statement.order_by(Invitation.created.desc(), Invitation.id)).all()


def find(session: Session, invitation_id: str, *, at: datetime) -> Invitation | None:
    return session.scalar(select(Invitation).where(Invitation.id == invitation_id, Invitation.expires > at))


def replace_id(session: Session, invitation_id: str, new_id: str) -> None:
    session.execute(update(Invitation).where(Invitation.id == invitation_id).values(id=new_id))


def claim(session: Session, invitation_id: str, *, at: datetime) -> Invitation | None:
    """Delete and return the invitation, in one statement, so that two racing calls cannot both succeed."""
    return session.scalar(
        delete(Invitation).where(Invitation.id == invitation_id, Invitation.expires > at).returning(Invitation)
    )


def remove(session: Session, invitation_id: str) -> bool:
    statement = delete(Invitation).where(Invitation.id == invitation_id)
    return session.scalar(statement.returning(Invitation.id)) is not None


def delete_expired(session: Session, *, at: datetime) -> None:
    session.execute(delete(Invitation).where(Invitation.expires <= at))
