"""All statements on a user's sign-in methods."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from playdock.models import SignInMethod


def of_user(session: Session, user_id: str) -> Sequence[SignInMethod]:
    """Return a user's sign-in methods, sorted by kind."""
    return session.scalars(
        select(SignInMethod).where(SignInMethod.user_id == user_id).order_by(SignInMethod.kind)
    ).all()
