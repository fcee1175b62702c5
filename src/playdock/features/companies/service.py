"""Operations of administrators on companies."""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from sqlalchemy.orm import Session

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.db.database import Database
from playdock.db.locks import advisory_lock
from playdock.domain.attributes.service import reindex, reject_self_merge, save_sources
from playdock.domain.companies import queries
from playdock.domain.companies.queries import CompanyCount, CompanyWithGames
from playdock.domain.games import queries as game_queries
from playdock.features.companies import rules
from playdock.features.companies.errors import CompanyTaken, CompanyUnknown
from playdock.features.companies.schemas import CompanyChanges, CompanyCreate, CompanyQuery
from playdock.kit.clock import Clock
from playdock.kit.identifiers import new_id
from playdock.kit.messages import Message
from playdock.kit.texts import has_words, normalize
from playdock.models import Company


class CompanyListing(Struct, frozen=True):
    """A page of companies, their total number, and the cursor of the next page, None on the last page."""

    companies: Sequence[CompanyCount]
    total: int
    next: str | None


class Companies(Struct, frozen=True):
    """Operations on companies. Each change takes the advisory lock first and locks the games second."""

    db: Database
    clock: Clock

    def listing(self, actor: Actor, query: CompanyQuery) -> CompanyListing:
        """Return a page of companies by name; the cursor is the unique normalized name of its last company."""
        actor.require(Permission.COMPANY_READ)
        with self.db.read() as session:
            # In Python, because the databases do not ignore accents.
            found = [company for company in queries.names(session) if has_words(company.name, query.q)]
            following = [company for company in found if company.name > query.after]
            page = following[: query.limit]
            rows = queries.with_counts(session, [company.id for company in page])
        return CompanyListing(rows, len(found), page[-1].name if len(following) > query.limit else None)

    def find(self, actor: Actor, company_id: str) -> CompanyWithGames:
        """Return a company with its games.

        Raises:
            CompanyUnknown: no company has this id.
        """
        actor.require(Permission.COMPANY_READ)
        with self.db.read() as session:
            return queries.with_games(session, _require_company(session, company_id))

    def add(self, actor: Actor, data: CompanyCreate) -> CompanyWithGames:
        """Add a company.

        Raises:
            CompanyTaken: another company has this name.
        """
        actor.require(Permission.COMPANY_NEW)
        row = Company(id=new_id(), created=self.clock(), **rules.columns(data))
        with self.db.write() as session:
            advisory_lock(session, queries.LOCK)
            _require_unused_name(session, row.name)
            queries.add(session, row)
            return queries.with_games(session, row)

    def change(self, actor: Actor, company_id: str, changes: CompanyChanges) -> CompanyWithGames:
        """Change the given fields.

        Raises:
            CompanyUnknown: no company has this id.
            CompanyTaken: another company has this name.
        """
        actor.require(Permission.COMPANY_UPDATE)
        values = rules.columns(changes)
        with self.db.write() as session:
            advisory_lock(session, queries.LOCK)
            row = _require_company(session, company_id)
            _change(session, row, {column: value for column, value in values.items() if value != getattr(row, column)})
            return queries.with_games(session, row)

    def delete(self, actor: Actor, company_id: str) -> None:
        """Delete a company; its games are kept.

        Raises:
            CompanyUnknown: no company has this id.
        """
        actor.require(Permission.COMPANY_DELETE)
        with self.db.write() as session:
            advisory_lock(session, queries.LOCK)
            row = _require_company(session, company_id)
            games = _lock_games(session, row.id)
            queries.remove(session, row.id)
            save_sources(session, games)

    def merge(self, actor: Actor, company_id: str, into: str) -> CompanyWithGames:
        """Assign a company's games to another company, delete it, and return the other one.

        Raises:
            CompanyUnknown: no company has one of the ids.
            InvalidInput: both ids are the same.
        """
        actor.require(Permission.COMPANY_UPDATE)
        actor.require(Permission.COMPANY_DELETE)
        with self.db.write() as session:
            advisory_lock(session, queries.LOCK)
            row, other = _require_company(session, company_id), _require_company(session, into)
            reject_self_merge(row.id, into=other.id, error=Message("company-into-itself"))
            games = _lock_games(session, row.id)
            queries.move_games(session, row.id, into=other.id)
            queries.remove(session, row.id)
            save_sources(session, games)
            return queries.with_games(session, other)


_Sources = Mapping[str, dict[str, str]]


def _require_company(session: Session, company_id: str) -> Company:
    row = queries.find(session, company_id)
    if row is None:
        raise CompanyUnknown
    return row


def _require_unused_name(session: Session, name: str) -> None:
    if queries.id_of(session, normalize(name)) is not None:
        raise CompanyTaken(name)


def _change(session: Session, row: Company, values: Mapping[str, str]) -> None:
    if "normalized_name" in values:
        _require_unused_name(session, values["name"])
    games = _lock_games(session, row.id) if "name" in values else {}
    queries.change(session, row.id, values)
    if "normalized_name" in values:  # otherwise providers that report the old name still mean this company
        game_queries.set_sources(session, games)
    reindex(session, games)


def _lock_games(session: Session, company_id: str) -> _Sources:
    """Lock the games of a company, and return their sources with the company's roles marked as manual."""
    sources = game_queries.lock_games(session, queries.games_of(company_id))
    roles = queries.roles(session, company_id)
    return {game_id: rules.with_manual_roles(of_game, roles[game_id]) for game_id, of_game in sources.items()}
