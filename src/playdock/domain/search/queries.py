"""All statements on the search index.

``search_index`` differs between the databases. In SQLite it is an FTS5 table with the columns ``title``, ``labels``,
``text`` and ``grams``; in PostgreSQL it has text search vectors: ``names`` (title and labels), ``words`` (these and
the descriptions) and ``grams``.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import ColumnElement, Select, cast, column, func, literal_column, select, table, text, union_all
from sqlalchemy.orm import InstrumentedAttribute, Session
from sqlalchemy.types import UserDefinedType

from playdock.db.insertion import insert_into
from playdock.db.locks import LockLevel, record_locked
from playdock.domain.search import rules
from playdock.domain.search.rules import Document, SearchCandidate, SearchTerms
from playdock.models import Company, Game, GameCompany, GameTag, SearchEntry, Tag

GameConditions = Callable[[InstrumentedAttribute[str]], Sequence[ColumnElement[bool]]]


class GameSet(Struct, frozen=True):
    """The games that a search is limited to.

    ``ids`` is the statement of their ids, ``conditions`` returns the same as conditions on a column with ids of games,
    and ``are_few`` is whether all their titles can be read for a search: a few thousand at most.
    """

    ids: Select[str]
    conditions: GameConditions
    are_few: bool


_ALL_GAMES = GameSet(select(Game.id), lambda _game_id: (), are_few=False)


class _TsQuery(UserDefinedType[str]):
    """PostgreSQL's type for search terms. With SQLAlchemy's own one, SQLite's users would load the other dialect."""

    cache_ok = True

    def get_col_spec(self, **_options: Any) -> str:
        return "TSQUERY"


# If many games pass the conditions, this many times the wanted number often has enough that do.
_OVERFETCH_FACTOR = 2
# Each batch is three statements; their parameters stay far below SQLite's limit of 32,766.
_BATCH_GAMES = 200
_INDEX = table(
    "search_index",
    column("rowid"),
    column("id"),
    column("names"),
    column("words"),
    column("grams"),
)
_FTS5: ColumnElement[Any] = literal_column("search_index")
# Two ranges, because they use the index on this column; "!=" would scan all entries.
_OUTDATED = (SearchEntry.version < rules.INDEX_VERSION) | (SearchEntry.version > rules.INDEX_VERSION)
_FOUND = select(SearchEntry.game_id, SearchEntry.title, SearchEntry.labels)
_WRITE_SQLITE = text(
    "INSERT OR REPLACE INTO search_index (rowid, title, labels, text, grams) "
    "VALUES (:id, :title, :labels, :text, :grams)"
)
# Words become lexemes unchanged: no parsing, stemming or stop words.
_WRITE_POSTGRESQL = text(
    "INSERT INTO search_index (id, names, words, grams) VALUES "
    "(:id, array_to_tsvector(:names), array_to_tsvector(:words), array_to_tsvector(:grams)) "
    "ON CONFLICT (id) DO UPDATE SET names = excluded.names, words = excluded.words, grams = excluded.grams"
)


def candidates(session: Session, terms: SearchTerms, *, among: GameSet = _ALL_GAMES) -> list[SearchCandidate]:
    """Return up to a few hundred games: those with all the words, and others with similar titles.

    In all games, the latter are not looked for if there are more with the only word than can be ranked.
    """
    if not terms.words:
        return []
    if among.are_few:
        return _among_few(session, terms, among)
    found: dict[str, SearchCandidate] = {}
    if terms.is_initial:
        rows = _best(session, _beginning_with(session, terms), SearchEntry.game_id, rules.MAX_BY_WORDS, among)
        found = {row[0]: SearchCandidate(*row, has_words=True) for row in rows}
        if len(found) >= rules.MAX_BY_WORDS:
            return list(found.values())
    by_words, by_grams = _ranked(session, terms)
    for ranked, most, has_words in ((by_words, rules.MAX_BY_WORDS, True), (by_grams, rules.MAX_BY_GRAMS, False)):
        for game_id, title, labels in _best(session, ranked, SearchEntry.id, most, among):
            found.setdefault(game_id, SearchCandidate(game_id, title, labels, has_words))
        if len(terms.words) == 1 and len(found) >= rules.MAX_BY_WORDS:
            break
    return list(found.values())


def index_game(session: Session, game_id: str) -> None:
    """Update the index entry of a game from the game, its companies and its tags."""
    reindex(session, [game_id])


def reindex(session: Session, game_ids: Sequence[str]) -> None:
    """Update the index entries of games; locks their rows for this transaction."""
    for start in range(0, len(game_ids), _BATCH_GAMES):
        documents = dict(_documents(session, game_ids[start : start + _BATCH_GAMES]))
        if documents:
            _write(session, documents)


def has_outdated(session: Session) -> bool:
    """Return whether an entry was written with another index version than the current one."""
    return session.scalar(select(SearchEntry.id).where(_OUTDATED).limit(1)) is not None


def count_outdated(session: Session) -> int:
    return session.scalar(select(func.count()).select_from(SearchEntry).where(_OUTDATED)) or 0


def outdated(session: Session, *, after: str, limit: int) -> Sequence[str]:
    """Return the ids of games whose entries have another index version, in order, starting after an id."""
    statement = select(SearchEntry.game_id).where(_OUTDATED, SearchEntry.game_id > after)
    return session.scalars(statement.order_by(SearchEntry.game_id).limit(limit)).all()


def _beginning_with(session: Session, terms: SearchTerms) -> Select[str]:
    """Return the ids of games whose titles begin with the only word, apart from an article; the shortest titles first.

    The full-text index would yield every game with any word that begins so, which for one letter are most of them.
    """
    beginning = terms.words[0]
    # All characters of names come before the last one of Unicode. Only an index on names is read. PostgreSQL's
    # operators that compare bytes have tildes.
    at_least, below = (">=", "<") if _is_sqlite(session) else ("~>=~", "~<~")
    of_range = Game.sort_name.bool_op(at_least)(beginning) & Game.sort_name.bool_op(below)(f"{beginning}\U0010ffff")
    return select(Game.id).where(of_range).order_by(func.length(Game.sort_name), Game.id)


def _among_few(session: Session, terms: SearchTerms, among: GameSet) -> list[SearchCandidate]:
    """Compare all titles and labels of some games, and look up only words of descriptions in the full-text index.

    The index would yield all games with a word, or with similar titles, and rank them among all others.
    """
    rows = session.execute(_FOUND.add_columns(SearchEntry.id).where(SearchEntry.game_id.in_(among.ids))).all()
    if terms.names_only:
        with_words = {entry_id for _, title, labels, entry_id in rows if rules.have_words(terms, title, labels)}
    else:
        by_words, _ = _ranked(session, terms)
        with_words = set(session.scalars(_only_of(by_words.order_by(None), [row.id for row in rows])))
    found = (SearchCandidate(row.game_id, row.title, row.labels, row.id in with_words) for row in rows)
    return rules.likeliest(terms, list(found))


def _best(
    session: Session, ranked: Select[Any], key: InstrumentedAttribute[Any], most: int, among: GameSet
) -> list[tuple[str, str, str]]:
    """Return the best entries of some games; ``ranked`` yields the ``key`` of all entries, the best first.

    It is cheaper to check only the best entries than to look up each one; if too few of them pass, all are looked up.
    """
    keys = session.scalars(ranked.limit(_OVERFETCH_FACTOR * most)).all()
    rows = _rows_of(session, key, keys, among.conditions(SearchEntry.game_id))
    if len(rows) >= most or len(keys) < _OVERFETCH_FACTOR * most:
        return rows[:most]
    if key is SearchEntry.game_id:
        [game_id] = ranked.selected_columns
        return _rows_of(session, key, session.scalars(ranked.where(game_id.in_(among.ids)).limit(most)).all())
    entries = select(SearchEntry.id).where(SearchEntry.game_id.in_(among.ids))
    return _rows_of(session, key, session.scalars(_only_of(ranked, entries).limit(most)).all())


def _rows_of(
    session: Session,
    key: InstrumentedAttribute[Any],
    keys: Sequence[Any],
    conditions: Sequence[ColumnElement[bool]] = (),
) -> list[tuple[str, str, str]]:
    """Return the entries with some keys that pass the conditions, in the order of the keys."""
    passing = session.execute(_FOUND.add_columns(key).where(key.in_(keys), *conditions))
    rows = {found: (game_id, title, labels) for game_id, title, labels, found in passing}
    return [rows[each] for each in keys if each in rows]


def _only_of(ranked: Select[int], entries: Select[int] | Sequence[int]) -> Select[int]:
    """Return a statement of the index without other entries than some."""
    [entry_id] = ranked.selected_columns
    # Without "+ 0", SQLite would search the index once for each of them.
    return ranked.where((entry_id + 0).in_(entries))


def _ranked(session: Session, terms: SearchTerms) -> tuple[Select[int], Select[int]]:
    """Return the statements of the entries with all words, and of those with similar titles, the best first."""
    return _sqlite(terms) if _is_sqlite(session) else _postgresql(terms)


def _sqlite(terms: SearchTerms) -> tuple[Select[int], Select[int]]:
    ids = select(_INDEX.c.rowid)
    by_words = ids.where(_FTS5.op("MATCH")(rules.fts5_words(terms)))
    by_grams = ids.where(_FTS5.op("MATCH")(rules.fts5_grams(terms)))
    return (
        by_words.order_by(func.bm25(_FTS5, 10.0, 4.0, 1.0, 0.0), _INDEX.c.rowid),
        by_grams.order_by(func.bm25(_FTS5), _INDEX.c.rowid),
    )


def _postgresql(terms: SearchTerms) -> tuple[Select[int], Select[int]]:
    ids = select(_INDEX.c.id)
    words, grams = cast(rules.tsquery_words(terms), _TsQuery), cast(rules.tsquery_grams(terms), _TsQuery)
    searched = _INDEX.c.names if terms.names_only else _INDEX.c.words
    by_words = ids.where(searched.bool_op("@@")(words))
    by_grams = ids.where(_INDEX.c.grams.bool_op("@@")(grams))
    shorter_first = 2  # PostgreSQL's "normalization": divides the rank by the document length
    return (
        by_words.order_by(func.ts_rank(_INDEX.c.names, words).desc(), _INDEX.c.id),
        by_grams.order_by(func.ts_rank(_INDEX.c.grams, grams, shorter_first).desc(), _INDEX.c.id),
    )


def _documents(session: Session, game_ids: Collection[str]) -> Iterator[tuple[str, Document]]:
    """Yield the documents of games by id; locks their rows until this transaction ends."""
    games = select(Game.id, Game.name, Game.short_description, Game.description).where(Game.id.in_(game_ids))
    rows = session.execute(games.order_by(Game.id).with_for_update(key_share=True)).all()
    record_locked(session, LockLevel.GAME, (row.id for row in rows))
    labels = defaultdict(set)
    for game_id, label in session.execute(_labels(game_ids)):
        labels[game_id].add(label)
    for game_id, name, short, description in rows:
        yield game_id, Document.of(name, labels=sorted(labels[game_id]), text=f"{short}\n{description}")


def _labels(game_ids: Collection[str]) -> Any:
    companies = select(GameCompany.game_id, Company.name).join(Company, Company.id == GameCompany.company_id)
    tags = select(GameTag.game_id, Tag.name).join(Tag, Tag.id == GameTag.tag_id)
    return union_all(companies.where(GameCompany.game_id.in_(game_ids)), tags.where(GameTag.game_id.in_(game_ids)))


def _write(session: Session, documents: dict[str, Document]) -> None:
    ids = _entries(session, documents)
    write, row_of = (_WRITE_SQLITE, _row_of_fts5) if _is_sqlite(session) else (_WRITE_POSTGRESQL, _row_of_vectors)
    session.execute(write, [row_of(ids[game_id], document) for game_id, document in documents.items()])


def _entries(session: Session, documents: dict[str, Document]) -> dict[str, int]:
    """Write the entries of games, and return their row ids by game id."""
    values = [
        {
            "game_id": game_id,
            "title": " ".join(document.title),
            "labels": "\n".join(" ".join(label) for label in document.labels),
            "version": rules.INDEX_VERSION,
        }
        for game_id, document in documents.items()
    ]
    insert = insert_into(session, SearchEntry).values(values)
    updated = {name: insert.excluded[name] for name in ("title", "labels", "version")}
    upsert = insert.on_conflict_do_update(index_elements=[SearchEntry.game_id], set_=updated)
    return {row.game_id: row.id for row in session.execute(upsert.returning(SearchEntry.game_id, SearchEntry.id))}


def _row_of_fts5(entry_id: int, document: Document) -> dict[str, Any]:
    return {
        "id": entry_id,
        "title": " ".join(document.title),
        "labels": " ".join(document.label_words),
        "text": " ".join(document.text),
        "grams": " ".join(document.grams),
    }


def _row_of_vectors(entry_id: int, document: Document) -> dict[str, Any]:
    names = {*document.title, *document.label_words}
    return {
        "id": entry_id,
        "names": sorted(names),
        "words": sorted(names | document.text),
        "grams": list(document.grams),
    }


def _is_sqlite(session: Session) -> bool:
    return session.get_bind().dialect.name == "sqlite"
