"""Every statement of the store. A page is a handful of them, however many games it shows."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Row, Select, exists, func, select, tuple_
from sqlalchemy.orm import InstrumentedAttribute, Session, load_only

from playdock.features.search import queries as search_queries
from playdock.features.search.rules import Asked, Candidate
from playdock.features.store.rules import Filters, Place, Sort, Sorting
from playdock.metadata.facts import Role
from playdock.models import Company, Game, GameCompany, GameTag, Picture, PictureUse, SearchEntry, Tag, Version

_T = TypeVar("_T")

MOST_FEATURED = 50
MOST_TAGS_OF_A_KIND = 50
MOST_COMPANIES = 100
_TAGS_ON_A_CARD = 5
_ROLES_ON_A_CARD = (Role.COVER, Role.ICON, Role.BANNER)
_FEW_COLUMNS = select(Game).options(
    load_only(
        Game.name,
        Game.short_description,
        Game.released,
        Game.release_precision,
        Game.rating,
        Game.created,
        Game.updated,
    )
)
_COLUMNS: Mapping[Sort, InstrumentedAttribute[Any]] = {
    Sort.NAME: Game.sort_name,
    Sort.NEWEST: Game.created,
    Sort.UPDATED: Game.updated,
    Sort.RELEASED: Game.released,
    Sort.RATING: Game.rating,
}


@dataclass(frozen=True, slots=True)
class Card:
    """What a listing shows of a game, of which only some columns are loaded: where it runs, first tags, pictures."""

    game: Game
    platforms: Sequence[str]
    tags: Sequence[Tag]
    pictures: Mapping[str, Picture]


@dataclass(frozen=True, slots=True)
class Page:
    """All there is to know of a game: companies and pictures by role, versions oldest first."""

    game: Game
    companies: Mapping[str, Sequence[Company]]
    tags: Sequence[Tag]
    pictures: Mapping[str, Sequence[Picture]]
    versions: Sequence[Version]


@dataclass(frozen=True, slots=True)
class TagUse:
    """A tag, and how many games have it."""

    tag: Tag
    games: int


@dataclass(frozen=True, slots=True)
class CompanyUse:
    """A company, and how many games it made or published."""

    company: Company
    games: int


def candidates(session: Session, asked: Asked, filters: Filters) -> list[Candidate]:
    """Find the games that somebody may look for, among those that pass the filters."""
    return search_queries.candidates(session, asked, where=_conditions(filters, SearchEntry.game_id))


def count(session: Session, filters: Filters) -> int:
    statement = select(func.count()).select_from(Game).where(*_conditions(filters))
    return session.scalar(statement) or 0


def places(
    session: Session,
    filters: Filters,
    sorting: Sorting,
    *,
    after: Place | None,
    most: int,
) -> list[Place]:
    """Give the games of a listing from some place on, in its order; those without the sorted value come last.

    Those with a value and those without are asked for apart: the databases do not agree where the latter belong, and
    either way an index gives them in order.
    """
    column = _COLUMNS[sorting.sort]
    statement = select(column, Game.id).where(*_conditions(filters))
    found: list[Place] = []
    if after is None or after.value is not None:
        found += _run(session, _with_value(statement, column, sorting, after).limit(most))
    if len(found) < most and column.nullable:
        found += _run(session, _without_value(statement, column, after).limit(most - len(found)))
    return found


def featured(session: Session) -> Sequence[str]:
    """Give the ids of the games that are featured, newest first."""
    statement = select(Game.id).where(Game.featured.is_(True)).order_by(Game.created.desc(), Game.id.desc())
    return session.scalars(statement.limit(MOST_FEATURED)).all()


def cards(session: Session, game_ids: Sequence[str]) -> list[Card]:
    """Give what a listing shows of games, in the order of their ids."""
    games = {game.id: game for game in session.scalars(_FEW_COLUMNS.where(Game.id.in_(game_ids)))}
    platforms = _grouped(session.execute(_platforms(game_ids)))
    tags = _grouped(session.execute(_tags(game_ids).where(GameTag.position < _TAGS_ON_A_CARD)))
    pictures: defaultdict[str, dict[str, Picture]] = defaultdict(dict)
    for game_id, role, picture in session.execute(_first_pictures(game_ids)):
        pictures[game_id][role] = picture
    return [Card(games[each], platforms[each], tags[each], pictures[each]) for each in game_ids if each in games]


def page(session: Session, game_id: str) -> Page | None:
    """Give all there is to know of a game, None if there is none."""
    game = session.get(Game, game_id)
    if game is None:
        return None
    companies = select(GameCompany.role, Company).join(Company, Company.id == GameCompany.company_id)
    pictures = select(PictureUse.role, Picture).join(Picture, Picture.id == PictureUse.picture_id)
    versions = select(Version).where(Version.game_id == game_id)
    return Page(
        game,
        _grouped(session.execute(companies.where(GameCompany.game_id == game_id).order_by(GameCompany.position))),
        [tag for _, tag in session.execute(_tags([game_id]))],
        _grouped(session.execute(pictures.where(PictureUse.game_id == game_id).order_by(PictureUse.position))),
        session.scalars(versions.order_by(Version.position)).all(),
    )


def tags_in_use(session: Session) -> list[TagUse]:
    """Give the tags that games have: of each kind some, those of most games first."""
    games = select(GameTag.tag_id, func.count().label("games")).group_by(GameTag.tag_id).subquery()
    number = func.row_number().over(partition_by=Tag.kind, order_by=(games.c.games.desc(), Tag.folded))
    numbered = select(Tag.id, games.c.games, number.label("number")).join(games, games.c.tag_id == Tag.id).subquery()
    statement = select(Tag, numbered.c.games).join(numbered, numbered.c.id == Tag.id)
    first = statement.where(numbered.c.number <= MOST_TAGS_OF_A_KIND).order_by(Tag.kind, numbered.c.number)
    return [TagUse(*row) for row in session.execute(first)]


def companies_in_use(session: Session) -> list[CompanyUse]:
    """Give the companies that made or published games: some, those of most games first."""
    count_of_games = func.count(GameCompany.game_id.distinct()).label("games")
    games = select(GameCompany.company_id, count_of_games).group_by(GameCompany.company_id).subquery()
    statement = select(Company, games.c.games).join(games, games.c.company_id == Company.id)
    first = statement.order_by(games.c.games.desc(), Company.folded).limit(MOST_COMPANIES)
    return [CompanyUse(*row) for row in session.execute(first)]


def _conditions(filters: Filters, game_id: InstrumentedAttribute[str] = Game.id) -> list[ColumnElement[bool]]:
    """Make a filter's conditions on a game, one by one: so that an index of what is sorted by can be walked along."""
    conditions: list[ColumnElement[bool]] = [
        exists().where(GameTag.game_id == game_id, GameTag.tag_id == tag) for tag in sorted(filters.tags)
    ]
    if filters.games is not None:
        conditions.append(game_id.in_(filters.games))
    if filters.company:
        conditions.append(exists().where(GameCompany.game_id == game_id, GameCompany.company_id == filters.company))
    if filters.platform:
        conditions.append(exists().where(Version.game_id == game_id, Version.platform == filters.platform))
    return conditions


def _with_value(
    statement: Select[Any, str], column: InstrumentedAttribute[Any], sorting: Sorting, after: Place | None
) -> Select[Any, str]:
    key = tuple_(column, Game.id)
    if after is not None:
        place = tuple_(after.value, after.game_id, types=(column.type, Game.id.type))
        statement = statement.where(key < place if sorting.falling else key > place)
    if column.nullable:
        statement = statement.where(column.is_not(None))
    return statement.order_by(*(part.desc() if sorting.falling else part.asc() for part in (column, Game.id)))


def _without_value(
    statement: Select[Any, str], column: InstrumentedAttribute[Any], after: Place | None
) -> Select[Any, str]:
    statement = statement.where(column.is_(None)).order_by(Game.id)
    return statement.where(Game.id > after.game_id) if after is not None and after.value is None else statement


def _run(session: Session, statement: Select[Any, str]) -> list[Place]:
    return [Place(value, game_id) for value, game_id in session.execute(statement)]


def _platforms(game_ids: Collection[str]) -> Select[str, str]:
    statement = select(Version.game_id, Version.platform).where(Version.game_id.in_(game_ids))
    return statement.distinct().order_by(Version.platform)


def _tags(game_ids: Collection[str]) -> Select[str, Tag]:
    statement = select(GameTag.game_id, Tag).join(Tag, Tag.id == GameTag.tag_id)
    return statement.where(GameTag.game_id.in_(game_ids)).order_by(GameTag.position)


def _first_pictures(game_ids: Collection[str]) -> Select[str, str, Picture]:
    """Select the pictures that cards show; a game has one in each of these roles."""
    statement = select(PictureUse.game_id, PictureUse.role, Picture).join(Picture, Picture.id == PictureUse.picture_id)
    return statement.where(PictureUse.game_id.in_(game_ids), PictureUse.role.in_(_ROLES_ON_A_CARD))


def _grouped(rows: Iterable[Row[str, _T]]) -> defaultdict[str, list[_T]]:
    grouped = defaultdict(list)
    for key, value in rows:
        grouped[key].append(value)
    return grouped
