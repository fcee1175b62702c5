"""Saved games, and what Drop's clients can do.

Revision ID: 0035
Revises: 0034
"""

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"


def upgrade() -> None:
    op.add_column("devices", sa.Column("capabilities", sa.String(), nullable=True))
    op.add_column("device_requests", sa.Column("capabilities", sa.String(), nullable=True))
    op.create_table(
        "save_slots",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("user_id", sa.String(length=36), nullable=False),
        sa.Column("game_id", sa.String(length=36), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("device_id", sa.String(length=36), nullable=True),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_save_slots_user_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_save_slots_game_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["device_id"], ["devices.id"], name=op.f("fk_save_slots_device_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_save_slots")),
        sa.UniqueConstraint("user_id", "game_id", "number", name=op.f("uq_save_slots_user_id_game_id_number")),
    )
    for column in ("device_id", "game_id"):
        op.create_index(op.f(f"ix_save_slots_{column}"), "save_slots", [column])
    op.create_table(
        "saved_games",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("slot_id", sa.String(length=36), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("aside", sa.Boolean(), nullable=False),
        sa.Column("checksum", sa.String(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("device", sa.String(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["id"], ["objects.id"], name=op.f("fk_saved_games_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["slot_id"], ["save_slots.id"], name=op.f("fk_saved_games_slot_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_saved_games")),
        sa.UniqueConstraint("slot_id", "position", name=op.f("uq_saved_games_slot_id_position")),
    )
