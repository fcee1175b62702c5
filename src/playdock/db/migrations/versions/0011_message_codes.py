"""Codes and parameters beside the English sentences of tasks and plan rows.

Revision ID: 0011
Revises: 0010
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

_COLUMNS = (
    ("tasks", "name_code", sa.String),
    ("tasks", "name_parameters", sa.JSON),
    ("tasks", "error_code", sa.String),
    ("tasks", "error_parameters", sa.JSON),
    ("task_log", "code", sa.String),
    ("task_log", "parameters", sa.JSON),
    ("plan_rows", "remark_code", sa.String),
    ("plan_rows", "remark_parameters", sa.JSON),
)


def upgrade() -> None:
    for table, column, kind in _COLUMNS:
        op.add_column(table, sa.Column(column, kind(), nullable=True))
