"""The server's name, greeting and logo.

Revision ID: 0016
Revises: 0015
"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.create_table(
        "server_profile",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("greeting", sa.String(), nullable=False),
        sa.Column("logo_id", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_server_profile")),
    )
