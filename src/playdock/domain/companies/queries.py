"""All statements on companies and their roles in games."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from msgspec import Struct
from sqlalchemy import Select, delete, exists, func, select, update
from sqlalchemy.orm import Session, load_only

from playdock.db.insertion import insert_or_ignore
from playdock.db.locks import LockLevel, advisory_lock
from playdock.domain.attributes import queries as attribute_queries
from playdock.kit.identifiers import new_id
from playdock.kit.texts import normalize, one_line
from playdock.models import Company, Game, GameCompany

LOCK = LockLevel.COMPANIES
_GAMES = select(func.count(GameCompany.game_id.distinct())).where(GameCompany.company_id == Company.id)


class ListedCompany(NamedTuple):
    """What companies are listed by; ``name`` is normalized."""

    id: str
    name: str


class CompanyCount(Struct, frozen=True):
    """A company, and how many games it developed or published."""

    company: Company
    games: int


class CompanyWithGames(Struct, frozen=True):
    """A company with the games it developed and published, by name; only the names of the games are loaded."""

    company: Company
    developed: Sequence[Game]
    published: Sequence[Game]

    @property
    def games(self) -> int:
        return len({game.id for game in (*self.developed, *self.published)})


def find_or_add(session: Session, names: Sequence[str], *, at: datetime) -> list[str]:
    """Return the ids of the companies with some names, in that order and without duplicates; add missing companies.

    Takes an advisory lock: two transactions adding the same companies in a different order would deadlock.
    """
    advisory_lock(session, LOCK)
    names_by_key = {normalize(name): name for name in reversed(names) if normalize(name)}
    for normalized_name, name in names_by_key.items():
        values = {
            "id": new_id(),
            "name": one_line(name),
            "normalized_name": normalized_name,
            "description": "",
            "website": "",
            "created": at,
        }
        session.execute(insert_or_ignore(session, Company, values))
    rows = session.execute(select(Company.normalized_name, Company.id).where(Company.normalized_name.in_(names_by_key)))
    ids = {row.normalized_name: row.id for row in rows}
    return [ids[normalized_name] for normalized_name in dict.fromkeys(map(normalize, names)) if normalized_name in ids]


def replace(session: Session, game_id: str, role: str, company_ids: Sequence[str]) -> None:
    """Set the companies that have a role (``developer`` or ``publisher``) in a game, in order."""
    session.execute(delete(GameCompany).where(GameCompany.game_id == game_id, GameCompany.role == role))
    session.add_all(
        GameCompany(game_id=game_id, role=role, company_id=company_id, position=position)
        for position, company_id in enumerate(company_ids)
    )


def of_game(session: Session, game_id: str, role: str) -> Sequence[Company]:
    """Return the companies that have a role in a game, in order."""
    statement = select(Company).join(GameCompany, GameCompany.company_id == Company.id)
    has_role = (GameCompany.game_id == game_id) & (GameCompany.role == role)
    return session.scalars(statement.where(has_role).order_by(GameCompany.position)).all()


def names(session: Session) -> list[ListedCompany]:
    """Return the ids and normalized names of all companies, by name."""
    statement = select(Company.id, Company.normalized_name)
    # The databases sort names differently.
    return sorted((ListedCompany(*row) for row in session.execute(statement)), key=lambda company: company.name)


def with_counts(session: Session, company_ids: Sequence[str]) -> list[CompanyCount]:
    """Return companies in the order of their ids."""
    statement = select(Company, _GAMES.scalar_subquery()).where(Company.id.in_(company_ids))
    found = {row.Company.id: CompanyCount(*row) for row in session.execute(statement)}
    return [found[company_id] for company_id in company_ids]


def find(session: Session, company_id: str) -> Company | None:
    return session.get(Company, company_id)


def id_of(session: Session, normalized_name: str) -> str | None:
    """Return the id of the company with a normalized name, or None."""
    return session.scalar(select(Company.id).where(Company.normalized_name == normalized_name))


def with_games(session: Session, row: Company) -> CompanyWithGames:
    games: dict[str, list[Game]] = {"developer": [], "publisher": []}
    statement = select(GameCompany.role, Game).join(Game, Game.id == GameCompany.game_id).options(load_only(Game.name))
    for role, game in session.execute(
        statement.where(GameCompany.company_id == row.id).order_by(Game.sort_name, Game.id)
    ):
        games[role].append(game)
    return CompanyWithGames(row, developed=games["developer"], published=games["publisher"])


def games_of(company_id: str) -> Select[str]:
    """Return a subquery of the ids of the games in which a company has a role."""
    return select(GameCompany.game_id).where(GameCompany.company_id == company_id)


def roles(session: Session, company_id: str) -> Mapping[str, Sequence[str]]:
    """Return the roles of a company by game id."""
    by_game: defaultdict[str, list[str]] = defaultdict(list)
    statement = select(GameCompany.game_id, GameCompany.role).where(GameCompany.company_id == company_id)
    for game_id, role in session.execute(statement):
        by_game[game_id].append(role)
    return by_game


def add(session: Session, row: Company) -> None:
    session.add(row)


def change(session: Session, company_id: str, values: Mapping[str, Any]) -> None:
    if values:
        session.execute(update(Company).where(Company.id == company_id).values(values))


def move_games(session: Session, company_id: str, *, into: str) -> None:
    """Assign a company's roles in games to another company; the lower position is kept where both have the role."""
    shared = (GameCompany.game_id, GameCompany.role)
    attribute_queries.move_games(session, GameCompany.company_id, company_id, into=into, shared=shared)


def added_with(session: Session, game_id: str, *, at: datetime) -> Sequence[str]:
    """Return the ids of the companies that were added when a game was, at that time."""
    statement = select(Company.id).join(GameCompany, GameCompany.company_id == Company.id).distinct()
    return session.scalars(statement.where(GameCompany.game_id == game_id, Company.created == at)).all()


def remove(session: Session, company_id: str) -> None:
    session.execute(delete(Company).where(Company.id == company_id))


def remove_unused(session: Session, company_id: str) -> None:
    """Delete a company, unless a game has it."""
    is_used = exists().where(GameCompany.company_id == company_id)
    session.execute(delete(Company).where(Company.id == company_id, ~is_used))
