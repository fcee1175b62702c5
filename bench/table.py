"""Rows of figures, each with its baseline."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """A figure, its baseline, their ratio, and the target."""

    what: str
    ours: str
    baseline: str
    ratio: str
    wanted: str


def as_markdown(rows: Sequence[Row]) -> str:
    head = "| What | Playdock | Yardstick | Ratio | Wanted |\n|---|---|---|---|---|\n"
    return head + "".join(
        f"| {row.what} | {row.ours} | {row.baseline} | {row.ratio} | {row.wanted} |\n" for row in rows
    )
