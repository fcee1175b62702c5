"""Notifications that are delivered without being in the app, and when the files of imported versions were looked at.

Kinds that were turned off were not delivered at all; they are not selected for any other way from here on.

Revision ID: 0037
Revises: 0036
"""

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"

_WANTED = sa.table("notification_preferences", sa.column("user_id"), sa.column("preferences", sa.JSON))
_DELIVERED = sa.table("delivery_preferences", sa.column("user_id"), sa.column("preferences", sa.JSON))


def upgrade() -> None:
    op.add_column("notifications", sa.Column("in_app", sa.Boolean(), server_default=sa.true(), nullable=False))
    op.add_column("found_versions", sa.Column("checked", sa.DateTime(timezone=True), nullable=True))
    bind = op.get_bind()
    wanted = {row.user_id: row.preferences for row in bind.execute(sa.select(_WANTED))}
    for row in bind.execute(sa.select(_DELIVERED)).all():
        muted, channels = wanted.get(row.user_id, {}).get("muted", ()), row.preferences.get("channels", {})
        kept = {name: [each for each in kinds if each not in muted] for name, kinds in channels.items()}
        if kept != channels:
            own = sa.update(_DELIVERED).where(_DELIVERED.c.user_id == row.user_id)
            bind.execute(own.values(preferences={**row.preferences, "channels": kept}))
