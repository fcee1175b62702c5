"""Numbers that change with what processes cache: who a credential belongs to, and where a version's files are.

Only changes and deletions count: what is not there is never cached. Columns of bookkeeping do not count, such as when a
session was last used. PostgreSQL's triggers run when the transaction commits, and only one row is ever locked, so that
no deadlock can come of them.
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_ALL = ""
_SUBJECTS = {
    "credentials": {
        "users": _ALL,
        "sessions": "id, user_id, digest, expires",
        "tokens": _ALL,
        "devices": "id, user_id, digest",
        "download_links": "id, user_id, version_id, digest, target, expires",
    },
    "content": {
        "libraries": _ALL,
        "games": "id, library_id, path, name",
        "versions": "id, game_id, name, base_id, revision, manifest_etag",
    },
}


def upgrade() -> None:
    op.create_table(
        "cache_revisions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("credentials", sa.BigInteger(), nullable=False),
        sa.Column("content", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_cache_revisions")),
    )
    op.execute("INSERT INTO cache_revisions (id, credentials, content) VALUES (1, 0, 0)")
    embedded = op.get_bind().dialect.name == "sqlite"
    for subject, tables in _SUBJECTS.items():
        if not embedded:
            _make_function(subject)
        for table, columns in tables.items():
            _make_triggers(subject, table, columns=columns, embedded=embedded)


def _make_triggers(subject: str, table: str, *, columns: str, embedded: bool) -> None:
    updated = f"UPDATE OF {columns}" if columns else "UPDATE"
    if not embedded:
        op.execute(
            f"CREATE CONSTRAINT TRIGGER {table}_{subject}_changed AFTER {updated} OR DELETE ON {table} "
            f"DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION {subject}_changed()"
        )
        return
    for name, happened in (("updated", updated), ("deleted", "DELETE")):
        op.execute(
            f"CREATE TRIGGER {table}_{subject}_{name} AFTER {happened} ON {table} "  # noqa: S608 - names above
            f"BEGIN UPDATE cache_revisions SET {subject} = {subject} + 1; END"
        )


def _make_function(subject: str) -> None:
    """Set the number to the transaction's own, which no other has, and once however many rows it changes."""
    op.execute(
        f"CREATE FUNCTION {subject}_changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "  # noqa: S608 - names above
        f"UPDATE cache_revisions SET {subject} = txid_current() WHERE {subject} <> txid_current(); "
        "RETURN NULL; END $$"
    )
