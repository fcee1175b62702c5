"""What the server calls itself."""

from sqlalchemy.orm import Mapped

from playdock.models.base import Base, Id


class ServerProfile(Base):
    """The server's name, greeting and logo; the table has one row at most."""

    __tablename__ = "server_profile"

    id: Mapped[Id]
    name: Mapped[str]
    greeting: Mapped[str]
    logo_id: Mapped[str | None]
