"""Changes of files in managed libraries, and their trash.

Revision ID: 0031
Revises: 0030
"""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"


def upgrade() -> None:
    op.create_table(
        "file_changes",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("library_id", sa.String(length=36), nullable=False),
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("change", sa.JSON(), nullable=False),
        sa.Column("switched", sa.Boolean(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("task_id", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["library_id"], ["libraries.id"], name=op.f("fk_file_changes_library_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_file_changes")),
        sa.UniqueConstraint("game_id", name=op.f("uq_file_changes_game_id")),
    )
    op.create_index(op.f("ix_file_changes_library_id"), "file_changes", ["library_id"])
    op.create_table(
        "trash_items",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("library_id", sa.String(length=36), nullable=False),
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("version_id", sa.String(), nullable=True),
        sa.Column("game_name", sa.String(), nullable=False),
        sa.Column("version_name", sa.String(), nullable=True),
        sa.Column("paths", sa.JSON(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("record_names", sa.JSON(), nullable=False),
        sa.Column("removal", sa.JSON(), nullable=False),
        sa.Column("deleted", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["library_id"], ["libraries.id"], name=op.f("fk_trash_items_library_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_trash_items")),
    )
    op.create_index(op.f("ix_trash_items_library_id"), "trash_items", ["library_id"])
