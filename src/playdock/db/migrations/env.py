"""How Alembic runs here: inside a transaction that the caller has opened."""

from typing import Any, Literal

from alembic import context

from playdock.models import Base
from playdock.models.base import UtcDateTime


def render_item(kind: str, item: Any, _context: Any) -> str | Literal[False]:
    """Render custom column types as the underlying SQL types, so that migrations do not import the application."""
    if kind == "type" and isinstance(item, UtcDateTime):
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
