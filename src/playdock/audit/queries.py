"""The statements that write the audit log, and those that name what is changed."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import delete, insert, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from playdock.models import (
    AuditEntry,
    Company,
    Game,
    GameRequest,
    Library,
    NewsArticle,
    Tag,
    Task,
    TrashItem,
    Upload,
    User,
    Version,
)

# By the names of path parameters, and of fields with ids.
_NAMES: Mapping[str, tuple[InstrumentedAttribute[str], InstrumentedAttribute[str]]] = {
    "user_id": (User.id, User.username),
    "version_id": (Version.id, Version.name),
    "game_id": (Game.id, Game.name),
    "company_id": (Company.id, Company.name),
    "tag_id": (Tag.id, Tag.name),
    "library_id": (Library.id, Library.name),
    "task_id": (Task.id, Task.name),
    "article_id": (NewsArticle.id, NewsArticle.title),
    "request_id": (GameRequest.id, GameRequest.name),
    "item_id": (TrashItem.id, TrashItem.game_name),
    "upload_id": (Upload.id, Upload.game),
}


def add(session: Session, values: Mapping[str, Any]) -> None:
    session.execute(insert(AuditEntry).values(**values))


def name_of(session: Session, kind: str, row_id: str) -> str:
    """Return the current name of a row; ``kind`` is the name of the parameter with its id. Empty if there is none."""
    if not row_id or kind not in _NAMES:
        return ""
    column, name = _NAMES[kind]
    return session.scalar(select(name).where(column == row_id)) or ""


def game_of(session: Session, version_id: str) -> str:
    """Return the name of a version's game, empty if there is no such version."""
    found = select(Game.name).join(Version, Version.game_id == Game.id).where(Version.id == version_id)
    return session.scalar(found) or ""


def delete_before(session: Session, *, before: datetime) -> None:
    session.execute(delete(AuditEntry).where(AuditEntry.at < before))
