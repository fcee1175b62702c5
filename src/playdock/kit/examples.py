"""Examples of requests and responses, composed of the examples of their fields (``Meta(examples=[…])``).

Only the OpenAPI document contains them, so they are composed when it is requested. For a field without an example, one
is composed of the fields of its type; otherwise the field is omitted if it is optional.
"""

from functools import cache
from typing import Any

import msgspec
from msgspec import inspect as shapes


class NoExample(TypeError):
    """A required field has no example, and none can be composed of its type."""


def example_of(kind: Any) -> Any:
    """Return an example of a type as a JSON value.

    Raises:
        NoExample: a required field has no example.
    """
    found = _examples(shapes.type_info(kind))
    if not found:
        raise NoExample(str(kind))
    return found[0]


def _examples(shape: shapes.Type) -> tuple[Any, ...]:
    """Return a tuple with one example, or an empty one if there is none."""
    found: tuple[Any, ...] = ()
    match shape:
        case shapes.Metadata():
            declared = (shape.extra_json_schema or {}).get("examples")
            found = tuple(declared[:1]) if declared else _examples(shape.type)
        case shapes.UnionType():
            found = next((each for option in shape.types if (each := _examples(option))), _null(shape))
        case shapes.StructType():
            found = (_struct(shape.cls),)
        case shapes.EnumType():
            found = (next(iter(shape.cls)).value,)
        case shapes.LiteralType():
            found = (shape.values[0],)
        case shapes.BoolType():
            found = (False,)
        case shapes.ListType() | shapes.VarTupleType():
            found = tuple([each] for each in _examples(shape.item_type))
    return found


def _null(shape: shapes.UnionType) -> tuple[None, ...]:
    return (None,) if shape.includes_none else ()


@cache
def _struct(kind: type[msgspec.Struct]) -> dict[str, Any]:
    info = shapes.type_info(kind)
    assert isinstance(info, shapes.StructType)
    composed = {}
    for field in info.fields:
        found = _examples(field.type)
        if found and (field.required or found[0] is not None):
            composed[field.encode_name] = found[0]
        elif field.required:
            raise NoExample(f"{kind.__name__}.{field.name}")
    return composed
