"""What is known of games: metadata, pictures, companies, tags; collections; plans of imports.

Columns are added to `games` one by one: making the table anew, as a batch would on SQLite, deletes all versions.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "companies",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("folded", sa.String(), nullable=False),
        sa.Column("description", sa.String(), nullable=False),
        sa.Column("website", sa.String(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_companies")),
        sa.UniqueConstraint("folded", name=op.f("uq_companies_folded")),
    )
    op.create_table(
        "import_runs",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("task_id", sa.String(), nullable=True),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("taken_back", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_import_runs")),
    )
    op.create_table(
        "provider_answers",
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("source_id", sa.String(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("expires", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_provider_answers")),
    )
    with op.batch_alter_table("provider_answers", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_provider_answers_expires"), ["expires"], unique=False)

    op.create_table(
        "provider_states",
        sa.Column("source_id", sa.String(), nullable=False),
        sa.Column("calls", sa.JSON(), nullable=False),
        sa.Column("resting_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("token", sa.String(), nullable=True),
        sa.Column("token_expires", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("source_id", name=op.f("pk_provider_states")),
    )
    op.create_table(
        "tags",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("folded", sa.String(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tags")),
        sa.UniqueConstraint("kind", "folded", name=op.f("uq_tags_kind_folded")),
    )
    op.create_table(
        "collections",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("user_id", sa.String(length=36), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("is_default", sa.Boolean(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_collections_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_collections")),
    )
    with op.batch_alter_table("collections", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_collections_user_id"), ["user_id"], unique=False)
        batch_op.create_index(
            "uq_collections_default",
            ["user_id"],
            unique=True,
            sqlite_where=sa.text("is_default"),
            postgresql_where=sa.text("is_default"),
        )

    op.create_table(
        "import_run_rows",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("run_id", sa.String(length=36), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("library_id", sa.String(), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("choice", sa.JSON(), nullable=False),
        sa.Column("done", sa.DateTime(timezone=True), nullable=True),
        sa.Column("game_id", sa.String(), nullable=True),
        sa.Column("fault", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(
            ["run_id"], ["import_runs.id"], name=op.f("fk_import_run_rows_run_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_import_run_rows")),
        sa.UniqueConstraint("run_id", "position", name=op.f("uq_import_run_rows_run_id_position")),
    )
    op.create_table(
        "plan_rows",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("library_id", sa.String(length=36), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("certain", sa.Boolean(), nullable=False),
        sa.Column("confidence", sa.Double(), nullable=False),
        sa.Column("source_id", sa.String(), nullable=True),
        sa.Column("metadata_id", sa.String(), nullable=True),
        sa.Column("clues", sa.JSON(), nullable=False),
        sa.Column("candidates", sa.JSON(), nullable=False),
        sa.Column("versions", sa.JSON(), nullable=False),
        sa.Column("remark", sa.String(), nullable=False),
        sa.Column("computed", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["library_id"], ["libraries.id"], name=op.f("fk_plan_rows_library_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_plan_rows")),
        sa.UniqueConstraint("library_id", "path", name=op.f("uq_plan_rows_library_id_path")),
    )
    with op.batch_alter_table("plan_rows", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_plan_rows_certain_path"), ["certain", "path"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_plan_rows_source_id_metadata_id"), ["source_id", "metadata_id"], unique=False
        )

    op.create_table(
        "collection_entries",
        sa.Column("collection_id", sa.String(length=36), nullable=False),
        sa.Column("game_id", sa.String(length=36), nullable=False),
        sa.Column("added", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["collection_id"], ["collections.id"], name=op.f("fk_collection_entries_collection_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["game_id"], ["games.id"], name=op.f("fk_collection_entries_game_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("collection_id", "game_id", name=op.f("pk_collection_entries")),
    )
    with op.batch_alter_table("collection_entries", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_collection_entries_game_id"), ["game_id"], unique=False)

    op.create_table(
        "game_companies",
        sa.Column("game_id", sa.String(length=36), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("company_id", sa.String(length=36), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["company_id"], ["companies.id"], name=op.f("fk_game_companies_company_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_game_companies_game_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "role", "company_id", name=op.f("pk_game_companies")),
    )
    with op.batch_alter_table("game_companies", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_game_companies_company_id"), ["company_id"], unique=False)

    op.create_table(
        "game_tags",
        sa.Column("game_id", sa.String(length=36), nullable=False),
        sa.Column("tag_id", sa.String(length=36), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_game_tags_game_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["tag_id"], ["tags.id"], name=op.f("fk_game_tags_tag_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "tag_id", name=op.f("pk_game_tags")),
    )
    with op.batch_alter_table("game_tags", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_game_tags_tag_id"), ["tag_id"], unique=False)

    op.create_table(
        "pictures",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("game_id", sa.String(length=36), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("credit", sa.String(), nullable=False),
        sa.Column("renditions", sa.JSON(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_pictures_game_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pictures")),
    )
    with op.batch_alter_table("pictures", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_pictures_game_id"), ["game_id"], unique=False)

    op.create_table(
        "picture_uses",
        sa.Column("game_id", sa.String(length=36), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("picture_id", sa.String(length=36), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_picture_uses_game_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["picture_id"], ["pictures.id"], name=op.f("fk_picture_uses_picture_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("game_id", "role", "position", name=op.f("pk_picture_uses")),
    )
    with op.batch_alter_table("picture_uses", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_picture_uses_picture_id"), ["picture_id"], unique=False)

    op.add_column("games", sa.Column("sort_name", sa.String(), server_default="", nullable=False))
    op.add_column("games", sa.Column("short_description", sa.String(), server_default="", nullable=False))
    op.add_column("games", sa.Column("description", sa.String(), server_default="", nullable=False))
    op.add_column("games", sa.Column("released", sa.Date(), nullable=True))
    op.add_column("games", sa.Column("release_precision", sa.String(), nullable=True))
    op.add_column("games", sa.Column("featured", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("games", sa.Column("rating", sa.Double(), nullable=True))
    for name in ("ratings", "age_ratings", "websites"):
        op.add_column("games", sa.Column(name, sa.JSON(), server_default="[]", nullable=False))
    for name in ("external_ids", "sources"):
        op.add_column("games", sa.Column(name, sa.JSON(), server_default="{}", nullable=False))
    op.add_column("games", sa.Column("run_id", sa.String(), nullable=True))
    op.add_column("games", sa.Column("updated", sa.DateTime(timezone=True), nullable=True))
    op.add_column("games", sa.Column("refreshed", sa.DateTime(timezone=True), nullable=True))
    for name in ("created", "rating", "released", "sort_name", "updated"):
        op.create_index(op.f(f"ix_games_{name}_id"), "games", [name, "id"])
    op.create_index(op.f("ix_games_run_id"), "games", ["run_id"])
    op.execute("UPDATE games SET sort_name = lower(name)")
    op.execute(
        "UPDATE games SET updated = (SELECT max(versions.created) FROM versions WHERE versions.game_id = games.id)"
    )
