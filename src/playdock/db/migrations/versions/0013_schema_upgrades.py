"""Which release upgraded the schema, and indexes for verifying versions in batches and for the dashboard.

Revision ID: 0013
Revises: 0012
"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.create_table(
        "schema_upgrades",
        sa.Column("revision", sa.String(), nullable=False),
        sa.Column("release", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("revision", name=op.f("pk_schema_upgrades")),
    )
    op.create_index(op.f("ix_versions_verified_id"), "versions", ["verified", "id"])
    # The dashboard's figures are read from these alone.
    op.create_index(op.f("ix_games_library_id_id"), "games", ["library_id", "id"])
    op.create_index(op.f("ix_versions_game_id_size"), "versions", ["game_id", "size"])
    op.create_index(op.f("ix_versions_damaged"), "versions", ["damaged"])
