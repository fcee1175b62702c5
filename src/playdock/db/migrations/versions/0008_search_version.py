"""The version of the rules that each search entry was written by, so that a task can find those to write again."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("search_entries", sa.Column("version", sa.Integer(), server_default="1", nullable=False))
    op.create_index(op.f("ix_search_entries_version"), "search_entries", ["version"])
