"""Invitations."""

from datetime import datetime

from sqlalchemy.orm import Mapped

from playdock.models.base import Base, Id


class Invitation(Base):
    """An invitation to sign up once before it expires. Its id is the secret of its link.

    ``username`` and ``email``, if set, are enforced.
    """

    __tablename__ = "invitations"

    id: Mapped[Id]
    is_admin: Mapped[bool]
    username: Mapped[str | None]
    email: Mapped[str | None]
    expires: Mapped[datetime]
    created: Mapped[datetime]
