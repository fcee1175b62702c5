"""Apicalypse, the query language of IGDB (https://api-docs.igdb.com/#apicalypse-1), parsed strictly and executed.

Records are dictionaries. A record that another one refers to is nested in it with an ``id`` and is returned as the id
unless the query selects fields of it.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Record = Mapping[str, Any]
Condition = Callable[[Record], bool]

_TOKEN = re.compile(
    r"""\s*(?:(?P<string>"(?:[^"\\\n]|\\["\\])*")|(?P<number>-?\d+(?:\.\d+)?)|(?P<name>[a-z_][a-z0-9_]*)"""
    r"""|(?P<sign>!=|>=|<=|[=<>~&|(),;.*]))"""
)
_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda left, right: bool(left == right),
    "!=": lambda left, right: bool(left != right),
    ">": lambda left, right: left is not None and left > right,
    "<": lambda left, right: left is not None and left < right,
    ">=": lambda left, right: left is not None and left >= right,
    "<=": lambda left, right: left is not None and left <= right,
}
_WORDS = {"null": None, "true": True, "false": False}
_STATEMENTS = ("fields", "where", "search", "limit", "offset", "sort")
_MAX_ROWS, _USUAL = 500, 10


class MalformedQuery(Exception):
    """The query is invalid or names an unknown field."""


@dataclass(frozen=True, slots=True)
class Query:
    """A query: the paths of fields, the condition for records, and their number."""

    fields: tuple[tuple[str, ...], ...]
    where: Condition
    search: str | None
    limit: int
    offset: int

    def execute(self, records: Sequence[Record], *, find: Callable[[str], Sequence[Record]]) -> list[Any]:
        """Return the selected records; ``find`` implements the search."""
        unknown = [".".join(path) for path in self.fields if not any(_has(record, path) for record in records)]
        if unknown:
            raise MalformedQuery(f"Invalid Field: {', '.join(unknown)}")
        among = records if self.search is None else find(self.search)
        chosen = [record for record in among if self.where(record)]
        return [_selected(record, self.fields) for record in chosen[self.offset : self.offset + self.limit]]


def parse(text: str) -> Query:
    """Parse a query.

    Raises:
        Malformed: it is none.
    """
    tokens = _Tokens(text)
    response: dict[str, Any] = {}
    while tokens.kind:
        statement = tokens.take("name")
        if statement not in _STATEMENTS or statement in response:
            raise MalformedQuery(f"There is no statement {statement} here")
        response[statement] = getattr(tokens, statement)()
        tokens.take("sign", ";")
    if "search" in response and "sort" in response:
        raise MalformedQuery("Search cannot be sorted")
    limit = response.get("limit", _USUAL)
    if not 0 < limit <= _MAX_ROWS:
        raise MalformedQuery("The limit is 1 to 500")
    where = response.get("where", lambda _record: True)
    return Query(response.get("fields", ()), where, response.get("search"), limit, response.get("offset", 0))


class _Tokens:
    """The tokens of a query, with a method for each statement that parses what follows its name."""

    def __init__(self, text: str) -> None:
        self._tokens = list(_tokens(text))
        self._next = 0

    @property
    def kind(self) -> str:
        """Return the kind of the next token, empty at the end."""
        return self._tokens[self._next][0] if self._next < len(self._tokens) else ""

    @property
    def text(self) -> str:
        return self._tokens[self._next][1] if self.kind else ""

    def take(self, kind: str, *texts: str) -> str:
        if self.kind != kind or (texts and self.text not in texts):
            raise MalformedQuery(f"Expecting {' or '.join(texts) or kind} instead of {self.text or 'the end'}")
        self._next += 1
        return self._tokens[self._next - 1][1]

    def skip(self, sign: str) -> bool:
        matching = self.kind == "sign" and self.text == sign
        self._next += matching
        return matching

    def fields(self) -> tuple[tuple[str, ...], ...]:
        return self._listed(self._path)

    def search(self) -> str:
        return _string(self.take("string"))

    def limit(self) -> int:
        return int(self.take("number"))

    offset = limit

    def sort(self) -> tuple[str, ...]:
        path = self._path()
        self.take("name", "asc", "desc")
        return path

    def where(self) -> Condition:
        conditions = [self._all()]
        while self.skip("|"):
            conditions.append(self._all())
        return lambda record: any(condition(record) for condition in conditions)

    def _all(self) -> Condition:
        conditions = [self._one()]
        while self.skip("&"):
            conditions.append(self._one())
        return lambda record: all(condition(record) for condition in conditions)

    def _one(self) -> Condition:
        if self.skip("("):
            condition = self.where()
            self.take("sign", ")")
            return condition
        path = self._path()
        sign = self.take("sign", *_COMPARISONS, "~")
        if sign == "~":
            return self._like(path)
        if self.skip("("):
            requested = self._listed(self._value)
            self.take("sign", ")")
            return lambda record: any(each in requested for each in _values(record, path))
        compare, value = _COMPARISONS[sign], self._value()
        return lambda record: any(compare(each, value) for each in _values(record, path) or [None])

    def _like(self, path: tuple[str, ...]) -> Condition:
        before = self.skip("*")
        requested = re.escape(_string(self.take("string")))
        after = self.skip("*")
        pattern = re.compile(f"{'.*' * before}{requested}{'.*' * after}", re.IGNORECASE | re.DOTALL)
        return lambda record: any(pattern.fullmatch(str(each)) for each in _values(record, path))

    def _path(self) -> tuple[str, ...]:
        path = [self.take("name") if not self.skip("*") else "*"]
        while path[-1] != "*" and self.skip("."):
            path.append(self.take("name") if not self.skip("*") else "*")
        return tuple(path)

    def _value(self) -> Any:
        if self.kind == "string":
            return _string(self.take("string"))
        if self.kind == "name":
            return _WORDS[self.take("name", *_WORDS)]
        number = self.take("number")
        return float(number) if "." in number else int(number)

    def _listed(self, read: Callable[[], Any]) -> tuple[Any, ...]:
        matching = [read()]
        while self.skip(","):
            matching.append(read())
        return tuple(matching)


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    at, text = 0, text.rstrip()
    while at < len(text):
        matching = _TOKEN.match(text, at)
        if matching is None:
            raise MalformedQuery(f"Syntax Error at {text[at : at + 20]!r}")
        assert matching.lastgroup
        yield matching.lastgroup, matching[matching.lastgroup]
        at = matching.end()


def _string(literal: str) -> str:
    return re.sub(r"\\(.)", r"\1", literal[1:-1])


def _values(record: Record, path: Sequence[str]) -> list[Any]:
    """Return the values at a path; for a nested record, its id."""
    values: list[Any] = [record]
    for name in path:
        matching = (value.get(name) for value in values if isinstance(value, Mapping))
        values = [each for value in matching for each in (value if isinstance(value, list) else [value])]
    return [value.get("id") if isinstance(value, Mapping) else value for value in values]


def _has(record: Record, path: Sequence[str]) -> bool:
    name, rest = path[0], path[1:]
    if name == "*":
        return True
    if name not in record:
        return False
    value = record[name]
    inner = value if isinstance(value, list) else [value]
    return not rest or any(isinstance(each, Mapping) and _has(each, rest) for each in inner)


def _selected(record: Record, fields: Iterable[tuple[str, ...]]) -> dict[str, Any]:
    """Return a record's id and its selected fields that are not empty."""
    selected = {"id": record["id"]}
    requested = list(fields)
    for name, value in record.items():
        inner = [path[1:] for path in requested if path[0] in (name, "*")]
        if inner and value not in (None, "", []):
            selected[name] = _selected_value(value, [path for path in inner if path])
    return selected


def _selected_value(value: Any, fields: list[tuple[str, ...]]) -> Any:
    if isinstance(value, list):
        return [_selected_value(each, fields) for each in value]
    if isinstance(value, Mapping):
        return _selected(value, fields) if fields else value["id"]
    return value
