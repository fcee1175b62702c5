"""What is installed on devices, and what is to be installed.

Revision ID: 0017
Revises: 0016
"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    op.create_table(
        "device_installations",
        sa.Column("device_id", sa.String(length=36), nullable=False),
        sa.Column("game_id", sa.String(length=36), nullable=False),
        sa.Column("version_id", sa.String(length=36), nullable=True),
        _reference("device_installations", "device_id", "devices", "CASCADE"),
        _reference("device_installations", "game_id", "games", "CASCADE"),
        _reference("device_installations", "version_id", "versions", "SET NULL"),
        sa.PrimaryKeyConstraint("device_id", "game_id", name=op.f("pk_device_installations")),
    )
    op.create_index(op.f("ix_device_installations_game_id"), "device_installations", ["game_id"])
    op.create_index(op.f("ix_device_installations_version_id"), "device_installations", ["version_id"])
    op.create_table(
        "queued_installations",
        sa.Column("device_id", sa.String(length=36), nullable=False),
        sa.Column("game_id", sa.String(length=36), nullable=False),
        sa.Column("queued", sa.DateTime(timezone=True), nullable=False),
        _reference("queued_installations", "device_id", "devices", "CASCADE"),
        _reference("queued_installations", "game_id", "games", "CASCADE"),
        sa.PrimaryKeyConstraint("device_id", "game_id", name=op.f("pk_queued_installations")),
    )
    op.create_index(op.f("ix_queued_installations_game_id"), "queued_installations", ["game_id"])


def _reference(table: str, column: str, target: str, on_delete: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}")
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=name, ondelete=on_delete)
