"""Libraries, from which games are imported."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base, Id


class Library(Base):
    """A library; the content of ``options`` depends on its backend."""

    __tablename__ = "libraries"

    id: Mapped[Id]
    name: Mapped[str]
    backend: Mapped[str]
    options: Mapped[dict[str, Any]] = mapped_column(JSON)
    created: Mapped[datetime]
