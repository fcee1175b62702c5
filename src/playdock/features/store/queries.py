"""All statements of the store. A page of games takes a fixed, small number of statements."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from msgspec import Struct
from sqlalchemy import ColumnElement, Row, Select, exists, func, select, tuple_
from sqlalchemy.orm import InstrumentedAttribute, Session, aliased, load_only

from playdock.domain.search import queries as search_queries
from playdock.domain.search.queries import GameSet
from playdock.domain.search.rules import SearchCandidate, SearchTerms
from playdock.features.store.rules import Filters, Sort, Sorting
from playdock.kit.cursors import CursorPosition
from playdock.metadata.game_metadata import Role
from playdock.models import CacheRevision, Company, Game, GameCompany, GameTag, Picture, PictureUse, Tag, Version

_T = TypeVar("_T")

# The store's front page shows them all at once; they are responses without pages.
MAX_FEATURED = 50
# The choices of a filter; less common tags and companies are found by searching.
MAX_TAGS_PER_KIND = 50
MAX_COMPANIES = 100
# Reading and sorting this many games takes about 10 ms, comparing their titles with a search about 25. With more
# matches among 100,000 games, a page is found after reading a fiftieth of the index of the sort column.
MAX_SORTED = 2_000
# As many as fit on a card; a game may have hundreds.
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


class Card(Struct, frozen=True):
    """The summary of a game, with only some columns loaded; its platforms, first tags, and pictures by role."""

    game: Game
    platforms: Sequence[str]
    tags: Sequence[Tag]
    pictures: Mapping[str, Picture]


class GameDetailsRow(Struct, frozen=True):
    """Everything about a game: companies and pictures by role, versions oldest first."""

    game: Game
    companies: Mapping[str, Sequence[Company]]
    tags: Sequence[Tag]
    pictures: Mapping[str, Sequence[Picture]]
    versions: Sequence[Version]


class TagUse(Struct, frozen=True):
    """A tag, and the number of games that have it."""

    tag: Tag
    games: int


class CompanyUse(Struct, frozen=True):
    """A company, and the number of games it developed or published."""

    company: Company
    games: int


def candidates(session: Session, terms: SearchTerms, filters: Filters, *, are_few: bool) -> list[SearchCandidate]:
    """Return the games that may match a search, among those that pass the filters, which may be few of all games."""
    passing = GameSet(_matching(filters), partial(_conditions, filters), are_few)
    return search_queries.candidates(session, terms, among=passing)


def revision(session: Session) -> int:
    """Return a number that is another one after each change of how many games pass filters that name no games."""
    return session.scalars(select(CacheRevision.store)).one()


def count(session: Session, filters: Filters) -> int:
    return session.scalar(select(func.count()).select_from(_matching(filters).subquery())) or 0


def positions(
    session: Session,
    filters: Filters,
    sorting: Sorting,
    *,
    total: int,
    after: CursorPosition | None,
    limit: int,
) -> list[CursorPosition]:
    """Return the games of a listing after a position, in its order; games without a sort value come last.

    ``total`` is the number of games that pass the filters. If they are few, they are all read and sorted. Otherwise the
    index of the sort column is read until enough of its games pass: with many, that is soon.

    Games with and without a value are queried separately: the databases disagree on where NULL is sorted, and this
    way each query can use an index.
    """
    column = _COLUMNS[sorting.sort]
    are_few = total <= MAX_SORTED and bool(filters.tags or filters.company)
    conditions = [Game.id.in_(_matching(filters))] if are_few else _conditions(filters, Game.id)
    statement = select(column, Game.id).where(*conditions)
    found: list[CursorPosition] = []
    if after is None or after.value is not None:
        found += _run(session, _with_value(statement, column, sorting, after).limit(limit))
    if len(found) < limit and column.nullable:
        found += _run(session, _without_value(statement, column, after).limit(limit - len(found)))
    return found


def featured(session: Session, *, playable: bool) -> Sequence[str]:
    """Return the ids of the featured games, newest first."""
    statement = select(Game.id).where(Game.featured.is_(True), *_conditions(Filters(playable=playable), Game.id))
    statement = statement.order_by(Game.created.desc(), Game.id.desc())
    return session.scalars(statement.limit(MAX_FEATURED)).all()


def cards(session: Session, game_ids: Sequence[str]) -> list[Card]:
    """Return the cards of games, in the order of their ids; unknown ids are skipped."""
    games = {game.id: game for game in session.scalars(_FEW_COLUMNS.where(Game.id.in_(game_ids)))}
    platforms = _grouped(session.execute(_platforms(game_ids)))
    tags = _grouped(session.execute(_tags(game_ids).where(GameTag.position < _TAGS_ON_A_CARD)))
    pictures: defaultdict[str, dict[str, Picture]] = defaultdict(dict)
    for game_id, role, picture in session.execute(_first_pictures(game_ids)):
        pictures[game_id][role] = picture
    return [Card(games[each], platforms[each], tags[each], pictures[each]) for each in game_ids if each in games]


def page(session: Session, game_id: str) -> GameDetailsRow | None:
    """Return everything about a game, or None."""
    game = session.get(Game, game_id)
    if game is None:
        return None
    companies = select(GameCompany.role, Company).join(Company, Company.id == GameCompany.company_id)
    pictures = select(PictureUse.role, Picture).join(Picture, Picture.id == PictureUse.picture_id)
    versions = select(Version).where(Version.game_id == game_id)
    return GameDetailsRow(
        game,
        _grouped(session.execute(companies.where(GameCompany.game_id == game_id).order_by(GameCompany.position))),
        [tag for _, tag in session.execute(_tags([game_id]))],
        _grouped(session.execute(pictures.where(PictureUse.game_id == game_id).order_by(PictureUse.position))),
        session.scalars(versions.order_by(Version.position)).all(),
    )


def tags_in_use(session: Session, *, playable: bool) -> list[TagUse]:
    """Return the most used tags of each kind, most used first."""
    counted = select(GameTag.tag_id, func.count().label("games"))
    counted = counted.where(*_conditions(Filters(playable=playable), GameTag.game_id))
    games = counted.group_by(GameTag.tag_id).subquery()
    number = func.row_number().over(partition_by=Tag.kind, order_by=(games.c.games.desc(), Tag.normalized_name))
    numbered = select(Tag.id, games.c.games, number.label("number")).join(games, games.c.tag_id == Tag.id).subquery()
    statement = select(Tag, numbered.c.games).join(numbered, numbered.c.id == Tag.id)
    first = statement.where(numbered.c.number <= MAX_TAGS_PER_KIND).order_by(Tag.kind, numbered.c.number)
    return [TagUse(*row) for row in session.execute(first)]


def companies_in_use(session: Session, *, playable: bool) -> list[CompanyUse]:
    """Return the companies with the most games, most games first."""
    count_of_games = func.count(GameCompany.game_id.distinct()).label("games")
    counted = select(GameCompany.company_id, count_of_games)
    counted = counted.where(*_conditions(Filters(playable=playable), GameCompany.game_id))
    games = counted.group_by(GameCompany.company_id).subquery()
    statement = select(Company, games.c.games).join(games, games.c.company_id == Company.id)
    first = statement.order_by(games.c.games.desc(), Company.normalized_name).limit(MAX_COMPANIES)
    return [CompanyUse(*row) for row in session.execute(first)]


def _matching(filters: Filters) -> Select[str]:
    """Return the statement of the ids of games that pass the filters, read from the index of one of them."""
    if filters.games is not None:
        return select(Game.id).where(*_conditions(filters, Game.id))
    if filters.tags:
        tag, *others = sorted(filters.tags)
        rest = Filters(frozenset(others), filters.company, filters.platform, filters.playable)
        return select(GameTag.game_id).where(GameTag.tag_id == tag, *_conditions(rest, GameTag.game_id))
    if filters.company:
        game_id, rest = GameCompany.game_id, Filters(platform=filters.platform, playable=filters.playable)
        # A company may be both developer and publisher of a game.
        return select(game_id).distinct().where(GameCompany.company_id == filters.company, *_conditions(rest, game_id))
    if filters.platform:
        return select(Version.game_id).distinct().where(Version.platform == filters.platform)
    if filters.playable:
        return select(Version.game_id).distinct()
    return select(Game.id)


def is_playable(game_id: InstrumentedAttribute[str]) -> ColumnElement[bool]:
    """Return the condition that a game has a version; players do not see other games."""
    of_version = aliased(Version)
    return exists().where(of_version.game_id == game_id)


def _conditions(filters: Filters, game_id: InstrumentedAttribute[str]) -> list[ColumnElement[bool]]:
    """Return a filter's conditions on a game, as correlated subqueries: the index of the sort column stays usable."""
    has_tag, made_by, of_version = aliased(GameTag), aliased(GameCompany), aliased(Version)
    conditions: list[ColumnElement[bool]] = [
        exists().where(has_tag.game_id == game_id, has_tag.tag_id == tag) for tag in sorted(filters.tags)
    ]
    if filters.games is not None:
        conditions.append(game_id.in_(filters.games))
    if filters.company:
        conditions.append(exists().where(made_by.game_id == game_id, made_by.company_id == filters.company))
    if filters.platform:
        conditions.append(exists().where(of_version.game_id == game_id, of_version.platform == filters.platform))
    elif filters.playable:
        conditions.append(is_playable(game_id))
    return conditions


def _with_value(
    statement: Select[Any, str], column: InstrumentedAttribute[Any], sorting: Sorting, after: CursorPosition | None
) -> Select[Any, str]:
    key = tuple_(column, Game.id)
    if after is not None:
        position = tuple_(after.value, after.id, types=(column.type, Game.id.type))
        statement = statement.where(key < position if sorting.descending else key > position)
    if column.nullable:
        statement = statement.where(column.is_not(None))
    return statement.order_by(*(part.desc() if sorting.descending else part.asc() for part in (column, Game.id)))


def _without_value(
    statement: Select[Any, str], column: InstrumentedAttribute[Any], after: CursorPosition | None
) -> Select[Any, str]:
    statement = statement.where(column.is_(None)).order_by(Game.id)
    return statement.where(Game.id > after.id) if after is not None and after.value is None else statement


def _run(session: Session, statement: Select[Any, str]) -> list[CursorPosition]:
    return [CursorPosition(value, game_id) for value, game_id in session.execute(statement)]


def _platforms(game_ids: Collection[str]) -> Select[str, str]:
    statement = select(Version.game_id, Version.platform).where(Version.game_id.in_(game_ids))
    return statement.distinct().order_by(Version.platform)


def _tags(game_ids: Collection[str]) -> Select[str, Tag]:
    statement = select(GameTag.game_id, Tag).join(Tag, Tag.id == GameTag.tag_id)
    return statement.where(GameTag.game_id.in_(game_ids)).order_by(GameTag.position)


def _first_pictures(game_ids: Collection[str]) -> Select[str, str, Picture]:
    """Return the statement of the pictures on cards; a game has one picture in each of these roles."""
    statement = select(PictureUse.game_id, PictureUse.role, Picture).join(Picture, Picture.id == PictureUse.picture_id)
    return statement.where(PictureUse.game_id.in_(game_ids), PictureUse.role.in_(_ROLES_ON_A_CARD))


def _grouped(rows: Iterable[Row[str, _T]]) -> defaultdict[str, list[_T]]:
    grouped = defaultdict(list)
    for key, value in rows:
        grouped[key].append(value)
    return grouped
