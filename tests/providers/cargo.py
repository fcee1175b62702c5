"""Cargo, the database of MediaWiki, as far as one table is asked: fields with aliases, and conditions joined by OR.

What it refuses is refused: https://www.mediawiki.org/wiki/Extension:Cargo/Querying_data.
"""

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

MOST_ROWS = 500

_FORBIDDEN = re.compile(r"--|#")
_CONDITION = re.compile(
    r"\s*(?:(?P<table>\w+)\.)?(?P<field>_?[A-Za-z]\w*)\s*(?P<operator>=|HOLDS\b)\s*"
    r'(?:"(?P<text>(?:[^"\\]|\\.)*)"|(?P<number>[0-9]+))\s*(?P<join>OR\b|$)',
    re.DOTALL,
)

Row = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Condition:
    """A field that must have a value, or a list with it among others."""

    field: str
    value: str
    among_others: bool

    def holds(self, row: Row) -> bool:
        there = _value(row, self.field)
        return self.value in [each.strip() for each in there.split(",")] if self.among_others else there == self.value


def _value(row: Row, field: str) -> str:
    if field not in row:
        raise ValueError(f"no field {field}")
    return row[field]


def conditions(where: str, *, table: str) -> Sequence[Condition]:
    """Read what is wanted of a row.

    Raises:
        ValueError: Cargo would refuse it.
    """
    decoded, position, found = html.unescape(where), 0, []
    if _FORBIDDEN.search(decoded):
        raise ValueError(f"forbidden in {where!r}")
    while True:
        each = _CONDITION.match(decoded, position)
        if each is None or each["table"] not in (None, table):
            raise ValueError(f"not understood: {decoded[position:]!r}")
        text = each["number"] or re.sub(r"\\(.)", r"\1", each["text"], flags=re.DOTALL)
        found.append(Condition(each["field"], text, among_others=each["operator"] == "HOLDS"))
        position = each.end()
        if not each["join"]:
            return found


def select(query: Mapping[str, str], rows: Iterable[Row], *, table: str) -> list[dict[str, str]]:
    """Give what is wanted of the rows that are wanted, escaped for HTML, underscores in names as blanks.

    Raises:
        ValueError: Cargo would refuse it.
    """
    if query["tables"] != table or not 0 < int(query["limit"]) <= MOST_ROWS:
        raise ValueError(f"no such table or limit: {query}")
    wanted = conditions(query["where"], table=table)
    named = dict(_alias(field, table=table) for field in query["fields"].split(","))
    chosen = [row for row in rows if any(condition.holds(row) for condition in wanted)]
    return [{name: html.escape(_value(row, field)) for name, field in _with_precision(named, row)} for row in chosen]


def _alias(field: str, *, table: str) -> tuple[str, str]:
    name, _, alias = field.removeprefix(f"{table}.").partition("=")
    if (alias or name).startswith("_"):
        raise ValueError(f"an alias begins with an underscore: {field}")
    return alias or name.replace("_", " "), name


def _with_precision(named: Mapping[str, str], row: Row) -> Iterable[tuple[str, str]]:
    """Give each wanted name and field, and behind dates how exact they are."""
    for name, field in named.items():
        yield name, field
        if f"{field}__precision" in row:
            yield f"{name}__precision", f"{field}__precision"
