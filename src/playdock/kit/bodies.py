"""Request bodies: decoding by a schema, with an error that names all invalid fields at once.

msgspec stops at the first error. Only if it rejects a body, each field is converted separately to find all errors.
"""

import re
import types
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from itertools import chain
from typing import Annotated, Any, ClassVar, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import inspect as shapes

from playdock.kit.errors import FieldError, InvalidInput
from playdock.kit.field_messages import FIELD_RULES
from playdock.kit.messages import Message

_Schema = TypeVar("_Schema")

_FAILURES = (msgspec.ValidationError, ValueError, OverflowError, RecursionError)
# What most requests fit into: the largest of these is a selection of 5,000 rows of an import plan with 20 values each.
MAX_JSON_VALUES = 100_000
# What every request fits into; the deepest has lists of objects with lists of objects.
MAX_JSON_DEPTH = 32
# msgspec quotes values; only invalid ones are longer.
_MAX_REASON_CHARACTERS = 200
# A message that lists more choices is hard to read.
_MAX_CHOICES = 20
# What separates the values of JSON: each value but the first follows a comma or an opening bracket. Nothing in a string
# counts. A string ends at the end of the text at the latest, so that each byte is read once.
_JSON_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?+|[\[{,\]}]', re.DOTALL)
# The codes of descriptions of fields that people fill in.
_RULES = {rule: code for code, rule in FIELD_RULES.items()}
_JSON_TYPE_NAMES = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "nothing",
    "|": "or",
}


class RequestBody(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """A JSON request body. Names are camelCase on the wire; unknown fields are rejected."""

    max_values: ClassVar[int] = MAX_JSON_VALUES


class Query(msgspec.Struct, kw_only=True, rename="camel"):
    """The query parameters of a request. Unknown ones are ignored, as is usual on the web."""


class ResponseBody(msgspec.Struct, kw_only=True, rename="camel"):
    """A JSON response body. Names are camelCase on the wire."""


def decode(raw: bytes, schema: type[_Schema]) -> _Schema:
    """Decode a JSON body.

    Raises:
        InvalidInput: the body is invalid, or has too many values or levels; each error has the dotted path of its
            field.
    """
    most = getattr(schema, "max_values", MAX_JSON_VALUES)
    if _is_too_complex(raw, most=most):
        message = Message("body-too-complex", values=most, levels=MAX_JSON_DEPTH)
        raise InvalidInput([FieldError("", message)])
    try:
        return _convert(msgspec.json.decode(raw), schema)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise InvalidInput([FieldError("", Message("body-not-json"))]) from None


def _is_too_complex(raw: bytes, *, most: int) -> bool:
    """Return whether JSON has so many values or levels that decoding it or listing its errors takes long."""
    brackets = raw.count(b"[") + raw.count(b"{")
    if brackets <= MAX_JSON_DEPTH and raw.count(b",") + brackets < most:
        return False
    values, depth = 1, 0
    for token in _JSON_TOKEN.finditer(raw):
        match raw[token.start()]:
            case 0x5B | 0x7B:  # [ {
                values, depth = values + 1, depth + 1
            case 0x5D | 0x7D:  # ] }
                depth -= 1
            case 0x2C:  # ,
                values += 1
        if values > most or depth > MAX_JSON_DEPTH:
            return True
    return False


def read_form(values: Mapping[str, Any], schema: type[_Schema]) -> _Schema:
    """Convert the fields of a form.

    Raises:
        InvalidInput: a field is invalid; all invalid fields are named.
    """
    return _convert(values, schema)


def read_query(values: Mapping[str, str], schema: type[_Schema]) -> _Schema:
    """Convert query parameters.

    Raises:
        InvalidInput: a parameter is invalid; all invalid parameters are named.
    """
    return _convert(dict(values), schema, strict=False)


def _convert(value: Any, schema: type[_Schema], *, strict: bool = True) -> _Schema:
    """Convert a value to a schema. Unless ``strict``, numbers and booleans may be text."""
    nulls = _null_characters(value, at="")
    try:
        body = msgspec.convert(value, schema, strict=strict)
    except _FAILURES:
        raise InvalidInput(chain(nulls, _errors(value, schema, at="", strict=strict))) from None
    if (first := next(nulls, None)) is not None:
        raise InvalidInput(chain((first,), nulls))
    return body


def _errors(value: Any, kind: Any, *, at: str, strict: bool) -> Iterator[FieldError]:
    try:
        msgspec.convert(value, kind, strict=strict)
    except _FAILURES as failure:
        struct, item_type = _struct_in(kind), _item_type(kind)
        if struct is not None and isinstance(value, Mapping):
            yield from _field_errors(value, struct, at=at, strict=strict)
            return
        item_errors = _item_errors(value, item_type, at=at, strict=strict)
        # There are none if only the list itself is invalid, such as too long.
        yield next(item_errors, None) or FieldError(at, _message(kind, value, failure))
        yield from item_errors


def _field_errors(
    value: Mapping[str, Any], struct: type[msgspec.Struct], *, at: str, strict: bool
) -> Iterator[FieldError]:
    fields = {field.encode_name: field for field in msgspec.structs.fields(struct)}
    for name, field in fields.items():
        path = f"{at}.{name}" if at else name
        if name in value:
            yield from _errors(value[name], field.type, at=path, strict=strict)
        elif field.required:
            yield FieldError(path, Message("field-required"))
    for name in value:
        if name not in fields:
            yield FieldError(f"{at}.{name}" if at else name, Message("field-unknown"))


def _item_errors(value: Any, kind: Any, *, at: str, strict: bool) -> Iterator[FieldError]:
    """Yield the errors of a list's items."""
    if kind is not None and isinstance(value, list):
        for index, item in enumerate(value):
            yield from _errors(item, kind, at=f"{at}[{index}]", strict=strict)


def _message(kind: Any, value: Any, failure: Exception) -> Message:
    """Return what a field must be: its rule or description if a text has an invalid value, else msgspec's reason."""
    options = _options(kind)
    described = _description(kind)
    if described in _RULES and str in options and isinstance(value, str):
        return Message(_RULES[described])
    if isinstance(value, str) and _is_too_long(kind, value):
        return Message("field-too-long")
    if described and str in options and isinstance(value, str):
        return Message("field-described", description=described)
    choices = [str(member.value) for each in options if _is_enum(each) for member in each]
    if 0 < len(choices) <= _MAX_CHOICES and isinstance(value, str):
        return Message("field-choice", choices=", ".join(choices))
    reason = str(failure).split(" - at `")[0][:_MAX_REASON_CHARACTERS]
    return Message("field-invalid", reason=re.sub("`([^`]*)`", _type_names, reason))


def _type_names(types: re.Match[str]) -> str:
    return " ".join(_JSON_TYPE_NAMES.get(name, name) for name in types[1].split())


def _is_too_long(kind: Any, text: str) -> bool:
    inner = shapes.type_info(kind)
    options = inner.types if isinstance(inner, shapes.UnionType) else (inner,)
    limits = [option.type if isinstance(option, shapes.Metadata) else option for option in options]
    return any(isinstance(each, shapes.StrType) and len(text) > (each.max_length or len(text)) for each in limits)


def _description(kind: Any) -> str | None:
    inner = shapes.type_info(kind)
    options = inner.types if isinstance(inner, shapes.UnionType) else (inner,)
    for option in options:
        if isinstance(option, shapes.Metadata):
            return (option.extra_json_schema or {}).get("description")
    return None


def _options(kind: Any) -> Sequence[Any]:
    """Return the types of a union or the type itself, without annotations."""
    if get_origin(kind) is Annotated:
        return _options(get_args(kind)[0])
    if get_origin(kind) in (Union, types.UnionType):
        return [option for each in get_args(kind) for option in _options(each)]
    return [kind]


def _struct_in(kind: Any) -> type[msgspec.Struct] | None:
    return next((each for each in _options(kind) if isinstance(each, type) and issubclass(each, msgspec.Struct)), None)


def _item_type(kind: Any) -> Any:
    """Return the type of a list's items, None if the type is not a list."""
    return next((get_args(each)[0] for each in _options(kind) if get_origin(each) in (list, tuple)), None)


def _is_enum(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Enum)


def _null_characters(value: Any, *, at: str) -> Iterator[FieldError]:
    """Yield an error for each text that contains U+0000, which PostgreSQL cannot store."""
    if isinstance(value, str) and "\0" in value:
        yield FieldError(at, Message("field-null-character"))
    if isinstance(value, Mapping):
        for name, member in value.items():
            yield from _null_characters(member, at=f"{at}.{name}" if at else str(name))
    if isinstance(value, list):
        for index, member in enumerate(value):
            yield from _null_characters(member, at=f"{at}[{index}]")
