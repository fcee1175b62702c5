"""Invitations."""

from datetime import datetime

from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base


class Invitation(Base):
    """An invitation to sign up once before it expires. Its id, the secret of its link, is stored encrypted.

    ``username`` and ``email``, if set, are enforced.
    """

    __tablename__ = "invitations"

    id: Mapped[str] = mapped_column(primary_key=True)
    is_admin: Mapped[bool]
    username: Mapped[str | None]
    email: Mapped[str | None]
    expires: Mapped[datetime]
    created: Mapped[datetime]
