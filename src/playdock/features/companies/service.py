"""What administrators do with companies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.db.database import Database
from playdock.db.turns import take_turn
from playdock.features.companies import queries, rules
from playdock.features.companies.errors import CompanyTaken, CompanyUnknown
from playdock.features.companies.queries import Counted, Described
from playdock.features.companies.schemas import CompanyChanges, CompanyDraft, CompanyQuery
from playdock.features.games import queries as game_queries
from playdock.features.search import queries as search_queries
from playdock.kit.clock import Clock
from playdock.kit.errors import InvalidInput
from playdock.kit.folding import fold
from playdock.kit.secrets import new_id
from playdock.models import Company


@dataclass(frozen=True, slots=True)
class Listing:
    """Some companies, how many there are in all, and the cursor of the next page if there is one."""

    companies: Sequence[Counted]
    total: int
    next: str | None


@dataclass(frozen=True, slots=True)
class Companies:
    """Companies in the hands of administrators.

    Whoever changes one takes the companies' turn first and holds its games next, as everybody does, so that no two wait
    for each other.
    """

    db: Database
    clock: Clock

    def listing(self, actor: Actor, wanted: CompanyQuery) -> Listing:
        """Give a page of companies by name; its cursor is the folded name of the last, which is no other's."""
        actor.require(Acl.COMPANY_READ)
        q = fold(wanted.q)
        with self.db.read() as session:
            found = queries.page(session, q, after=wanted.after, limit=wanted.limit + 1)
            total = queries.count(session, q)
        shown = found[: wanted.limit]
        return Listing(shown, total, shown[-1].company.folded if len(found) > wanted.limit else None)

    def find(self, actor: Actor, company_id: str) -> Described:
        """Give a company with its games.

        Raises:
            CompanyUnknown: there is none with this id.
        """
        actor.require(Acl.COMPANY_READ)
        with self.db.read() as session:
            return queries.described(session, _found(session, company_id))

    def add(self, actor: Actor, draft: CompanyDraft) -> Described:
        """Add a company.

        Raises:
            CompanyTaken: there is one with this name.
        """
        actor.require(Acl.COMPANY_NEW)
        row = Company(id=new_id(), created=self.clock(), **rules.columns(draft))
        with self.db.write() as session:
            take_turn(session, queries.TURN)
            _refuse_taken(session, row.name)
            queries.add(session, row)
            return queries.described(session, row)

    def change(self, actor: Actor, company_id: str, changes: CompanyChanges) -> Described:
        """Change what is given.

        Raises:
            CompanyUnknown: there is none with this id.
            CompanyTaken: there is one with this name.
        """
        actor.require(Acl.COMPANY_UPDATE)
        values = rules.columns(changes)
        with self.db.write() as session:
            take_turn(session, queries.TURN)
            row = _found(session, company_id)
            _change(session, row, {column: said for column, said in values.items() if said != getattr(row, column)})
            return queries.described(session, row)

    def delete(self, actor: Actor, company_id: str) -> None:
        """Delete a company; its games stay.

        Raises:
            CompanyUnknown: there is none with this id.
        """
        actor.require(Acl.COMPANY_DELETE)
        with self.db.write() as session:
            take_turn(session, queries.TURN)
            row = _found(session, company_id)
            games = _held(session, row.id)
            queries.remove(session, row.id)
            _settle(session, games)

    def merge(self, actor: Actor, company_id: str, into: str) -> Described:
        """Let a company's games move over to another one, delete it, and give the other one.

        Raises:
            CompanyUnknown: there is none with one of the ids.
            InvalidInput: both are the same.
        """
        actor.require(Acl.COMPANY_UPDATE)
        actor.require(Acl.COMPANY_DELETE)
        with self.db.write() as session:
            take_turn(session, queries.TURN)
            row, other = _found(session, company_id), _found(session, into)
            if faults := rules.unmergeable(row.id, other.id):
                raise InvalidInput(faults)
            games = _held(session, row.id)
            queries.hand_over(session, row.id, into=other.id)
            queries.remove(session, row.id)
            _settle(session, games)
            return queries.described(session, other)


_Sources = Mapping[str, dict[str, str]]


def _found(session: Session, company_id: str) -> Company:
    row = queries.find(session, company_id)
    if row is None:
        raise CompanyUnknown
    return row


def _refuse_taken(session: Session, name: str) -> None:
    if queries.id_of(session, fold(name)) is not None:
        raise CompanyTaken(name)


def _change(session: Session, row: Company, values: Mapping[str, str]) -> None:
    if "folded" in values:
        _refuse_taken(session, values["name"])
    games = _held(session, row.id) if "name" in values else {}
    queries.change(session, row.id, values)
    if "folded" in values:  # else a provider that says the old name means this company
        game_queries.set_sources(session, games)
    search_queries.reindex(session, sorted(games))


def _held(session: Session, company_id: str) -> _Sources:
    """Hold the games of a company, and give who says what of each once an administrator has decided on it."""
    sources = game_queries.hold_games(session, queries.games_of(company_id))
    roles = queries.roles(session, company_id)
    return {game_id: rules.decided(said, roles[game_id]) for game_id, said in sources.items()}


def _settle(session: Session, games: _Sources) -> None:
    """Write down what was decided on games, and let them be found by it."""
    game_queries.set_sources(session, games)
    search_queries.reindex(session, sorted(games))
