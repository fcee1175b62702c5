"""What games are found by."""

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base


class SearchEntry(Base):
    """A game as search results are ranked by: the words of its ``title``, and of its companies and tags, one a line.

    What it is found by stands under its ``id`` in ``search_index``, which is each database's own: a table of FTS5 on
    SQLite, one of text search vectors on PostgreSQL. An entry's end takes that with it, and the game's takes the entry.
    """

    __tablename__ = "search_entries"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id", ondelete="CASCADE"), unique=True)
    title: Mapped[str]
    labels: Mapped[str]
