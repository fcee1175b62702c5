"""Play time, and what users note about games.

Revision ID: 0034
Revises: 0033
"""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"


def upgrade() -> None:
    op.create_table(
        "play_sessions",
        sa.Column("user_id", sa.String(length=36), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("game_id", sa.String(length=36), nullable=False),
        sa.Column("version_id", sa.String(length=36), nullable=True),
        sa.Column("device_id", sa.String(length=36), nullable=True),
        sa.Column("started", sa.DateTime(timezone=True), nullable=True),
        sa.Column("seconds", sa.Integer(), nullable=False),
        sa.Column("source", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_play_sessions_user_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_play_sessions_game_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["version_id"], ["versions.id"], name=op.f("fk_play_sessions_version_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["device_id"], ["devices.id"], name=op.f("fk_play_sessions_device_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("user_id", "id", name=op.f("pk_play_sessions")),
    )
    op.create_index(op.f("ix_play_sessions_user_id_game_id"), "play_sessions", ["user_id", "game_id"])
    for column in ("game_id", "version_id", "device_id"):
        op.create_index(op.f(f"ix_play_sessions_{column}"), "play_sessions", [column])
    op.create_table(
        "play_records",
        sa.Column("user_id", sa.String(length=36), nullable=False),
        sa.Column("game_id", sa.String(length=36), nullable=False),
        sa.Column("status", sa.String(), nullable=True),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column("changed", sa.DateTime(timezone=True), nullable=False),
        sa.Column("source", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_play_records_user_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_play_records_game_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("user_id", "game_id", name=op.f("pk_play_records")),
    )
    op.create_index(op.f("ix_play_records_game_id"), "play_records", ["game_id"])
