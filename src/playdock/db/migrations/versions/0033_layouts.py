"""Layouts of games, and what is known of the names of versions.

Revision ID: 0033
Revises: 0032
"""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"


def upgrade() -> None:
    op.add_column("games", sa.Column("layout", sa.String(), nullable=True))
    op.add_column("versions", sa.Column("label", sa.String(), nullable=True))
