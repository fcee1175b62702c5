"""The rows of a run, made from those of the plan and from what was selected."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from playdock import stored
from playdock.content.layouts import shown_version
from playdock.features.bulk_import.schemas import SelectedRow
from playdock.kit.errors import FieldError
from playdock.kit.messages import Message, parameters_of
from playdock.models import PlanRow, RunRow
from playdock.stored import MetadataReference, PlanCandidate, RunChoice, RunVersion, VersionProposal


def invalid_rows(rows: Sequence[SelectedRow], *, providers: Sequence[str]) -> list[FieldError]:
    """Return what is wrong with selected rows: providers that are not set up, and rows that are selected twice."""
    unknown = [
        FieldError(
            f"rows[{index}].metadata.sourceId",
            Message("provider-not-set-up", provider=row.metadata.source_id, known=", ".join(providers)),
        )
        for index, row in enumerate(rows)
        if row.metadata and row.metadata.source_id not in providers
    ]
    seen: dict[str, int] = {}
    duplicate = [
        FieldError(f"rows[{index}].id", Message("row-twice", field=f"rows[{first}]"))
        for index, row in enumerate(rows)
        if (first := seen.setdefault(row.id, index)) != index
    ]
    return unknown + duplicate


def importable(rows: Iterable[PlanRow]) -> list[RunRow]:
    """Return what is imported of rows that nobody has selected: those with a version that can be imported as proposed.

    Others stay in the plan, which says why.
    """
    proposed = (run_row(row, SelectedRow(id=row.id)) for row in rows)
    return [row for row in proposed if row.choice["versions"]]


def run_row(row: PlanRow, chosen: SelectedRow) -> RunRow:
    return RunRow(
        library_id=row.library_id,
        path=row.path,
        choice=stored.encode(RunChoice(metadata=_metadata(row, chosen), versions=tuple(_versions(row, chosen)))),
    )


def fault_values(row: RunRow, fault: Message) -> dict[str, Any]:
    """Return the values of a row's columns that say why its folder or a version was not imported."""
    choice = stored.decode(row.choice, RunChoice)
    choice = msgspec.structs.replace(choice, fault_code=fault.code, fault_parameters=parameters_of(fault))
    return {"fault": str(fault), "choice": stored.encode(choice)}


def version_fault(version: str, reason: Message) -> Message:
    """Return why a version was not imported; its name says nothing if it is the only one."""
    return Message("version-fault", version=version, reason=reason) if shown_version(version) else reason


def _metadata(row: PlanRow, chosen: SelectedRow) -> MetadataReference | None:
    """Return the selected metadata, or by default that of the first candidate; None to use the folder's name."""
    if chosen.metadata is None:
        return None
    if chosen.metadata is not UNSET:
        return msgspec.convert(chosen.metadata, MetadataReference, from_attributes=True)
    first = stored.decode(row.candidates[0], PlanCandidate) if row.candidates else None
    return MetadataReference(source_id=first.source_id, id=first.id, name=first.name) if first else None


def _versions(row: PlanRow, chosen: SelectedRow) -> list[RunVersion]:
    """Return the selected versions, or by default all that can be imported as proposed."""
    if chosen.versions is not UNSET:
        return msgspec.convert(chosen.versions, list[RunVersion], from_attributes=True)
    proposals = stored.decode_list(row.versions, VersionProposal)
    return [msgspec.convert(each, RunVersion, from_attributes=True) for each in proposals if not each.remark]
