"""Devices with Drop's client: their certificates, their way of signing in, and their downloads.

Revision ID: 0021
Revises: 0020
"""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    op.add_column("devices", sa.Column("certificate", sa.String(), nullable=True))
    op.add_column("device_requests", sa.Column("drop_mode", sa.String(), nullable=True))
    op.add_column("device_requests", sa.Column("approved", sa.DateTime(timezone=True), nullable=True))
    op.create_table(
        "drop_contexts",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("device_id", sa.String(length=36), nullable=False),
        sa.Column("version_id", sa.String(length=36), nullable=False),
        sa.Column("manifest_etag", sa.String(), nullable=False),
        sa.Column("used", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["device_id"], ["devices.id"], name=op.f("fk_drop_contexts_device_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["version_id"], ["versions.id"], name=op.f("fk_drop_contexts_version_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_drop_contexts")),
    )
    for column in ("device_id", "used", "version_id"):
        op.create_index(op.f(f"ix_drop_contexts_{column}"), "drop_contexts", [column])
