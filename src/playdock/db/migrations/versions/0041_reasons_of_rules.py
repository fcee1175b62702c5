"""Why a version is not imported by a rule, and missing versions as a type of events.

Who is told of damaged versions is told of missing ones, which were of the same type before.

Revision ID: 0041
Revises: 0040
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0041"
down_revision = "0040"

_DAMAGED, _MISSING = "version.damaged", "version.missing"
_WANTED = sa.table("notification_preferences", sa.column("user_id"), sa.column("preferences", sa.JSON))
_DELIVERED = sa.table("delivery_preferences", sa.column("user_id"), sa.column("preferences", sa.JSON))
_WEBHOOKS = sa.table("webhooks", sa.column("id"), sa.column("event_types", sa.JSON))


def upgrade() -> None:
    op.add_column("found_versions", sa.Column("left_out", sa.JSON(), nullable=True))
    bind = op.get_bind()
    for row in bind.execute(sa.select(_WANTED)).all():
        muted = _with_missing(row.preferences.get("muted", ()))
        own = sa.update(_WANTED).where(_WANTED.c.user_id == row.user_id)
        bind.execute(own.values(preferences={**row.preferences, "muted": muted}))
    for row in bind.execute(sa.select(_DELIVERED)).all():
        channels = {name: _with_missing(kinds) for name, kinds in row.preferences.get("channels", {}).items()}
        own = sa.update(_DELIVERED).where(_DELIVERED.c.user_id == row.user_id)
        bind.execute(own.values(preferences={**row.preferences, "channels": channels}))
    for row in bind.execute(sa.select(_WEBHOOKS)).all():
        own = sa.update(_WEBHOOKS).where(_WEBHOOKS.c.id == row.id)
        bind.execute(own.values(event_types=_with_missing(row.event_types)))


def _with_missing(types: Any) -> list[str]:
    return sorted({*types, _MISSING}) if _DAMAGED in types else list(types)
