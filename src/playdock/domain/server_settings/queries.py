"""All statements on stored settings."""

from collections.abc import Collection, Mapping

from sqlalchemy import delete, insert, select
from sqlalchemy.orm import Session

from playdock.models import StoredSetting


def all_values(session: Session) -> dict[str, str]:
    """Return the stored texts by the names of the settings."""
    return {row.name: row.value for row in session.scalars(select(StoredSetting))}


def replace(session: Session, values: Mapping[str, str], *, names: Collection[str]) -> None:
    """Replace the stored values of some settings; those without a value are set by default again."""
    session.execute(delete(StoredSetting).where(StoredSetting.name.in_(names)))
    if values:
        session.execute(insert(StoredSetting), [{"name": name, "value": value} for name, value in values.items()])
