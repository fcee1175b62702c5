"""Games and their versions."""

from datetime import date, datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, ForeignKey, Index, UniqueConstraint, false
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base, Id


class Game(Base):
    """A game of the store; ``path`` is its folder in the library.

    ``sort_name`` is the form of the name that sorts naturally. ``rating`` is the mean of the ``ratings``. ``sources``
    names the source of each field: a provider's id, ``Folder``, or ``Manual`` for an edit by an administrator.
    ``updated`` is the time at which its latest version was imported, ``run_id`` the import run that added the game.
    ``layout`` is the backend that its folder was read with when it was imported, None for that of its library.
    """

    __tablename__ = "games"
    __table_args__ = (
        UniqueConstraint("library_id", "path"),
        UniqueConstraint("metadata_source", "metadata_id"),
        Index(None, "sort_name", "id"),
        # PostgreSQL has another index of the beginnings of names, which only its dialect can describe (migration 0036).
        Index(None, "created", "id"),
        Index(None, "updated", "id"),
        Index(None, "released", "id"),
        Index(None, "rating", "id"),
        Index(None, "featured", "created", "id"),
        Index(None, "run_id"),
        Index(None, "library_id", "id"),
    )

    id: Mapped[Id]
    library_id: Mapped[str] = mapped_column(ForeignKey("libraries.id"))
    path: Mapped[str]
    layout: Mapped[str | None]
    name: Mapped[str]
    sort_name: Mapped[str] = mapped_column(server_default="")
    metadata_source: Mapped[str]
    metadata_id: Mapped[str]
    short_description: Mapped[str] = mapped_column(default="", server_default="")
    description: Mapped[str] = mapped_column(default="", server_default="")
    released: Mapped[date | None]
    release_precision: Mapped[str | None]
    featured: Mapped[bool] = mapped_column(default=False, server_default=false())
    rating: Mapped[float | None]
    ratings: Mapped[list[dict[str, Any]]] = mapped_column(JSON, default=list, server_default="[]")
    age_ratings: Mapped[list[dict[str, Any]]] = mapped_column(JSON, default=list, server_default="[]")
    websites: Mapped[list[dict[str, Any]]] = mapped_column(JSON, default=list, server_default="[]")
    external_ids: Mapped[dict[str, str]] = mapped_column(JSON, default=dict, server_default="{}")
    sources: Mapped[dict[str, str]] = mapped_column(JSON, default=dict, server_default="{}")
    run_id: Mapped[str | None]
    created: Mapped[datetime]
    updated: Mapped[datetime | None]
    refreshed: Mapped[datetime | None]


class Version(Base):
    """A version of a game, complete or a delta over ``base_id``; ``name`` is that of its folder or archive.

    ``label`` is the version and the store according to that name or to its program, None if it was not looked for.
    ``beside`` is set if that folder or archive is beside the folder of its game, instead of in it.

    ``position`` orders the versions of a game. The records of its own files and the manifest of its installation are
    stored as blobs under its ``record_name``; ``manifest_etag`` is the BLAKE3 digest of the manifest. Re-importing it
    creates a new ``revision`` with its own blobs. ``damaged`` is the time at which a file was last found damaged,
    ``verified`` the time at which all files were last verified.
    """

    __tablename__ = "versions"
    __table_args__ = (
        UniqueConstraint("game_id", "position"),
        UniqueConstraint("game_id", "name"),
        Index(None, "game_id", "platform"),
        Index(None, "game_id", "size"),
        Index(None, "verified", "id"),
        Index(None, "damaged"),
        # Few versions are beside their games.
        Index(None, "beside", "name"),
    )

    id: Mapped[Id]
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id", ondelete="CASCADE"))
    position: Mapped[int]
    name: Mapped[str]
    label: Mapped[str | None]
    platform: Mapped[str]
    beside: Mapped[bool] = mapped_column(default=False, server_default=false())
    delta: Mapped[bool]
    base_id: Mapped[str | None] = mapped_column(ForeignKey("versions.id"))
    only_setup: Mapped[bool]
    launch: Mapped[str]
    launch_args: Mapped[str]
    setup: Mapped[str]
    setup_args: Mapped[str]
    compat_id: Mapped[str | None]
    size: Mapped[int] = mapped_column(BigInteger)
    installed_size: Mapped[int] = mapped_column(BigInteger)
    manifest_etag: Mapped[str]
    revision: Mapped[int] = mapped_column(default=0, server_default="0")
    damaged: Mapped[datetime | None]
    verified: Mapped[datetime | None]
    created: Mapped[datetime]

    @property
    def record_name(self) -> str:
        """The name of the blobs of this revision."""
        return f"{self.id}-{self.revision}" if self.revision else self.id
