"""Every statement on companies and their part in games."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, delete, exists, func, select, update
from sqlalchemy.orm import Session, aliased, load_only

from playdock.db.insertion import insert_new
from playdock.db.turns import take_turn
from playdock.kit.folding import fold
from playdock.kit.secrets import new_id
from playdock.kit.texts import one_line
from playdock.models import Company, Game, GameCompany

TURN = "companies"
_GAMES = select(func.count(GameCompany.game_id.distinct())).where(GameCompany.company_id == Company.id)


@dataclass(frozen=True, slots=True)
class Counted:
    """A company, and how many games it made or published."""

    company: Company
    games: int


@dataclass(frozen=True, slots=True)
class Described:
    """A company with the games that it made and published, by name; of the games only the name is loaded."""

    company: Company
    developed: Sequence[Game]
    published: Sequence[Game]

    @property
    def games(self) -> int:
        return len({game.id for game in (*self.developed, *self.published)})


def find_or_add(session: Session, names: Sequence[str], *, at: datetime) -> list[str]:
    """Give the ids of companies by name, in that order and each once; those that there are not yet are added.

    Transactions that add companies take turns: two that add the same ones in another order would wait for each other.
    """
    take_turn(session, TURN)
    wanted = {fold(name): name for name in reversed(names) if fold(name)}
    for folded, name in wanted.items():
        values = {"id": new_id(), "name": one_line(name), "folded": folded, "description": "", "website": ""}
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


def of_game(session: Session, game_id: str, role: str) -> Sequence[Company]:
    """Give the companies that have a role in a game, in their order."""
    statement = select(Company).join(GameCompany, GameCompany.company_id == Company.id)
    part = (GameCompany.game_id == game_id) & (GameCompany.role == role)
    return session.scalars(statement.where(part).order_by(GameCompany.position)).all()


def page(session: Session, q: str, *, after: str, limit: int) -> list[Counted]:
    """Give the companies with a folded text in their name, in the order of their folded names, from behind one on."""
    statement = select(Company, _GAMES.scalar_subquery()).where(_named(q), Company.folded > after)
    return [Counted(*row) for row in session.execute(statement.order_by(Company.folded).limit(limit))]


def count(session: Session, q: str) -> int:
    """Count the companies with a folded text in their name."""
    return session.scalar(select(func.count()).select_from(Company).where(_named(q))) or 0


def find(session: Session, company_id: str) -> Company | None:
    return session.get(Company, company_id)


def id_of(session: Session, folded: str) -> str | None:
    """Give the id of the company with a folded name."""
    return session.scalar(select(Company.id).where(Company.folded == folded))


def described(session: Session, row: Company) -> Described:
    games: dict[str, list[Game]] = {"developer": [], "publisher": []}
    parts = select(GameCompany.role, Game).join(Game, Game.id == GameCompany.game_id).options(load_only(Game.name))
    for role, game in session.execute(parts.where(GameCompany.company_id == row.id).order_by(Game.sort_name, Game.id)):
        games[role].append(game)
    return Described(row, developed=games["developer"], published=games["publisher"])


def games_of(company_id: str) -> Select[str]:
    """Select the ids of the games that a company has a part in."""
    return select(GameCompany.game_id).where(GameCompany.company_id == company_id)


def roles(session: Session, company_id: str) -> Mapping[str, Sequence[str]]:
    """Give the roles that a company has, by game."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    part = select(GameCompany.game_id, GameCompany.role).where(GameCompany.company_id == company_id)
    for game_id, role in session.execute(part):
        found[game_id].append(role)
    return found


def add(session: Session, row: Company) -> None:
    session.add(row)


def change(session: Session, company_id: str, values: Mapping[str, Any]) -> None:
    if values:
        session.execute(update(Company).where(Company.id == company_id).values(values))


def hand_over(session: Session, company_id: str, *, into: str) -> None:
    """Give a company's parts to another one; where both have the same part, the place of the first of them counts."""
    pair, first = (company_id, into), aliased(GameCompany)
    same_part = (first.game_id == GameCompany.game_id) & (first.role == GameCompany.role)
    before = exists().where(same_part, first.company_id.in_(pair), first.position < GameCompany.position)
    session.execute(delete(GameCompany).where(GameCompany.company_id.in_(pair), before))
    session.execute(update(GameCompany).where(GameCompany.company_id == company_id).values(company_id=into))


def remove(session: Session, company_id: str) -> None:
    session.execute(delete(Company).where(Company.id == company_id))


def _named(q: str) -> ColumnElement[bool]:
    return Company.folded.contains(q, autoescape=True)
