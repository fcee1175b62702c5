"""Statistics: what was sent, by day, user and version."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "transfer_days",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("user_id", sa.String(length=36), nullable=True),
        sa.Column("version_id", sa.String(length=36), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_transfer_days_user_id"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_transfer_days")),
        sa.UniqueConstraint("day", "user_id", "version_id", name=op.f("uq_transfer_days_day_user_id_version_id")),
    )
    op.create_index(op.f("ix_transfer_days_user_id"), "transfer_days", ["user_id"])
