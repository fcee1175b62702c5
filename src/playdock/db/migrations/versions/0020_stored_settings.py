"""Settings in the database, the revision that changes with them, and daily records of disks.

Revision ID: 0020
Revises: 0019
"""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    op.create_table(
        "stored_settings",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_stored_settings")),
    )
    op.create_table(
        "disk_days",
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("disk", sa.String(length=36), nullable=False),
        sa.Column("free", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("day", "disk", name=op.f("pk_disk_days")),
    )
    op.add_column("cache_revisions", sa.Column("settings", sa.BigInteger(), server_default="0", nullable=False))
    if op.get_bind().dialect.name == "sqlite":
        for name, happened in (("inserted", "INSERT"), ("updated", "UPDATE"), ("deleted", "DELETE")):
            op.execute(
                f"CREATE TRIGGER stored_settings_settings_{name} AFTER {happened} ON stored_settings "  # noqa: S608 - names above
                "BEGIN UPDATE cache_revisions SET settings = settings + 1; END"
            )
        return
    op.execute(
        "CREATE FUNCTION settings_changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "UPDATE cache_revisions SET settings = txid_current() WHERE settings <> txid_current(); "
        "RETURN NULL; END $$"
    )
    op.execute(
        "CREATE CONSTRAINT TRIGGER stored_settings_settings_changed AFTER INSERT OR UPDATE OR DELETE "
        "ON stored_settings DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION settings_changed()"
    )
