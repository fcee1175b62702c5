"""An index of the beginnings of names on PostgreSQL, whatever the collation.

Revision ID: 0036
Revises: 0035
"""

from alembic import op

revision = "0036"
down_revision = "0035"


def upgrade() -> None:
    # SQLite compares text by its bytes, so that it finds beginnings with the index it has.
    if op.get_bind().dialect.name == "postgresql":
        op.create_index(
            "ix_games_sort_name_pattern",
            "games",
            ["sort_name", "id"],
            postgresql_ops={"sort_name": "text_pattern_ops"},
        )
