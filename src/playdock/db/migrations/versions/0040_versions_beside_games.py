"""Versions whose files are beside the folder of their game.

Revision ID: 0040
Revises: 0039
"""

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"


def upgrade() -> None:
    op.add_column("versions", sa.Column("beside", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.create_index(op.f("ix_versions_beside_name"), "versions", ["beside", "name"])
