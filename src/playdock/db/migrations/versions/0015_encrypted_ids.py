"""Room for encrypted ids of invitations, which are longer than UUIDs.

The service encrypts existing ids when it starts, because migrations do not know its secret key.

Revision ID: 0015
Revises: 0014
"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    with op.batch_alter_table("invitations") as table:
        table.alter_column("id", existing_type=sa.String(length=36), type_=sa.String(), existing_nullable=False)
