"""The index that games are searched in, filled with the games that are there; and indexes for the store.

SQLite's is a table of FTS5, PostgreSQL's one of text search vectors; both are given words that are cut here, so neither
needs an extension or a dictionary. The words are those of version 1 of the index: a later release writes all entries
again.
"""

import re
import unicodedata
from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "search_entries",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("game_id", sa.String(length=36), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("labels", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_search_entries_game_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_search_entries")),
        sa.UniqueConstraint("game_id", name=op.f("uq_search_entries_game_id")),
    )
    op.create_index(op.f("ix_games_featured_created_id"), "games", ["featured", "created", "id"])
    op.create_index(op.f("ix_versions_game_id_platform"), "versions", ["game_id", "platform"])
    op.create_index(op.f("ix_game_companies_company_id_game_id"), "game_companies", ["company_id", "game_id"])
    op.drop_index(op.f("ix_game_companies_company_id"), "game_companies")
    if op.get_bind().dialect.name == "sqlite":
        _make_fts5()
    else:
        _make_vectors()
    _index_games()


def _make_fts5() -> None:
    # What is told consists of letters and digits, and "_" in grams: whatever is not ASCII is a letter.
    op.execute(
        "CREATE VIRTUAL TABLE search_index USING fts5(title, labels, text, grams, tokenize = 'ascii tokenchars ''_''')"
    )
    op.execute(
        "CREATE TRIGGER search_entries_deleted AFTER DELETE ON search_entries "
        "BEGIN DELETE FROM search_index WHERE rowid = old.id; END"
    )


def _make_vectors() -> None:
    op.execute(
        "CREATE TABLE search_index ("
        "id integer CONSTRAINT pk_search_index PRIMARY KEY"
        " CONSTRAINT fk_search_index_id REFERENCES search_entries ON DELETE CASCADE, "
        "names tsvector NOT NULL, words tsvector NOT NULL, grams tsvector NOT NULL) "
        # The words are looked up in their index only: kept aside, they do not make every other look-up read them.
        "WITH (toast_tuple_target = 1024)"
    )
    for name in ("names", "words", "grams"):
        op.execute(f"CREATE INDEX ix_search_index_{name} ON search_index USING gin ({name})")


def _index_games() -> None:
    connection = op.get_bind()
    labels: dict[str, list[str]] = {}
    for game_id, label in connection.execute(sa.text(_LABELS)):
        labels.setdefault(game_id, []).append(" ".join(_words(label)))
    write = _write_fts5 if connection.dialect.name == "sqlite" else _write_vectors
    for game in connection.execute(sa.text("SELECT id, name, short_description, description FROM games")).all():
        title, named = _words(game.name), labels.get(game.id, [])
        entry = {"game": game.id, "title": " ".join(title), "labels": "\n".join(named)}
        entry_id = connection.execute(sa.text(_ENTRY), entry).scalar_one()
        text = _words(f"{game.short_description}\n{game.description}"[:20_000])
        write(connection, entry_id, title, " ".join(named).split(), text)


def _write_fts5(
    connection: sa.Connection, entry_id: int, title: Sequence[str], labels: Sequence[str], text: Sequence[str]
) -> None:
    columns = {"title": title, "labels": labels, "text": sorted(set(text)), "grams": _grams(title)}
    told = {name: " ".join(found) for name, found in columns.items()}
    connection.execute(sa.text(_WRITE_FTS5), {"id": entry_id, **told})


def _write_vectors(
    connection: sa.Connection, entry_id: int, title: Sequence[str], labels: Sequence[str], text: Sequence[str]
) -> None:
    names = {*title, *labels}
    vectors = {"names": sorted(names), "words": sorted(names.union(text)), "grams": list(_grams(title))}
    connection.execute(sa.text(_WRITE_VECTORS), {"id": entry_id, **vectors})


def _words(text: str) -> tuple[str, ...]:
    """Return the words and numbers of a text, in order; they consist of letters and digits and nothing else."""
    bare = unicodedata.normalize("NFKD", text.translate(_DROPPED).replace("&", " and "))
    folded = unicodedata.normalize("NFKD", bare.casefold())
    letters = "".join(mark for mark in folded if not unicodedata.combining(mark)).translate(_PLAIN)
    return tuple(word[:_LONGEST] for word in _WORD.findall(letters))


def _grams(found: Sequence[str]) -> tuple[str, ...]:
    """Return the runs of three letters of words written together, with where they begin and end; sorted, each once.

    Words that are glued or split give the same grams, and a wrong letter spoils three of them.
    """
    padded = f"{2 * _PAD}{''.join(found)}{_PAD}"
    return tuple(sorted({padded[at : at + _GRAM] for at in range(len(padded) - _GRAM + 1)}))


_LONGEST = 40
_PAD = "_"
_GRAM = 3
# The signs of trade marks, which Unicode takes for letters; and apostrophes, which people leave out.
_DROPPED = dict.fromkeys(map(ord, "\u2122\u2120\u00ae\u00a9'\u2019\u2018\u02bc`\u00b4"))
# Letters with a stroke or joined ones, which Unicode does not take apart.
_PLAIN = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ł": "l", "þ": "th", "\u0131": "i"}
)
# Scripts that are written without blanks: every character is a word.
_UNSPACED = "\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"(?=[^\W_])[{_UNSPACED}]|[^\W_{_UNSPACED}]+")
_LABELS = """
SELECT game_id, name FROM game_companies JOIN companies ON companies.id = company_id
UNION SELECT game_id, name FROM game_tags JOIN tags ON tags.id = tag_id ORDER BY 1, 2
"""
_ENTRY = "INSERT INTO search_entries (game_id, title, labels) VALUES (:game, :title, :labels) RETURNING id"
_WRITE_FTS5 = """
INSERT INTO search_index (rowid, title, labels, text, grams) VALUES (:id, :title, :labels, :text, :grams)
"""
_WRITE_VECTORS = """
INSERT INTO search_index (id, names, words, grams)
VALUES (:id, array_to_tsvector(:names), array_to_tsvector(:words), array_to_tsvector(:grams))
"""
