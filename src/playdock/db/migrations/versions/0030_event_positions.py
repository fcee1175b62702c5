"""Positions of events in streams.

Revision ID: 0030
Revises: 0029
"""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"


def upgrade() -> None:
    op.add_column("events", sa.Column("position", sa.Integer(), nullable=True))
    op.create_index(op.f("ix_events_position"), "events", ["position"], unique=True)
