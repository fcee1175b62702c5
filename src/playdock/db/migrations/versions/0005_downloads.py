"""Downloads: devices and how they are let in, signed links, patches, damage, limits of users."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "device_requests",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("user_code", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("platform", sa.String(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires", sa.DateTime(timezone=True), nullable=False),
        sa.Column("polled", sa.DateTime(timezone=True), nullable=True),
        sa.Column("pause", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.String(length=36), nullable=True),
        sa.Column("denied", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_device_requests_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_device_requests")),
        sa.UniqueConstraint("digest", name=op.f("uq_device_requests_digest")),
        sa.UniqueConstraint("user_code", name=op.f("uq_device_requests_user_code")),
    )
    op.create_index(op.f("ix_device_requests_expires"), "device_requests", ["expires"])

    op.create_table(
        "devices",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("user_id", sa.String(length=36), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("platform", sa.String(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_devices_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_devices")),
        sa.UniqueConstraint("digest", name=op.f("uq_devices_digest")),
    )
    op.create_index(op.f("ix_devices_user_id"), "devices", ["user_id"])

    op.create_table(
        "damages",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("version_id", sa.String(length=36), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("fault", sa.String(), nullable=False),
        sa.Column("found", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["version_id"], ["versions.id"], name=op.f("fk_damages_version_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_damages")),
        sa.UniqueConstraint("version_id", "path", name=op.f("uq_damages_version_id_path")),
    )
    op.create_table(
        "download_links",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("user_id", sa.String(length=36), nullable=False),
        sa.Column("version_id", sa.String(length=36), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("target", sa.String(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires", sa.DateTime(timezone=True), nullable=False),
        sa.Column("bytes_left", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_download_links_user_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["version_id"], ["versions.id"], name=op.f("fk_download_links_version_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_download_links")),
        sa.UniqueConstraint("digest", name=op.f("uq_download_links_digest")),
    )
    op.create_index(op.f("ix_download_links_expires"), "download_links", ["expires"])
    op.create_index(op.f("ix_download_links_user_id"), "download_links", ["user_id"])
    op.create_index(op.f("ix_download_links_version_id"), "download_links", ["version_id"])

    op.create_table(
        "patch_sets",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("version_id", sa.String(length=36), nullable=False),
        sa.Column("from_id", sa.String(length=36), nullable=False),
        sa.Column("version_etag", sa.String(), nullable=False),
        sa.Column("from_etag", sa.String(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["from_id"], ["versions.id"], name=op.f("fk_patch_sets_from_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["version_id"], ["versions.id"], name=op.f("fk_patch_sets_version_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_patch_sets")),
        sa.UniqueConstraint("version_id", "from_id", name=op.f("uq_patch_sets_version_id_from_id")),
    )
    op.create_index(op.f("ix_patch_sets_from_id"), "patch_sets", ["from_id"])
    op.create_index(op.f("ix_patch_sets_used"), "patch_sets", ["used"])

    op.add_column("users", sa.Column("download_rate", sa.BigInteger(), nullable=True))
    op.add_column("users", sa.Column("downloads_at_once", sa.Integer(), nullable=True))

    op.add_column("versions", sa.Column("revision", sa.Integer(), server_default="0", nullable=False))
    op.add_column("versions", sa.Column("damaged", sa.DateTime(timezone=True), nullable=True))
    op.add_column("versions", sa.Column("verified", sa.DateTime(timezone=True), nullable=True))
