"""OpenID: sign-ins under way, what a session keeps of one, guided tests."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "openid_tests",
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("opened", sa.Boolean(), nullable=False),
        sa.Column("claims", sa.String(), nullable=True),
        sa.Column("refusal", sa.String(), nullable=True),
        sa.Column("expires", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_openid_tests")),
    )
    op.create_table(
        "openid_flows",
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("browser", sa.String(), nullable=False),
        sa.Column("nonce", sa.String(), nullable=False),
        sa.Column("verifier", sa.String(), nullable=False),
        sa.Column("redirect", sa.String(), nullable=False),
        sa.Column("session_id", sa.String(length=36), nullable=True),
        sa.Column("test", sa.String(), nullable=True),
        sa.Column("expires", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"], ["sessions.id"], name=op.f("fk_openid_flows_session_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["test"], ["openid_tests.digest"], name=op.f("fk_openid_flows_test"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("state", name=op.f("pk_openid_flows")),
    )
    for column in ("expires", "session_id", "test"):
        op.create_index(op.f(f"ix_openid_flows_{column}"), "openid_flows", [column])
    op.create_table(
        "openid_sessions",
        sa.Column("session_id", sa.String(length=36), nullable=False),
        sa.Column("id_token", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"], ["sessions.id"], name=op.f("fk_openid_sessions_session_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("session_id", name=op.f("pk_openid_sessions")),
    )
