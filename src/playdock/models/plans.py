"""The import plan and import runs."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base, Id


class PlanRow(Base):
    """The suggestion for one folder that is not imported.

    ``clues`` is the evidence, ``candidates`` are the games it may be by descending confidence, ``versions`` the
    versions to import. A row is ``certain`` if all its clues agree. ``confidence`` is that of the first candidate, from
    0 to 1; ``source_id`` and ``metadata_id`` identify that candidate and are None without one.
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
    remark_code: Mapped[str | None]
    remark_parameters: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    computed: Mapped[datetime]


class ImportRun(Base):
    """A bulk import of plan rows. A run that is ``undone`` imports nothing more.

    An ``automatic`` run was started by the rules of libraries; of runs of earlier releases it is None.
    """

    __tablename__ = "import_runs"

    id: Mapped[Id]
    task_id: Mapped[str | None]
    created: Mapped[datetime]
    undone: Mapped[datetime | None]
    automatic: Mapped[bool | None]


class RunRow(Base):
    """A folder of an import run, the selection for it, and the result."""

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
