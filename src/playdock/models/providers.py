"""What is kept of metadata providers: when they were called, their tokens, their answers."""

from datetime import datetime

from sqlalchemy import JSON, Index
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base


class ProviderState(Base):
    """One provider: the moments (Unix seconds) of its latest calls, until when it wants to be left alone, its token."""

    __tablename__ = "provider_states"

    source_id: Mapped[str] = mapped_column(primary_key=True)
    calls: Mapped[list[float]] = mapped_column(JSON)
    resting_until: Mapped[datetime | None]
    token: Mapped[str | None]
    token_expires: Mapped[datetime | None]


class ProviderAnswer(Base):
    """An answer that is kept until it ``expires``; ``digest`` is the SHA-256 of what was asked."""

    __tablename__ = "provider_answers"
    __table_args__ = (Index(None, "expires"),)

    digest: Mapped[str] = mapped_column(primary_key=True)
    source_id: Mapped[str]
    body: Mapped[bytes]
    expires: Mapped[datetime]
