"""A number that changes with how many games the store shows: in all, with a tag, of a company, on a platform.

Revision ID: 0039
Revises: 0038
"""

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"

_INSERTED, _UPDATED, _DELETED = "INSERT", "UPDATE", "DELETE"
_EVENTS = {
    "games": (_INSERTED, _DELETED),
    "versions": (_INSERTED, "UPDATE OF game_id, platform", _DELETED),
    "game_tags": (_INSERTED, _UPDATED, _DELETED),
    "game_companies": (_INSERTED, _UPDATED, _DELETED),
    # Those without games are not counted.
    "tags": (_UPDATED, _DELETED),
    "companies": (_UPDATED, _DELETED),
}


def upgrade() -> None:
    op.add_column("cache_revisions", sa.Column("store", sa.BigInteger(), server_default="0", nullable=False))
    if op.get_bind().dialect.name == "sqlite":
        for table, events in _EVENTS.items():
            for event in events:
                op.execute(
                    f"CREATE TRIGGER {table}_store_{event.partition(' ')[0].lower()} AFTER {event} ON {table} "  # noqa: S608 - names above
                    "BEGIN UPDATE cache_revisions SET store = store + 1; END"
                )
        return
    op.execute(
        "CREATE FUNCTION store_changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "UPDATE cache_revisions SET store = txid_current() WHERE store <> txid_current(); "
        "RETURN NULL; END $$"
    )
    for table, events in _EVENTS.items():
        op.execute(
            f"CREATE CONSTRAINT TRIGGER {table}_store_changed AFTER {' OR '.join(events)} ON {table} "
            "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION store_changed()"
        )
