"""Request bodies: decoded by a schema, and when that fails, every fault is named at once.

msgspec stops at the first fault. It stays the judge; only when it refuses is each field tried alone.
"""

import re
import types
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from itertools import islice
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import inspect as shapes

from playdock.kit.errors import Fault, InvalidInput

_Schema = TypeVar("_Schema")

_FAILURES = (msgspec.ValidationError, ValueError, OverflowError, RecursionError)
_MOST_FAULTS_OF_A_LIST = 10
_MOST_CHOICES = 20
_WORDS = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "nothing",
    "|": "or",
}


class Body(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """What a caller sends: camelCase on the wire, unknown fields are refused."""


class Query(msgspec.Struct, kw_only=True, rename="camel"):
    """The parameters behind the question mark; unknown ones are left alone, as everywhere on the web."""


class Answer(msgspec.Struct, kw_only=True, rename="camel"):
    """What the service answers: camelCase on the wire."""


def decode(raw: bytes, schema: type[_Schema]) -> _Schema:
    """Decode a JSON body.

    Raises:
        InvalidInput: naming each fault by the dotted path of its field.
    """
    try:
        return _convert(msgspec.json.decode(raw), schema)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise InvalidInput([Fault("", "The body must be JSON in UTF-8, not nested deeply.")]) from None


def read_form(values: Mapping[str, Any], schema: type[_Schema]) -> _Schema:
    """Read the fields of a form.

    Raises:
        InvalidInput: naming each field at fault.
    """
    return _convert(values, schema)


def read_query(values: Mapping[str, str], schema: type[_Schema]) -> _Schema:
    """Read query parameters.

    Raises:
        InvalidInput: naming each parameter at fault.
    """
    return _convert(dict(values), schema, strict=False)


def _convert(value: Any, schema: type[_Schema], *, strict: bool = True) -> _Schema:
    """Make what the schema says of a value; if it is not strict, numbers and yes or no may come as text."""
    nulls = list(_null_characters(value, at=""))
    try:
        body = msgspec.convert(value, schema, strict=strict)
    except _FAILURES:
        raise InvalidInput([*nulls, *_faults(value, schema, at="", strict=strict)]) from None
    if nulls:
        raise InvalidInput(nulls)
    return body


def _faults(value: Any, kind: Any, *, at: str, strict: bool) -> Iterator[Fault]:
    try:
        msgspec.convert(value, kind, strict=strict)
    except _FAILURES as failure:
        struct, member = _struct_in(kind), _member_of(kind)
        if struct is not None and isinstance(value, Mapping):
            yield from _faults_of_fields(value, struct, at=at, strict=strict)
            return
        inside = list(_faults_of_members(value, member, at=at, strict=strict)) if isinstance(value, list) else []
        yield from inside or [Fault(at, _sentence(kind, value, failure))]


def _faults_of_fields(
    value: Mapping[str, Any], struct: type[msgspec.Struct], *, at: str, strict: bool
) -> Iterator[Fault]:
    fields = {field.encode_name: field for field in msgspec.structs.fields(struct)}
    for name, field in fields.items():
        path = f"{at}.{name}" if at else name
        if name in value:
            yield from _faults(value[name], field.type, at=path, strict=strict)
        elif field.required:
            yield Fault(path, "This field is required.")
    for name in value:
        if name not in fields:
            yield Fault(f"{at}.{name}" if at else name, "This field is unknown here.")


def _faults_of_members(value: Sequence[Any], kind: Any, *, at: str, strict: bool) -> Iterator[Fault]:
    """Give the first faults of a list's members; there are none if the list itself is at fault, such as too long."""
    if kind is not None:
        faults = (
            fault
            for index, each in enumerate(value)
            for fault in _faults(each, kind, at=f"{at}[{index}]", strict=strict)
        )
        yield from islice(faults, _MOST_FAULTS_OF_A_LIST)


def _sentence(kind: Any, value: Any, failure: Exception) -> str:
    """Say what a field must be: in the schema's own words where it is text as it should be, and says the wrong."""
    options = _options(kind)
    described = _description(kind)
    if described and str in options and isinstance(value, str):
        return described
    choices = [str(member.value) for each in options if _is_enum(each) for member in each]
    if 0 < len(choices) <= _MOST_CHOICES and isinstance(value, str):
        return f"Expected one of {', '.join(choices)}."
    reason = str(failure).split(" - at `")[0]
    return f"{re.sub('`([^`]*)`', _in_words, reason)}."


def _in_words(kinds: re.Match[str]) -> str:
    return " ".join(_WORDS.get(word, word) for word in kinds[1].split())


def _description(kind: Any) -> str | None:
    inner = shapes.type_info(kind)
    options = inner.types if isinstance(inner, shapes.UnionType) else (inner,)
    for option in options:
        if isinstance(option, shapes.Metadata):
            return (option.extra_json_schema or {}).get("description")
    return None


def _options(kind: Any) -> Sequence[Any]:
    """Give the types that something may be, without what is said of them."""
    if get_origin(kind) is Annotated:
        return _options(get_args(kind)[0])
    if get_origin(kind) in (Union, types.UnionType):
        return [option for each in get_args(kind) for option in _options(each)]
    return [kind]


def _struct_in(kind: Any) -> type[msgspec.Struct] | None:
    return next((each for each in _options(kind) if isinstance(each, type) and issubclass(each, msgspec.Struct)), None)


def _member_of(kind: Any) -> Any:
    """Give what a list holds, None for what is no list."""
    return next((get_args(each)[0] for each in _options(kind) if get_origin(each) in (list, tuple)), None)


def _is_enum(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Enum)


def _null_characters(value: Any, *, at: str) -> Iterator[Fault]:
    """No text of ours holds U+0000: PostgreSQL cannot store it and no person types it."""
    if isinstance(value, str) and "\0" in value:
        yield Fault(at, "Text must not contain the character U+0000.")
    if isinstance(value, Mapping):
        for name, member in value.items():
            yield from _null_characters(member, at=f"{at}.{name}" if at else str(name))
    if isinstance(value, list):
        for index, member in enumerate(value):
            yield from _null_characters(member, at=f"{at}[{index}]")
