"""Layouts of games, and what is known of the names of versions.

Revision ID: 0031
Revises: 0030
"""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"


def upgrade() -> None:
    op.add_column("games", sa.Column("layout", sa.String(), nullable=True))
    op.add_column("versions", sa.Column("label", sa.String(), nullable=True))
