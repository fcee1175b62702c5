"""Statements on import checkpoints."""

from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from playdock.models import ImportCheckpoint


def add_checkpoint(session: Session, game_id: str, version: str, *, at: datetime, records: bytes) -> None:
    session.add(ImportCheckpoint(game_id=game_id, version_name=version, at=at, records=records))


def checkpoints(session: Session, game_id: str, version: str) -> list[bytes]:
    """Give what earlier runs of an import have learned, oldest first."""
    statement = select(ImportCheckpoint.records).where(
        ImportCheckpoint.game_id == game_id, ImportCheckpoint.version_name == version
    )
    return list(session.scalars(statement.order_by(ImportCheckpoint.id)))


def forget_checkpoints(session: Session, game_id: str, version: str) -> None:
    session.execute(
        delete(ImportCheckpoint).where(ImportCheckpoint.game_id == game_id, ImportCheckpoint.version_name == version)
    )


def forget_old_checkpoints(session: Session, *, before: datetime) -> None:
    session.execute(delete(ImportCheckpoint).where(ImportCheckpoint.at < before))
