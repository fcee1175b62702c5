"""Pure decisions about companies: the columns to write, and how a change affects the sources of games."""

from collections.abc import Collection, Mapping

import msgspec

from playdock.features.companies.schemas import CompanyChanges, CompanyCreate
from playdock.kit.texts import normalize, one_line
from playdock.metadata.providers import MANUAL

# The game's field that lists the companies with a role.
_FIELDS = {"developer": "developers", "publisher": "publishers"}


def columns(data: CompanyCreate | CompanyChanges) -> dict[str, str]:
    """Return the columns to write: all given fields, and for a name also its normalized form."""
    values = {column: value for column, value in msgspec.structs.asdict(data).items() if value is not msgspec.UNSET}
    if "name" in values:
        name = one_line(values["name"])
        values |= {"name": name, "normalized_name": normalize(name)}
    return values


def with_manual_roles(sources: Mapping[str, str], roles: Collection[str]) -> dict[str, str]:
    """Return a game's sources by field, with the fields of some roles marked as manually edited."""
    return {**sources, **{_FIELDS[role]: MANUAL for role in roles}}
