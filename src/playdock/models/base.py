"""The base of all tables: ids, times in UTC, and names of constraints."""

from datetime import UTC, datetime
from typing import Annotated, Any

from sqlalchemy import Connection, DateTime, Dialect, Index, MetaData, String, event, text
from sqlalchemy.orm import DeclarativeBase, mapped_column
from sqlalchemy.types import TypeDecorator

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


class UtcDateTime(TypeDecorator[datetime]):
    """An aware datetime in UTC on both databases; SQLite itself stores no time zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        moment = value.astimezone(UTC)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        moment: datetime = value
        return moment.replace(tzinfo=UTC) if dialect.name == "sqlite" else moment.astimezone(UTC)


Id = Annotated[str, mapped_column(String(36), primary_key=True)]


class Base(DeclarativeBase):
    """The base class of all tables."""

    metadata = MetaData(naming_convention=NAMING)
    type_annotation_map = {datetime: UtcDateTime}  # noqa: RUF012 - SQLAlchemy requires a plain attribute


def partial_unique_index(name: str, *columns: str, where: str) -> Index:
    """Return a unique index of the rows that meet a condition.

    SQLAlchemy has an option of each dialect for this, and loads the dialect to check it. So the options are set only
    when tables are created.
    """
    return Index(name, *columns, unique=True, info={"where": where})


@event.listens_for(Base.metadata, "before_create")
def _set_conditions(metadata: MetaData, connection: Connection, **_options: Any) -> None:
    indexes = (index for table in metadata.sorted_tables for index in table.indexes)
    for index in indexes:
        if "where" in index.info:
            index.dialect_kwargs[f"{connection.dialect.name}_where"] = text(index.info["where"])
