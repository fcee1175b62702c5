"""Sessions of users and tokens of programs. Only the digests of their secrets are stored."""

from datetime import datetime

from sqlalchemy import JSON, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base, Id


class UserSession(Base):
    """A session: a sign-in of a user from one browser or program.

    ``authenticated`` is when the user last entered the password or signed in at the identity provider, None if unknown.
    ``replaced_digest`` is that of the secret which the session had before; it is valid until ``replaced_until``.
    """

    __tablename__ = "sessions"

    id: Mapped[Id]
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    digest: Mapped[str] = mapped_column(unique=True)
    replaced_digest: Mapped[str | None] = mapped_column(index=True, unique=True)
    replaced_until: Mapped[datetime | None]
    agent: Mapped[str]
    created: Mapped[datetime]
    authenticated: Mapped[datetime | None]
    seen: Mapped[datetime]
    expires: Mapped[datetime]


class Token(Base):
    """An API token, which gives a program some of its owner's permissions."""

    __tablename__ = "tokens"

    id: Mapped[Id]
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    digest: Mapped[str] = mapped_column(unique=True)
    name: Mapped[str]
    acls: Mapped[list[str]] = mapped_column(JSON)
    created: Mapped[datetime]
    expires: Mapped[datetime]
