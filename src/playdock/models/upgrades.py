"""Upgrades of the schema."""

from datetime import datetime

from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base


class SchemaUpgrade(Base):
    """The release that upgraded the database to a schema, and when; an older release reads this to name it."""

    __tablename__ = "schema_upgrades"

    revision: Mapped[str] = mapped_column(primary_key=True)
    release: Mapped[str]
    at: Mapped[datetime]
