"""What was moved from other servers."""

from datetime import datetime

from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base


class MovedRow(Base):
    """Something that was moved from another server: its id there, and the id of what was made of it here."""

    __tablename__ = "moved_rows"

    server: Mapped[str] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(primary_key=True)
    source_key: Mapped[str] = mapped_column(primary_key=True)
    target: Mapped[str]
    created: Mapped[datetime]
