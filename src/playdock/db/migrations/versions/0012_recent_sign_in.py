"""Expiry of all API tokens, and the last authentication of sessions.

A token without an expiry, or with a later one, expires a year from now, which is the default of the maximum. Existing
sessions have no time of an authentication, so their users have to confirm the password; they count as used now, because
unused sessions end.

SQLite rebuilds the table of tokens, which drops its triggers. The triggers of both tables are created again; those of
sessions with the new column, which is cached.

Revision ID: 0012
Revises: 0011
"""

from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

_LIFETIME = timedelta(days=365)
_SESSION_COLUMNS = "id, user_id, digest, expires, authenticated"


def upgrade() -> None:
    embedded = op.get_bind().dialect.name == "sqlite"
    if not embedded:
        # PostgreSQL cannot alter a table with pending events of deferred triggers.
        op.execute("SET CONSTRAINTS ALL IMMEDIATE")
    _limit_tokens(embedded=embedded)
    _use_sessions(embedded=embedded)
    op.add_column("sessions", sa.Column("authenticated", sa.DateTime(timezone=True), nullable=True))
    if embedded:
        _count_on_sqlite()
    else:
        _count_on_postgresql()


def _limit_tokens(*, embedded: bool) -> None:
    latest = datetime.now(UTC) + _LIFETIME
    tokens = sa.table("tokens", sa.column("expires", sa.DateTime(timezone=True)))
    limit = latest.replace(tzinfo=None) if embedded else latest
    is_later = tokens.c.expires.is_(None) | (tokens.c.expires > limit)
    op.execute(tokens.update().where(is_later).values(expires=limit))
    with op.batch_alter_table("tokens") as table:
        table.alter_column("expires", existing_type=sa.DateTime(timezone=True), nullable=False)


def _use_sessions(*, embedded: bool) -> None:
    now = datetime.now(UTC)
    sessions = sa.table("sessions", sa.column("seen", sa.DateTime(timezone=True)))
    used = now.replace(tzinfo=None) if embedded else now
    op.execute(sessions.update().where(sessions.c.seen < used).values(seen=used))


def _count_on_sqlite() -> None:
    for table, updated in (("tokens", "UPDATE"), ("sessions", f"UPDATE OF {_SESSION_COLUMNS}")):
        for name, happened in (("updated", updated), ("deleted", "DELETE")):
            op.execute(f"DROP TRIGGER IF EXISTS {table}_credentials_{name}")
            op.execute(
                f"CREATE TRIGGER {table}_credentials_{name} AFTER {happened} ON {table} "  # noqa: S608 - names above
                "BEGIN UPDATE cache_revisions SET credentials = credentials + 1; END"
            )


def _count_on_postgresql() -> None:
    op.execute("DROP TRIGGER sessions_credentials_changed ON sessions")
    op.execute(
        f"CREATE CONSTRAINT TRIGGER sessions_credentials_changed AFTER UPDATE OF {_SESSION_COLUMNS} OR DELETE "
        "ON sessions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION credentials_changed()"
    )
