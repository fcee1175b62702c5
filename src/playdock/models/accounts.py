"""People and how they prove who they are."""

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base, Id


class User(Base):
    """A person. ``folded`` is the user name without case: what must be unique.

    ``download_rate`` (bytes a second) and ``downloads_at_once`` are limits of their own; None stands for the general
    ones, 0 for no limit.
    """

    __tablename__ = "users"

    id: Mapped[Id]
    username: Mapped[str]
    folded: Mapped[str] = mapped_column(unique=True)
    display_name: Mapped[str]
    email: Mapped[str]
    picture_id: Mapped[str]
    admin: Mapped[bool]
    enabled: Mapped[bool]
    download_rate: Mapped[int | None] = mapped_column(BigInteger)
    downloads_at_once: Mapped[int | None]
    created: Mapped[datetime]


class Mechanism(Base):
    """One way in: ``Simple`` has a password hash as its secret; other kinds a subject that a provider vouches for."""

    __tablename__ = "mechanisms"
    __table_args__ = (UniqueConstraint("user_id", "kind"), UniqueConstraint("kind", "subject"))

    id: Mapped[Id]
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    kind: Mapped[str]
    subject: Mapped[str | None]
    secret: Mapped[str | None]


class PasswordReset(Base):
    """A one-time link with which a user sets a new password; its id is the digest of the link's secret."""

    __tablename__ = "password_resets"

    digest: Mapped[str] = mapped_column(primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    expires: Mapped[datetime]


class Failure(Base):
    """One wrong attempt, counted for a while against what ``key`` names: an account or an address."""

    __tablename__ = "failures"
    __table_args__ = (Index(None, "key", "at"),)

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    key: Mapped[str]
    at: Mapped[datetime]
