"""Cargo, the database of MediaWiki, for queries of one table: fields with aliases, and conditions joined by OR.

It rejects what the real one rejects: https://www.mediawiki.org/wiki/Extension:Cargo/Querying_data.
"""

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

MAX_ROWS = 500

_FORBIDDEN = re.compile(r"--|#")
_CONDITION = re.compile(
    r"\s*(?:(?P<table>\w+)\.)?(?P<field>_?[A-Za-z]\w*)\s*(?P<operator>=|HOLDS\b)\s*"
    r'(?:"(?P<text>(?:[^"\\]|\\.)*)"|(?P<number>[0-9]+))\s*(?P<join>OR\b|$)',
    re.DOTALL,
)

Row = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition that a field has a value, or is a list that contains it."""

    field: str
    value: str
    among_others: bool

    def matches(self, row: Row) -> bool:
        stored = _value(row, self.field)
        return self.value in [each.strip() for each in stored.split(",")] if self.among_others else stored == self.value


def _value(row: Row, field: str) -> str:
    if field not in row:
        raise ValueError(f"no field {field}")
    return row[field]


def conditions(where: str, *, table: str) -> Sequence[Condition]:
    """Parse the conditions for rows.

    Raises:
        ValueError: Cargo would reject them.
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
    """Return the selected fields of the selected rows, escaped for HTML, with spaces for underscores in names.

    Raises:
        ValueError: Cargo would refuse it.
    """
    if query["tables"] != table or not 0 < int(query["limit"]) <= MAX_ROWS:
        raise ValueError(f"no such table or limit: {query}")
    requested = conditions(query["where"], table=table)
    named = dict(_alias(field, table=table) for field in query["fields"].split(","))
    chosen = [row for row in rows if any(condition.matches(row) for condition in requested)]
    return [{name: html.escape(_value(row, field)) for name, field in _with_precision(named, row)} for row in chosen]


def _alias(field: str, *, table: str) -> tuple[str, str]:
    name, _, alias = field.removeprefix(f"{table}.").partition("=")
    if (alias or name).startswith("_"):
        raise ValueError(f"an alias begins with an underscore: {field}")
    return alias or name.replace("_", " "), name


def _with_precision(named: Mapping[str, str], row: Row) -> Iterable[tuple[str, str]]:
    """Yield each selected name and field, and the precision after each date."""
    for name, field in named.items():
        yield name, field
        if f"{field}__precision" in row:
            yield f"{name}__precision", f"{field}__precision"
