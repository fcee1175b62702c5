"""Users and their sign-in methods."""

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base, Id


class User(Base):
    """A user account. ``normalized_name`` is the case-folded user name and must be unique.

    ``download_rate`` (bytes per second) and ``downloads_at_once`` are individual limits; None selects the server's
    default, 0 removes the limit.
    """

    __tablename__ = "users"

    id: Mapped[Id]
    username: Mapped[str]
    normalized_name: Mapped[str] = mapped_column(unique=True)
    display_name: Mapped[str]
    email: Mapped[str]
    picture_id: Mapped[str]
    admin: Mapped[bool]
    enabled: Mapped[bool]
    download_rate: Mapped[int | None] = mapped_column(BigInteger)
    downloads_at_once: Mapped[int | None]
    created: Mapped[datetime]


class SignInMethod(Base):
    """A sign-in method: ``Simple`` has a password hash as its secret, others a subject from an identity provider."""

    __tablename__ = "sign_in_methods"
    __table_args__ = (UniqueConstraint("user_id", "kind"), UniqueConstraint("kind", "subject"))

    id: Mapped[Id]
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    kind: Mapped[str]
    subject: Mapped[str | None]
    secret: Mapped[str | None]


class PasswordReset(Base):
    """A one-time link to set a new password, identified by the digest of its secret."""

    __tablename__ = "password_resets"

    digest: Mapped[str] = mapped_column(primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    expires: Mapped[datetime]


class FailedAttempt(Base):
    """A failed attempt; ``key`` names the account or the address for which it counts."""

    __tablename__ = "failed_attempts"
    __table_args__ = (Index(None, "key", "at"),)

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    key: Mapped[str]
    at: Mapped[datetime]
