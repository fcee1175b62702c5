"""What games are described with: companies, tags, pictures."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base, Id


class Company(Base):
    """Who made or published games. ``folded`` is the name's exact normal form: what must be unique."""

    __tablename__ = "companies"

    id: Mapped[Id]
    name: Mapped[str]
    folded: Mapped[str] = mapped_column(unique=True)
    description: Mapped[str] = mapped_column(default="")
    website: Mapped[str] = mapped_column(default="")
    created: Mapped[datetime]


class GameCompany(Base):
    """A company's part in a game: ``developer`` or ``publisher``, in the order that they are named in."""

    __tablename__ = "game_companies"
    __table_args__ = (Index(None, "company_id", "game_id"),)

    game_id: Mapped[str] = mapped_column(ForeignKey("games.id", ondelete="CASCADE"), primary_key=True)
    role: Mapped[str] = mapped_column(primary_key=True)
    company_id: Mapped[str] = mapped_column(ForeignKey("companies.id", ondelete="CASCADE"), primary_key=True)
    position: Mapped[int]


class Tag(Base):
    """A word of one kind, such as the genre Strategy. ``folded`` is its exact normal form, unique within the kind."""

    __tablename__ = "tags"
    __table_args__ = (UniqueConstraint("kind", "folded"),)

    id: Mapped[Id]
    kind: Mapped[str]
    name: Mapped[str]
    folded: Mapped[str]
    created: Mapped[datetime]


class GameTag(Base):
    """A game has a tag; the first say most about it."""

    __tablename__ = "game_tags"

    game_id: Mapped[str] = mapped_column(ForeignKey("games.id", ondelete="CASCADE"), primary_key=True)
    tag_id: Mapped[str] = mapped_column(ForeignKey("tags.id", ondelete="CASCADE"), primary_key=True, index=True)
    position: Mapped[int]


class Picture(Base):
    """A picture of a game's.

    ``renditions`` lists what it is stored as: ``{size, mediaType, width, height, objectId}``, smallest first.
    ``address`` is where it was downloaded from, empty for an upload; ``credit`` names who made it where that is asked.
    ``placeholder`` is its ThumbHash in base64, ``colour`` as ``#rrggbb``; both are None until they have been computed.
    """

    __tablename__ = "pictures"
    __table_args__ = (Index(None, "game_id"),)

    id: Mapped[Id]
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id", ondelete="CASCADE"))
    source: Mapped[str]
    address: Mapped[str]
    credit: Mapped[str]
    renditions: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    placeholder: Mapped[str | None]
    colour: Mapped[str | None]
    created: Mapped[datetime]


class PictureUse(Base):
    """What a picture is used as: ``cover``, ``banner``, ``icon``, ``logo``, or a place in the game's ``carousel``."""

    __tablename__ = "picture_uses"

    game_id: Mapped[str] = mapped_column(ForeignKey("games.id", ondelete="CASCADE"), primary_key=True)
    role: Mapped[str] = mapped_column(primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    picture_id: Mapped[str] = mapped_column(ForeignKey("pictures.id", ondelete="CASCADE"), index=True)
