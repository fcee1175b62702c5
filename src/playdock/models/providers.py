"""The state and cached responses of metadata providers."""

from datetime import datetime

from sqlalchemy import JSON, Index
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base


class ProviderState(Base):
    """The state of a provider.

    ``calls`` are the times of its latest calls in Unix seconds. Until ``resting_until`` it must not be called.
    """

    __tablename__ = "provider_states"

    source_id: Mapped[str] = mapped_column(primary_key=True)
    calls: Mapped[list[float]] = mapped_column(JSON)
    resting_until: Mapped[datetime | None]
    token: Mapped[str | None]
    token_expires: Mapped[datetime | None]


class ProviderResponse(Base):
    """A cached response; ``digest`` is the SHA-256 digest of the request."""

    __tablename__ = "provider_responses"
    __table_args__ = (Index(None, "expires"),)

    digest: Mapped[str] = mapped_column(primary_key=True)
    source_id: Mapped[str]
    body: Mapped[bytes]
    expires: Mapped[datetime]
