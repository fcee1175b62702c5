"""How Alembic runs here: inside a transaction that the caller has opened."""

from alembic import context

from playdock.models import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,
    compare_type=True,
)
with context.begin_transaction():
    context.run_migrations()
