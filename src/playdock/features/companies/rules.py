"""Pure decisions about companies: what is written of one, and what an administrator's word means for its games."""

from collections.abc import Collection, Mapping

import msgspec

from playdock.features.companies.schemas import CompanyChanges, CompanyDraft
from playdock.kit.errors import Fault
from playdock.kit.folding import fold
from playdock.kit.texts import one_line
from playdock.metadata.providers import MANUAL

# The field of a game that names who has a role in it.
_FIELDS = {"developer": "developers", "publisher": "publishers"}


def columns(said: CompanyDraft | CompanyChanges) -> dict[str, str]:
    """Give the columns that something was said of; a name comes with its normal form."""
    values = {column: value for column, value in msgspec.structs.asdict(said).items() if value is not msgspec.UNSET}
    if "name" in values:
        name = one_line(values["name"])
        values |= {"name": name, "folded": fold(name)}
    return values


def decided(sources: Mapping[str, str], roles: Collection[str]) -> dict[str, str]:
    """Give who says what of a game, once an administrator has decided on a company with some roles in it."""
    return {**sources, **{_FIELDS[role]: MANUAL for role in roles}}


def unmergeable(company_id: str, into: str) -> list[Fault]:
    """Say so where a company is to be merged into itself."""
    return [Fault("into", "A company cannot be merged into itself. Name another one.")] if into == company_id else []
