"""Objects: pictures and other small things that are fetched by id."""

from datetime import datetime

from sqlalchemy.orm import Mapped

from playdock.models.base import Base, Id


class StoredObject(Base):
    """What is known of an object; its bytes lie in the object storage under its id.

    ``reader`` says who may read it: ``anonymous``, ``internal`` (whoever is signed in) or a user's id.
    """

    __tablename__ = "objects"

    id: Mapped[Id]
    media_type: Mapped[str]
    size: Mapped[int]
    etag: Mapped[str]
    reader: Mapped[str]
    created: Mapped[datetime]
