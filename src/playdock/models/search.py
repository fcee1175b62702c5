"""The search index of games."""

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base


class SearchEntry(Base):
    """The texts by which a search result is ranked: the words of the ``title`` and the ``labels``.

    Labels are the names of companies and tags, one per line. The index entry has the same ``id`` in the table
    ``search_index``, which uses FTS5 on SQLite and text search vectors on PostgreSQL. It is deleted with this row, and
    this row with the game. ``version`` is that of the rules by which the texts were written (``INDEX_VERSION``).
    """

    __tablename__ = "search_entries"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id", ondelete="CASCADE"), unique=True)
    title: Mapped[str]
    labels: Mapped[str]
    version: Mapped[int] = mapped_column(server_default="1", index=True)
