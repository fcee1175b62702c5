"""Requests for games.

Revision ID: 0024
Revises: 0023
"""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    op.create_table(
        "game_requests",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("user_id", sa.String(length=36), nullable=True),
        sa.Column("key", sa.String(), nullable=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("year", sa.Integer(), nullable=False),
        sa.Column("source_id", sa.String(), nullable=True),
        sa.Column("metadata_id", sa.String(), nullable=True),
        sa.Column("icon", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("comment", sa.String(), nullable=False),
        sa.Column("library_id", sa.String(length=36), nullable=True),
        sa.Column("path", sa.String(), nullable=True),
        sa.Column("game_id", sa.String(length=36), nullable=True),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("answered", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_game_requests_user_id"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(
            ["library_id"], ["libraries.id"], name=op.f("fk_game_requests_library_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_game_requests_game_id"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_game_requests")),
        sa.UniqueConstraint("key", name=op.f("uq_game_requests_key")),
    )
    op.create_index(op.f("ix_game_requests_user_id_status"), "game_requests", ["user_id", "status"])
    op.create_index(op.f("ix_game_requests_source_id_metadata_id"), "game_requests", ["source_id", "metadata_id"])
    op.create_index(op.f("ix_game_requests_library_id_path"), "game_requests", ["library_id", "path"])
    op.create_index(op.f("ix_game_requests_game_id"), "game_requests", ["game_id"])
    op.create_table(
        "game_request_votes",
        sa.Column("request_id", sa.String(length=36), nullable=False),
        sa.Column("user_id", sa.String(length=36), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["request_id"],
            ["game_requests.id"],
            name=op.f("fk_game_request_votes_request_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_game_request_votes_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("request_id", "user_id", name=op.f("pk_game_request_votes")),
    )
    op.create_index(op.f("ix_game_request_votes_user_id"), "game_request_votes", ["user_id"])
