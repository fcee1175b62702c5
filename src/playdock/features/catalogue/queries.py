"""Every statement on what is told of games."""

from typing import Any

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from playdock.models import Game


def hold(session: Session, game_id: str) -> Game | None:
    """Find a game whose row nobody else changes until this transaction ends."""
    return session.scalar(select(Game).where(Game.id == game_id).with_for_update())


def change(session: Session, game_id: str, values: dict[str, Any]) -> None:
    if values:
        session.execute(update(Game).where(Game.id == game_id).values(values))
