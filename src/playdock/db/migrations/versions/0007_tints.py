"""Tints: what a page shows of a picture before the picture is there."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("pictures", sa.Column("placeholder", sa.String(), nullable=True))
    op.add_column("pictures", sa.Column("colour", sa.String(), nullable=True))
