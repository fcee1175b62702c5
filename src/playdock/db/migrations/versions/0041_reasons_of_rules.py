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
    op.create_index(op.f("ix_events_batch"), "events", ["batch"])
    op.create_index(op.f("ix_tasks_subject"), "tasks", ["subject"])
    bind = op.get_bind()
    for row in bind.execute(sa.select(_WANTED).with_for_update()).all():
        if _DAMAGED in row.preferences.get("muted", ()):
            changed = {**row.preferences, "muted": _with_missing(row.preferences["muted"])}
            bind.execute(sa.update(_WANTED).where(_WANTED.c.user_id == row.user_id).values(preferences=changed))
    for row in bind.execute(sa.select(_DELIVERED).with_for_update()).all():
        channels = row.preferences.get("channels", {})
        if any(_DAMAGED in kinds for kinds in channels.values()):
            changed = {**row.preferences, "channels": {name: _with_missing(kinds) for name, kinds in channels.items()}}
            bind.execute(sa.update(_DELIVERED).where(_DELIVERED.c.user_id == row.user_id).values(preferences=changed))
    for row in bind.execute(sa.select(_WEBHOOKS).with_for_update()).all():
        if _DAMAGED in row.event_types:
            own = sa.update(_WEBHOOKS).where(_WEBHOOKS.c.id == row.id)
            bind.execute(own.values(event_types=_with_missing(row.event_types)))


def _with_missing(types: Any) -> list[str]:
    return sorted({*types, _MISSING}) if _DAMAGED in types else list(types)
