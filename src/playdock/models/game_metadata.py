"""Metadata of games: companies, tags and pictures."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base, Id


class Company(Base):
    """A developer or publisher of games. ``normalized_name`` is the normalized name and must be unique."""

    __tablename__ = "companies"

    id: Mapped[Id]
    name: Mapped[str]
    normalized_name: Mapped[str] = mapped_column(unique=True)
    description: Mapped[str] = mapped_column(default="")
    website: Mapped[str] = mapped_column(default="")
    created: Mapped[datetime]


class GameCompany(Base):
    """The role of a company in a game, ``developer`` or ``publisher``; ``position`` orders companies of a role."""

    __tablename__ = "game_companies"
    __table_args__ = (Index(None, "company_id", "game_id"),)

    game_id: Mapped[str] = mapped_column(ForeignKey("games.id", ondelete="CASCADE"), primary_key=True)
    role: Mapped[str] = mapped_column(primary_key=True)
    company_id: Mapped[str] = mapped_column(ForeignKey("companies.id", ondelete="CASCADE"), primary_key=True)
    position: Mapped[int]


class Tag(Base):
    """A tag of one kind, such as the genre Strategy. ``normalized_name`` is unique within the kind."""

    __tablename__ = "tags"
    __table_args__ = (UniqueConstraint("kind", "normalized_name"),)

    id: Mapped[Id]
    kind: Mapped[str]
    name: Mapped[str]
    normalized_name: Mapped[str]
    created: Mapped[datetime]


class GameTag(Base):
    """A tag of a game; ``position`` orders the tags of a game by relevance."""

    __tablename__ = "game_tags"

    game_id: Mapped[str] = mapped_column(ForeignKey("games.id", ondelete="CASCADE"), primary_key=True)
    tag_id: Mapped[str] = mapped_column(ForeignKey("tags.id", ondelete="CASCADE"), primary_key=True, index=True)
    position: Mapped[int]


class Picture(Base):
    """A picture of a game.

    ``renditions`` are its stored files as ``{size, mediaType, width, height, objectId}``, in ascending size.
    ``address`` is the URL it was downloaded from, empty for an upload; ``credit`` names its author if the provider
    requires that. ``placeholder`` is its ThumbHash in base64, ``colour`` has the form ``#rrggbb``; both are None until
    they are computed.
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
    """The use of a picture: ``cover``, ``banner``, ``icon``, ``logo``, or a position in the game's ``carousel``."""

    __tablename__ = "picture_uses"

    game_id: Mapped[str] = mapped_column(ForeignKey("games.id", ondelete="CASCADE"), primary_key=True)
    role: Mapped[str] = mapped_column(primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    picture_id: Mapped[str] = mapped_column(ForeignKey("pictures.id", ondelete="CASCADE"), index=True)
