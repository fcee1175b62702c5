"""Libraries: the places that games are imported from."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base, Id


class Library(Base):
    """A place with games; what ``options`` holds depends on the backend."""

    __tablename__ = "libraries"

    id: Mapped[Id]
    name: Mapped[str]
    backend: Mapped[str]
    options: Mapped[dict[str, Any]] = mapped_column(JSON)
    created: Mapped[datetime]
