"""Every statement on the index that games are searched in."""

from sqlalchemy.orm import Session


def index_game(session: Session, game_id: str) -> None:
    """Bring what the index holds of a game up to date with the game, its companies and its tags."""
