"""The secret that a session had before, and sign-ins that require the identity provider to authenticate the user again.

The triggers of sessions are created again with the new columns, which are cached.

Revision ID: 0014
Revises: 0013
"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"

_SESSION_COLUMNS = "id, user_id, digest, replaced_digest, replaced_until, expires, authenticated"


def upgrade() -> None:
    embedded = op.get_bind().dialect.name == "sqlite"
    if not embedded:
        # PostgreSQL cannot alter a table with pending events of deferred triggers.
        op.execute("SET CONSTRAINTS ALL IMMEDIATE")
    op.add_column("openid_flows", sa.Column("recent", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("sessions", sa.Column("replaced_until", sa.DateTime(timezone=True), nullable=True))
    op.add_column("sessions", sa.Column("replaced_digest", sa.String(), nullable=True))
    # Not a constraint: SQLite would rebuild the table, and delete the rows that refer to it.
    op.create_index(op.f("ix_sessions_replaced_digest"), "sessions", ["replaced_digest"], unique=True)
    if embedded:
        _count_on_sqlite()
    else:
        _count_on_postgresql()


def _count_on_sqlite() -> None:
    for name, happened in (("updated", f"UPDATE OF {_SESSION_COLUMNS}"), ("deleted", "DELETE")):
        op.execute(f"DROP TRIGGER IF EXISTS sessions_credentials_{name}")
        op.execute(
            f"CREATE TRIGGER sessions_credentials_{name} AFTER {happened} ON sessions "  # noqa: S608 - names above
            "BEGIN UPDATE cache_revisions SET credentials = credentials + 1; END"
        )


def _count_on_postgresql() -> None:
    op.execute("DROP TRIGGER sessions_credentials_changed ON sessions")
    op.execute(
        f"CREATE CONSTRAINT TRIGGER sessions_credentials_changed AFTER UPDATE OF {_SESSION_COLUMNS} OR DELETE "
        "ON sessions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION credentials_changed()"
    )
