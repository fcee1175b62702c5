"""Notifications that are delivered outside of the app.

Revision ID: 0026
Revises: 0025
"""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    op.create_table(
        "delivery_preferences",
        sa.Column("user_id", sa.String(length=36), nullable=False),
        sa.Column("preferences", sa.JSON(), nullable=False),
        sa.Column("verified_email", sa.String(), nullable=True),
        sa.Column("verification_sent", sa.DateTime(timezone=True), nullable=True),
        _of_user("delivery_preferences"),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_delivery_preferences")),
    )
    op.create_table(
        "deliveries",
        sa.Column("id", sa.Integer(), nullable=False, autoincrement=True),
        sa.Column("notification_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.String(length=36), nullable=False),
        sa.Column("channel", sa.String(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("due", sa.DateTime(timezone=True), nullable=False),
        sa.Column("message", sa.String(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["notification_id"],
            ["notifications.id"],
            name=op.f("fk_deliveries_notification_id"),
            ondelete="CASCADE",
        ),
        _of_user("deliveries"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_deliveries")),
        sa.UniqueConstraint("notification_id", "channel", name=op.f("uq_deliveries_notification_id_channel")),
    )
    op.create_index(op.f("ix_deliveries_channel_due"), "deliveries", ["channel", "due"])
    op.create_index(op.f("ix_deliveries_user_id_channel"), "deliveries", ["user_id", "channel"])
    op.create_index(op.f("ix_deliveries_message"), "deliveries", ["message"])


def _of_user(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f(f"fk_{table}_user_id"), ondelete="CASCADE")
