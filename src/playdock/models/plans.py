"""Plans of imports and the runs that carried them out."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base, Id


class PlanRow(Base):
    """What is proposed for one unimported folder.

    ``clues`` is the evidence, ``candidates`` the games it may be, likeliest first, ``versions`` what to import of it.
    The clues of ``certain`` rows agree; ``confidence`` is that of the first candidate, 0 to 1, and ``source_id`` and
    ``metadata_id`` name it, None where there is none.
    """

    __tablename__ = "plan_rows"
    __table_args__ = (
        UniqueConstraint("library_id", "path"),
        Index(None, "certain", "path"),
        Index(None, "source_id", "metadata_id"),
    )

    id: Mapped[Id]
    library_id: Mapped[str] = mapped_column(ForeignKey("libraries.id", ondelete="CASCADE"))
    path: Mapped[str]
    title: Mapped[str]
    certain: Mapped[bool]
    confidence: Mapped[float]
    source_id: Mapped[str | None]
    metadata_id: Mapped[str | None]
    clues: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    candidates: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    versions: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    remark: Mapped[str]
    computed: Mapped[datetime]


class ImportRun(Base):
    """Rows of a plan that were applied in one go. Nothing more is imported by a run that was ``taken_back``."""

    __tablename__ = "import_runs"

    id: Mapped[Id]
    task_id: Mapped[str | None]
    created: Mapped[datetime]
    taken_back: Mapped[datetime | None]


class RunRow(Base):
    """One folder of a run: what was chosen for it, and what became of it."""

    __tablename__ = "import_run_rows"
    __table_args__ = (UniqueConstraint("run_id", "position"),)

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    run_id: Mapped[str] = mapped_column(ForeignKey("import_runs.id", ondelete="CASCADE"))
    position: Mapped[int]
    library_id: Mapped[str]
    path: Mapped[str]
    choice: Mapped[dict[str, Any]] = mapped_column(JSON)
    done: Mapped[datetime | None]
    game_id: Mapped[str | None]
    fault: Mapped[str | None]
