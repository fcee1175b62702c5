"""Signed links, patches and damaged files of versions."""

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base, Id


class DownloadLink(Base):
    """A signed link, with which anyone can download one path of the service as its creator.

    ``bytes_left`` is the number of bytes that may still be downloaded, None if it is unlimited. Only the digest of the
    secret is stored.
    """

    __tablename__ = "download_links"

    id: Mapped[Id]
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    version_id: Mapped[str] = mapped_column(ForeignKey("versions.id", ondelete="CASCADE"), index=True)
    digest: Mapped[str] = mapped_column(unique=True)
    target: Mapped[str]
    created: Mapped[datetime]
    expires: Mapped[datetime] = mapped_column(index=True)
    bytes_left: Mapped[int | None] = mapped_column(BigInteger)


class PatchSet(Base):
    """The patches that update an installation from one version to another; they are stored as blobs under its id.

    It is valid only for the revisions it was created from. ``size`` is in bytes on disk, ``used`` is the time of its
    last use.
    """

    __tablename__ = "patch_sets"
    __table_args__ = (UniqueConstraint("version_id", "from_id"), Index(None, "used"))

    id: Mapped[Id]
    version_id: Mapped[str] = mapped_column(ForeignKey("versions.id", ondelete="CASCADE"))
    from_id: Mapped[str] = mapped_column(ForeignKey("versions.id", ondelete="CASCADE"), index=True)
    version_etag: Mapped[str]
    from_etag: Mapped[str]
    size: Mapped[int] = mapped_column(BigInteger)
    created: Mapped[datetime]
    used: Mapped[datetime]


class Damage(Base):
    """A file of a version that no longer matches its import, and what is wrong with it."""

    __tablename__ = "damages"
    __table_args__ = (UniqueConstraint("version_id", "path"),)

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    version_id: Mapped[str] = mapped_column(ForeignKey("versions.id", ondelete="CASCADE"))
    path: Mapped[str]
    fault: Mapped[str]
    found: Mapped[datetime]
