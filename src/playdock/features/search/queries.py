"""Every statement on the index that games are searched in.

``search_index`` differs between the databases. SQLite's is a table of FTS5 with the columns ``title``, ``labels``,
``text`` and ``grams``; PostgreSQL's has text search vectors: ``names`` (of title and labels), ``words`` (of those and
the descriptions) and ``grams``.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, cast, column, func, literal_column, select, table, text, union_all
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql import TSQUERY, TSVECTOR
from sqlalchemy.orm import Session

from playdock.features.search import rules
from playdock.features.search.rules import Asked, Candidate, Document
from playdock.models import Company, Game, GameCompany, GameTag, SearchEntry, Tag

_Found = Select[str, str, str]

MOST_BY_WORDS = 300
MOST_BY_GRAMS = 200
_AT_ONCE = 200
_INDEX = table(
    "search_index",
    column("rowid"),
    column("id"),
    column("names", TSVECTOR),
    column("words", TSVECTOR),
    column("grams", TSVECTOR),
)
_FTS5: ColumnElement[Any] = literal_column("search_index")
_FOUND = select(SearchEntry.game_id, SearchEntry.title, SearchEntry.labels)
_WRITE_SQLITE = text(
    "INSERT OR REPLACE INTO search_index (rowid, title, labels, text, grams) "
    "VALUES (:id, :title, :labels, :text, :grams)"
)
# Words become lexemes as they are: nothing is parsed, stemmed or left out.
_WRITE_POSTGRESQL = text(
    "INSERT INTO search_index (id, names, words, grams) VALUES "
    "(:id, array_to_tsvector(:names), array_to_tsvector(:words), array_to_tsvector(:grams)) "
    "ON CONFLICT (id) DO UPDATE SET names = excluded.names, words = excluded.words, grams = excluded.grams"
)


def candidates(session: Session, asked: Asked, *, where: Sequence[ColumnElement[bool]] = ()) -> list[Candidate]:
    """Find the games that may be meant, some hundred at most: those with all the words, and those with like titles.

    ``where`` are further conditions on ``SearchEntry.game_id``.
    """
    if not asked.words:
        return []
    by_words, by_grams = _sqlite(asked) if _is_sqlite(session) else _postgresql(asked)
    found: dict[str, Candidate] = {}
    for statement, most, has_words in ((by_words, MOST_BY_WORDS, True), (by_grams, MOST_BY_GRAMS, False)):
        for game_id, title, labels in session.execute(statement.where(*where).limit(most)):
            found.setdefault(game_id, Candidate(game_id, title, labels, has_words))
    return list(found.values())


def index_game(session: Session, game_id: str) -> None:
    """Bring what the index holds of a game up to date with the game, its companies and its tags."""
    reindex(session, [game_id])


def reindex(session: Session, game_ids: Sequence[str]) -> None:
    """Bring what the index holds of some games up to date; their rows are kept for this transaction."""
    for start in range(0, len(game_ids), _AT_ONCE):
        documents = dict(_documents(session, game_ids[start : start + _AT_ONCE]))
        if documents:
            _write(session, documents)


def _sqlite(asked: Asked) -> tuple[_Found, _Found]:
    joined = _FOUND.join(_INDEX, _INDEX.c.rowid == SearchEntry.id)
    by_words = joined.where(_FTS5.op("MATCH")(rules.fts5_words(asked)))
    by_grams = joined.where(_FTS5.op("MATCH")(rules.fts5_grams(asked)))
    return (
        by_words.order_by(func.bm25(_FTS5, 10.0, 4.0, 1.0, 0.0), SearchEntry.id),
        by_grams.order_by(func.bm25(_FTS5), SearchEntry.id),
    )


def _postgresql(asked: Asked) -> tuple[_Found, _Found]:
    joined = _FOUND.join(_INDEX, _INDEX.c.id == SearchEntry.id)
    words, grams = cast(rules.tsquery_words(asked), TSQUERY), cast(rules.tsquery_grams(asked), TSQUERY)
    searched = _INDEX.c.names if asked.names_only else _INDEX.c.words
    by_words = joined.where(searched.bool_op("@@")(words))
    by_grams = joined.where(_INDEX.c.grams.bool_op("@@")(grams))
    shorter_first = 2  # what PostgreSQL calls normalization: the rank is divided by the number of grams
    return (
        by_words.order_by(func.ts_rank(_INDEX.c.names, words).desc(), SearchEntry.id),
        by_grams.order_by(func.ts_rank(_INDEX.c.grams, grams, shorter_first).desc(), SearchEntry.id),
    )


def _documents(session: Session, game_ids: Collection[str]) -> Iterator[tuple[str, Document]]:
    """Give what games are found by; nobody changes them before this transaction ends."""
    games = select(Game.id, Game.name, Game.short_description, Game.description).where(Game.id.in_(game_ids))
    held = session.execute(games.order_by(Game.id).with_for_update(key_share=True)).all()
    labels = defaultdict(set)
    for game_id, label in session.execute(_labels(game_ids)):
        labels[game_id].add(label)
    for game_id, name, short, description in held:
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
    """Write the entries of games, and give their numbers by game."""
    values = [
        {
            "game_id": game_id,
            "title": " ".join(document.title),
            "labels": "\n".join(" ".join(label) for label in document.labels),
        }
        for game_id, document in documents.items()
    ]
    insert = (sqlite.insert if _is_sqlite(session) else postgresql.insert)(SearchEntry).values(values)
    renewed = {"title": insert.excluded.title, "labels": insert.excluded.labels}
    upsert = insert.on_conflict_do_update(index_elements=[SearchEntry.game_id], set_=renewed)
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
