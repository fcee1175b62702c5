"""What serving games needs beside the versions themselves: signed links, patches, and damage that was found."""

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base, Id


class DownloadLink(Base):
    """A signed address: it lets whoever has it fetch one path of the service with its maker's right to download.

    ``bytes_left`` is how many may still pass, None for any number; only the secret's digest is stored.
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
    """What turns an installation of one version into that of another; its listing and bytes are blobs under its id.

    It holds for exactly the revisions it was made of. ``size`` is bytes on disk, ``used`` when it was last asked for.
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
    """A file of a version that is not in the library as it was imported, and what is wrong with it."""

    __tablename__ = "damages"
    __table_args__ = (UniqueConstraint("version_id", "path"),)

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    version_id: Mapped[str] = mapped_column(ForeignKey("versions.id", ondelete="CASCADE"))
    path: Mapped[str]
    fault: Mapped[str]
    found: Mapped[datetime]
