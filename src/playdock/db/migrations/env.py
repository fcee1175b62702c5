"""How Alembic runs here: inside a transaction that the caller has opened."""

from typing import Any, Literal

from alembic import context

from playdock.models import Base
from playdock.models.base import Moment


def render_item(kind: str, item: Any, _context: Any) -> str | Literal[False]:
    """Write our own types as what they are in the database, so that old migrations need nothing of ours."""
    if kind == "type" and isinstance(item, Moment):
        return "sa.DateTime(timezone=True)"
    return False


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,
    render_item=render_item,
    compare_type=True,
)
with context.begin_transaction():
    context.run_migrations()
