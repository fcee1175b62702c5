"""Standard names: tables, columns, indexes and constraints are called what the code calls them.

Only names change. SQLite renames tables and columns but not constraints, and rebuilding a table that others refer to
would delete their rows; so constraint names are replaced in the stored schema, as described in section 7 of
https://sqlite.org/lang_altertable.html.
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_TABLES = {
    "mechanisms": "sign_in_methods",
    "failures": "failed_attempts",
    "provider_answers": "provider_responses",
    "task_lines": "task_log",
}
_COLUMNS = (
    ("users", "folded", "normalized_name"),
    ("companies", "folded", "normalized_name"),
    ("tags", "folded", "normalized_name"),
    ("tasks", "lane", "queue"),
    ("tasks", "owner", "worker_id"),
    ("tasks", "claims", "attempt"),
    ("import_runs", "taken_back", "undone"),
)
_CONSTRAINTS = (
    ("users", "uq_users_folded", "uq_users_normalized_name"),
    ("companies", "uq_companies_folded", "uq_companies_normalized_name"),
    ("tags", "uq_tags_kind_folded", "uq_tags_kind_normalized_name"),
    ("sign_in_methods", "pk_mechanisms", "pk_sign_in_methods"),
    ("sign_in_methods", "fk_mechanisms_user_id", "fk_sign_in_methods_user_id"),
    ("sign_in_methods", "uq_mechanisms_user_id_kind", "uq_sign_in_methods_user_id_kind"),
    ("sign_in_methods", "uq_mechanisms_kind_subject", "uq_sign_in_methods_kind_subject"),
    ("failed_attempts", "pk_failures", "pk_failed_attempts"),
    ("provider_responses", "pk_provider_answers", "pk_provider_responses"),
    ("task_log", "pk_task_lines", "pk_task_log"),
    ("task_log", "fk_task_lines_task_id", "fk_task_log_task_id"),
)
_QUEUES = {"light": "default", "heavy": "cpu", "waiting": "network", "spare": "low", "idle": "background"}


def upgrade() -> None:
    for old, new in _TABLES.items():
        op.rename_table(old, new)
    for table, old, new in _COLUMNS:
        op.execute(f"ALTER TABLE {table} RENAME COLUMN {old} TO {new}")
    _rename_constraints()
    _rename_indexes()
    tasks = sa.table("tasks", sa.column("queue", sa.String))
    for old, new in _QUEUES.items():
        op.execute(tasks.update().where(tasks.c.queue == old).values(queue=new))


def _rename_constraints() -> None:
    if op.get_bind().dialect.name == "postgresql":
        for table, old, new in _CONSTRAINTS:
            op.execute(f"ALTER TABLE {table} RENAME CONSTRAINT {old} TO {new}")
        for old, new in (("failures_id_seq", "failed_attempts_id_seq"), ("task_lines_id_seq", "task_log_id_seq")):
            op.execute(f"ALTER SEQUENCE {old} RENAME TO {new}")
        return
    op.execute("PRAGMA writable_schema = ON")
    rename = sa.text("UPDATE sqlite_master SET sql = replace(sql, :old, :new) WHERE name = :table")
    for table, old, new in _CONSTRAINTS:
        op.execute(rename.bindparams(table=table, old=f"CONSTRAINT {old} ", new=f"CONSTRAINT {new} "))
    op.execute("PRAGMA writable_schema = RESET")


def _rename_indexes() -> None:
    op.drop_index("ix_tasks_ended_lane_due", "tasks")
    op.create_index("ix_tasks_ended_queue_due", "tasks", ["ended", "queue", "due"])
    op.drop_index("uq_tasks_living_subject", "tasks")
    unended = sa.text("ended IS NULL")
    op.create_index(
        "uq_tasks_active_subject", "tasks", ["subject"], unique=True, sqlite_where=unended, postgresql_where=unended
    )
    op.drop_index("ix_failures_key_at", "failed_attempts")
    op.create_index("ix_failed_attempts_key_at", "failed_attempts", ["key", "at"])
    op.drop_index("ix_provider_answers_expires", "provider_responses")
    op.create_index("ix_provider_responses_expires", "provider_responses", ["expires"])
    op.drop_index("ix_task_lines_task_id", "task_log")
    op.create_index("ix_task_log_task_id", "task_log", ["task_id"])
