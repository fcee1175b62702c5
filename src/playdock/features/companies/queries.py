"""Every statement on companies and their part in games."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from playdock.db.insertion import insert_new
from playdock.kit.folding import fold
from playdock.kit.secrets import new_id
from playdock.models import Company, GameCompany


def find_or_add(session: Session, names: Sequence[str], *, at: datetime) -> list[str]:
    """Give the ids of companies by name, in that order and each once; those that there are not yet are added."""
    wanted = {fold(name): name for name in reversed(names) if fold(name)}
    for folded, name in wanted.items():
        values = {"id": new_id(), "name": name.strip(), "folded": folded, "description": "", "website": ""}
        insert = insert_new(session, Company, {**values, "created": at}, returning=(Company.id,), unique=Company.folded)
        session.execute(insert)
    rows = session.execute(select(Company.folded, Company.id).where(Company.folded.in_(wanted)))
    ids = {row.folded: row.id for row in rows}
    return [ids[folded] for folded in dict.fromkeys(map(fold, names)) if folded in ids]


def replace(session: Session, game_id: str, role: str, company_ids: Sequence[str]) -> None:
    """Say which companies have a role (``developer``, ``publisher``) in a game."""
    session.execute(delete(GameCompany).where(GameCompany.game_id == game_id, GameCompany.role == role))
    session.add_all(
        GameCompany(game_id=game_id, role=role, company_id=company_id, position=position)
        for position, company_id in enumerate(company_ids)
    )
