"""Scans of libraries: what they found, and rules for it.

Revision ID: 0023
Revises: 0022
"""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    op.add_column("libraries", sa.Column("rules", sa.JSON(), nullable=True))
    op.add_column("import_runs", sa.Column("automatic", sa.Boolean(), nullable=True))
    op.create_table(
        "found_versions",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("library_id", sa.String(length=36), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("fingerprint", sa.String(), nullable=False),
        sa.Column("seen", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed", sa.DateTime(timezone=True), nullable=False),
        sa.Column("due", sa.DateTime(timezone=True), nullable=True),
        sa.Column("decided", sa.DateTime(timezone=True), nullable=True),
        sa.Column("task_id", sa.String(), nullable=True),
        sa.Column("undone", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["library_id"], ["libraries.id"], name=op.f("fk_found_versions_library_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_found_versions")),
        sa.UniqueConstraint("library_id", "path", "version", name=op.f("uq_found_versions_library_id_path_version")),
    )
    op.create_index(op.f("ix_found_versions_task_id"), "found_versions", ["task_id"])
