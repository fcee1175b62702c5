"""News, and private feeds of them.

Revision ID: 0028
Revises: 0027
"""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"


def upgrade() -> None:
    op.create_table(
        "news_articles",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("description", sa.String(), nullable=False),
        sa.Column("content", sa.String(), nullable=False),
        sa.Column("image_id", sa.String(), nullable=True),
        sa.Column("author_id", sa.String(length=36), nullable=True),
        sa.Column("game_id", sa.String(length=36), nullable=True),
        sa.Column("version_id", sa.String(length=36), nullable=True),
        sa.Column("published", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["author_id"], ["users.id"], name=op.f("fk_news_articles_author_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_news_articles_game_id"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(
            ["version_id"], ["versions.id"], name=op.f("fk_news_articles_version_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_news_articles")),
        sa.UniqueConstraint("version_id", name=op.f("uq_news_articles_version_id")),
    )
    op.create_index(op.f("ix_news_articles_published_id"), "news_articles", ["published", "id"])
    op.create_index(op.f("ix_news_articles_game_id"), "news_articles", ["game_id"])
    op.create_table(
        "news_feeds",
        sa.Column("user_id", sa.String(length=36), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_news_feeds_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_news_feeds")),
        sa.UniqueConstraint("digest", name=op.f("uq_news_feeds_digest")),
    )
