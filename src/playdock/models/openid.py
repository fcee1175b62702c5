"""OpenID sign-ins in progress, ID tokens of sessions, and guided tests.

The secret that identifies a browser is stored as a digest. Nonce, verifier and ID token are stored in plain text,
because they are sent to or compared with values from the provider.
"""

from datetime import datetime

from sqlalchemy import ForeignKey, false
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base


class OpenIdTest(Base):
    """A guided test: a sign-in through its link stores the claims as JSON instead of opening a session."""

    __tablename__ = "openid_tests"

    digest: Mapped[str] = mapped_column(primary_key=True)
    opened: Mapped[bool]
    claims: Mapped[str | None]
    refusal: Mapped[str | None]
    expires: Mapped[datetime]


class OpenIdFlow(Base):
    """A sign-in in progress in one browser.

    With ``session_id`` it links the identity to the user of the session; with ``test`` it belongs to a guided test.
    If it is ``recent``, the identity provider has to authenticate the user again.
    """

    __tablename__ = "openid_flows"

    state: Mapped[str] = mapped_column(primary_key=True)
    browser: Mapped[str]
    nonce: Mapped[str]
    verifier: Mapped[str]
    redirect: Mapped[str]
    session_id: Mapped[str | None] = mapped_column(ForeignKey("sessions.id", ondelete="CASCADE"), index=True)
    recent: Mapped[bool] = mapped_column(server_default=false())
    test: Mapped[str | None] = mapped_column(ForeignKey("openid_tests.digest", ondelete="CASCADE"), index=True)
    expires: Mapped[datetime] = mapped_column(index=True)


class OpenIdSession(Base):
    """The ID token of a session, which is sent to the provider at sign-out."""

    __tablename__ = "openid_sessions"

    session_id: Mapped[str] = mapped_column(ForeignKey("sessions.id", ondelete="CASCADE"), primary_key=True)
    id_token: Mapped[str]
