"""Invitations: the id is the secret."""

from datetime import datetime

from sqlalchemy.orm import Mapped

from playdock.models.base import Base, Id


class Invitation(Base):
    """Whoever holds the id may sign up once before it expires, with the name and address it enforces."""

    __tablename__ = "invitations"

    id: Mapped[Id]
    is_admin: Mapped[bool]
    username: Mapped[str | None]
    email: Mapped[str | None]
    expires: Mapped[datetime]
    created: Mapped[datetime]
