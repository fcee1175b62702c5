"""Revisions of cached data."""

from sqlalchemy import BigInteger
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base


class CacheRevision(Base):
    """The revisions of cached data, in a single row with one number per subject.

    Triggers change a number in every transaction that changes or deletes rows of its subject. Unlike code, triggers
    also cover cascades and manual changes by an operator.
    """

    __tablename__ = "cache_revisions"

    id: Mapped[int] = mapped_column(primary_key=True)
    credentials: Mapped[int] = mapped_column(BigInteger)
    content: Mapped[int] = mapped_column(BigInteger)
    settings: Mapped[int] = mapped_column(BigInteger, server_default="0")
    store: Mapped[int] = mapped_column(BigInteger, server_default="0")
