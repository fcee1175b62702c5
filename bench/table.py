"""Rows of figures, each beside its yardstick."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """A figure, its yardstick, the ratio between them, and what is wanted of it."""

    what: str
    ours: str
    yardstick: str
    ratio: str
    wanted: str


def as_markdown(rows: Sequence[Row]) -> str:
    head = "| What | Playdock | Yardstick | Ratio | Wanted |\n|---|---|---|---|---|\n"
    return head + "".join(
        f"| {row.what} | {row.ours} | {row.yardstick} | {row.ratio} | {row.wanted} |\n" for row in rows
    )
