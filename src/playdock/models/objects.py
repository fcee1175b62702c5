"""Objects: pictures and other small files that are fetched by id."""

from datetime import datetime

from sqlalchemy.orm import Mapped

from playdock.models.base import Base, Id


class StoredObject(Base):
    """The attributes of an object; its bytes are in the object storage under its id.

    ``reader`` is ``anonymous`` if everyone may read it, ``internal`` for all signed-in users, or the id of a user. The
    reader of a saved game is ``saves:`` and the id of its user: only the feature for saved games reads it.
    """

    __tablename__ = "objects"

    id: Mapped[Id]
    media_type: Mapped[str]
    size: Mapped[int]
    etag: Mapped[str]
    reader: Mapped[str]
    created: Mapped[datetime]
