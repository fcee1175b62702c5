"""Parts of large versions, which several nodes read at the same time, and tasks that only one node may run.

Revision ID: 0038
Revises: 0037
"""

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"


def upgrade() -> None:
    op.create_table(
        "import_parts",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("task_id", sa.String(length=36), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("reader_id", sa.String(), nullable=True),
        sa.Column("reader_attempt", sa.Integer(), nullable=True),
        sa.Column("seen", sa.DateTime(timezone=True), nullable=True),
        sa.Column("complete", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["task_id"], ["tasks.id"], name=op.f("fk_import_parts_task_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_import_parts")),
    )
    op.create_index(op.f("ix_import_parts_task_id_id"), "import_parts", ["task_id", "id"])
    op.add_column("tasks", sa.Column("node", sa.String(), nullable=True))
