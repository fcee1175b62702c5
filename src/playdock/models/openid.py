"""Sign-ins by OpenID: those under way, what a session keeps of one, and guided tests.

What proves a browser is stored as a digest; nonce, verifier and ID token are needed as they are.
"""

from datetime import datetime

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base


class OpenIdTest(Base):
    """A guided test: who opens its link signs in, and the claims are kept as JSON instead of opening a session."""

    __tablename__ = "openid_tests"

    digest: Mapped[str] = mapped_column(primary_key=True)
    opened: Mapped[bool]
    claims: Mapped[str | None]
    refusal: Mapped[str | None]
    expires: Mapped[datetime]


class OpenIdFlow(Base):
    """A sign-in that has begun in one browser: for nobody yet, for whoever has the session, or for a test."""

    __tablename__ = "openid_flows"

    state: Mapped[str] = mapped_column(primary_key=True)
    browser: Mapped[str]
    nonce: Mapped[str]
    verifier: Mapped[str]
    redirect: Mapped[str]
    session_id: Mapped[str | None] = mapped_column(ForeignKey("sessions.id", ondelete="CASCADE"), index=True)
    test: Mapped[str | None] = mapped_column(ForeignKey("openid_tests.digest", ondelete="CASCADE"), index=True)
    expires: Mapped[datetime] = mapped_column(index=True)


class OpenIdSession(Base):
    """The ID token that a session came from: with it the provider is asked to sign out too."""

    __tablename__ = "openid_sessions"

    session_id: Mapped[str] = mapped_column(ForeignKey("sessions.id", ondelete="CASCADE"), primary_key=True)
    id_token: Mapped[str]
